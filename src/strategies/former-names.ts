/** Names that this entry had before: each works as its current one, and a function warns once. */

import { underFormerName } from "../core/renamed.js";
import type { Runtime } from "../core/runtime/runtime.js";
import type { QuoteReason } from "./intent.js";
import { baseToExactLots, baseToLots } from "./size-lots.js";

/** @deprecated Use {@link Runtime}. */
export type Seam = Runtime;
/** @deprecated Use {@link QuoteReason}. */
export type Reason = QuoteReason;
/** @deprecated Use {@link baseToLots}. */
export const lotsOfBase = underFormerName("lotsOfBase", "baseToLots", baseToLots);
/** @deprecated Use {@link baseToExactLots}. */
export const exactLotsOfBase = underFormerName(
  "exactLotsOfBase",
  "baseToExactLots",
  baseToExactLots,
);
