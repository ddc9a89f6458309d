import { avellanedaStoikovTables, manyPaths, symmetricLaw } from "./avellaneda-stoikov.js";
import { calibration, goldenRuns, queueRules } from "./captures.js";
import { fundingBoundary } from "./funding.js";
import { almgrenChriss, carteaJaimungalPenalva, glftQuotes, hftbacktestQuotes } from "./models.js";
import type { PublishedNumbers } from "./published.js";

/** The sections of the page, in its order. */
export const VALIDATION: readonly PublishedNumbers[] = [
  avellanedaStoikovTables,
  symmetricLaw,
  manyPaths(10_000),
  glftQuotes,
  hftbacktestQuotes,
  carteaJaimungalPenalva,
  almgrenChriss,
  calibration,
  fundingBoundary,
  queueRules,
  goldenRuns,
];
