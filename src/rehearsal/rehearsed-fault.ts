import { FAULT_KINDS } from "../simulation/faults.js";

/** Kinds of faults beside those of network, exchange and machine. */
const OTHER_FAULTS = [
  "bot-and-guard-killed",
  "price-jump",
  "price-trend",
  "book-one-sided",
  "mark-wrong",
  "funding-extreme",
  "reference-silent",
  "reference-frozen",
  "reference-wrong",
  "hedge-stopped",
  "hedge-answers-lost",
  "hedge-orders-refused",
  "hedge-settlement-failed",
] as const;

/** The kinds of faults of a rehearsal, in the order of its table. */
export const REHEARSED_FAULTS = [...FAULT_KINDS, ...OTHER_FAULTS] as const;

/** The fault of a run; `none` for the run that the others are compared with. */
export type RehearsedFault = "none" | (typeof REHEARSED_FAULTS)[number];
