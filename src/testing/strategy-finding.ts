import { MarketwrightError } from "../core/errors.js";
import type { Ms } from "../core/units.js";

/** Findings of one check that are returned one by one. */
const MOST_FINDINGS = 3;

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
  /**
   * The first intent that differs, of the whole run or the first run: JSON, or the part of it
   * around the difference.
   */
  readonly wanted?: string;
  /** The same intent in the other run, likewise; `nothing` if there is none. */
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
  /** The same intent as it was; the message has it already. */
  override readonly expected: string | undefined;

  constructor(findings: readonly StrategyFinding[]) {
    const differing = findings.find(({ found }) => found !== undefined);
    super(findings.map(describeFinding).join("\n"));
    this.findings = findings;
    this.actual = differing?.found;
    this.expected = differing?.wanted;
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

/**
 * Keeps the first findings of a check, and counts the others in one more.
 * @param others noun phrase, plural
 */
export function keepFirstFindings(
  findings: readonly StrategyFinding[],
  others: string,
): StrategyFinding[] {
  const [first] = findings;
  const left = findings.length - MOST_FINDINGS;
  if (first === undefined || left <= 0) return [...findings];
  const counted = { check: first.check, what: `${left} more ${others}` };
  return [...findings.slice(0, MOST_FINDINGS), counted];
}

function describeFinding({ check, what, viewSequence, wanted, found }: StrategyFinding): string {
  const place = viewSequence === undefined ? "" : ` at view ${viewSequence}`;
  const differs = wanted === undefined ? "" : `\n  was ${wanted}\n  is  ${found}`;
  return `${check}${place}: ${what}${differs}`;
}
