import { MarketwrightError } from "../core/errors.js";
import type { Ms } from "../core/units.js";

/** The checks that make a {@link StrategyFinding}. */
export type StrategyCheck =
  | "look-ahead"
  | "nondeterminism"
  | "invalid-intent"
  | "failure"
  | "accepted-params";

/** A fault that a check found in a strategy. */
export interface StrategyFinding {
  readonly check: StrategyCheck;
  /** The fault, as a sentence without its point. */
  readonly what: string;
  /** Number of the first view whose answer differs or is at fault. */
  readonly viewSequence?: number;
  /** Milliseconds since 1970 on the strategy's clock. */
  readonly timeMs?: Ms;
  /** The first intent that differs, as JSON: of the whole run or the first run. */
  readonly wanted?: string;
  /** The same intent in the other run, as JSON; `nothing` if there is none. */
  readonly found?: string;
}

/**
 * Findings as an error of a test. Its `code` is that of an assertion, so that a test runner shows
 * it as a failed one.
 * @example
 * ```ts
 * import { StrategyCheckError } from "marketwright/testing";
 *
 * const error = new StrategyCheckError([{ check: "failure", what: "the strategy threw" }]);
 * error.code; // => "ERR_ASSERTION"
 * error.findings.length; // => 1
 * ```
 */
export class StrategyCheckError extends MarketwrightError {
  readonly code = "ERR_ASSERTION";
  readonly findings: readonly StrategyFinding[];
  /** The differing intent of the first finding that has one. */
  readonly actual: string | undefined;

  constructor(findings: readonly StrategyFinding[]) {
    const differing = findings.find(({ found }) => found !== undefined);
    super(
      findings.map(describeFinding).join("\n"),
      differing?.wanted === undefined ? {} : { expected: differing.wanted },
    );
    this.findings = findings;
    this.actual = differing?.found;
  }
}

/**
 * Throws if there are findings.
 * @throws StrategyCheckError with a line for each
 * @example
 * ```ts
 * import { assertNoFindings } from "marketwright/testing";
 *
 * assertNoFindings([]); // => undefined
 * assertNoFindings([{ check: "failure", what: "it threw" }]); // throws StrategyCheckError
 * ```
 */
export function assertNoFindings(findings: readonly StrategyFinding[]): void {
  if (findings.length > 0) throw new StrategyCheckError(findings);
}

function describeFinding({ check, what, viewSequence, wanted, found }: StrategyFinding): string {
  const place = viewSequence === undefined ? "" : ` at view ${viewSequence}`;
  const differs = wanted === undefined ? "" : `\n  was ${wanted}\n  is  ${found}`;
  return `${check}${place}: ${what}${differs}`;
}
