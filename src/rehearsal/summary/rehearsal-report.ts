import type { RehearsalFinding } from "../findings/rehearsal-finding.js";
import type { Rehearsal } from "../rehearsal-result.js";
import { type FaultSummary, summariseFaults } from "./summarise-faults.js";
import { type RungSummary, summariseRungs } from "./summarise-rungs.js";

/** A rehearsal with its tables and findings: what the command prints, and `rehearsal.json`. */
export interface RehearsalReport extends Rehearsal {
  readonly format: "marketwright-rehearsal/1";
  /** File of the exchange, if one was given. */
  readonly exchange: string | undefined;
  readonly findings: readonly RehearsalFinding[];
  readonly faults: readonly FaultSummary[];
  readonly rungs: readonly RungSummary[];
}

/** Adds tables and findings to a rehearsal. @param exchange its file, if one was given */
export function createRehearsalReport(
  rehearsal: Rehearsal,
  findings: readonly RehearsalFinding[],
  exchange: string | undefined,
): RehearsalReport {
  return {
    format: "marketwright-rehearsal/1",
    ...rehearsal,
    exchange,
    findings,
    faults: summariseFaults(rehearsal),
    rungs: summariseRungs(rehearsal),
  };
}
