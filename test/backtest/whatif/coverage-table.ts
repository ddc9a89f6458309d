/** One session of the check: its answer, and the mean change that the exchange knows. */
export interface CheckedSession {
  readonly name: string;
  /** Mean difference of profit over the continuations, quote asset. */
  readonly truth: number;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  readonly isRefused: boolean;
}

/** A share with its 95 % interval, Wilson's (J. Am. Stat. Assoc. 22, 1927, 209-212). */
export interface CoveredShare {
  readonly covered: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

const Z = 1.959963984540054;
const WANTED = 0.8;

/** Counts the sessions whose interval has the truth. */
export function countCovered(sessions: readonly CheckedSession[]): CoveredShare {
  const covered = sessions.filter(({ low, high, truth }) => low <= truth && truth <= high).length;
  return wilson(covered, sessions.length);
}

/** The published table: the answered sessions, and the refused ones apart. */
export function coverageTable(
  sessions: readonly CheckedSession[],
  { seeds }: { readonly seeds: number },
): string {
  const answered = sessions.filter(({ isRefused }) => !isRefused);
  const refused = sessions.filter(({ isRefused }) => isRefused);
  const row = (
    name: string,
    of: readonly CheckedSession[],
    interval: (session: CheckedSession, others: readonly CheckedSession[]) => Interval,
  ): string => {
    const intervals = of.map((each) => ({
      ...each,
      ...interval(
        each,
        of.filter((other) => other !== each),
      ),
    }));
    const { covered, of: count, low, high } = countCovered(intervals);
    const width = quantile(
      intervals.map((each) => each.high - each.low),
      0.5,
    );
    const share =
      count === 0 ? "-" : `${percent(covered / count)} (${percent(low)} to ${percent(high)})`;
    return `| ${name} | ${count} | ${share} | ${Number.isNaN(width) ? "-" : width.toFixed(2)} |`;
  };
  return [
    `${sessions.length} sessions, ${seeds} continuations of each with the old and with the new values; ${answered.length} answered, ${refused.length} refused.`,
    "",
    "| interval of 80 % | sessions | with the true change in it (95 % interval) | median width, USDC |",
    "| --- | --- | --- | --- |",
    row("`whatif`, answered", answered, ({ low, high }) => ({ low, high })),
    row(
      "the estimate, plus or minus one constant of the other sessions",
      answered,
      (each, others) => {
        const half = quantile(
          others.map(({ estimate, truth }) => Math.abs(estimate - truth)),
          WANTED,
        );
        return { low: each.estimate - half, high: each.estimate + half };
      },
    ),
    row("quantiles of the true change in the other sessions", answered, (_, others) => {
      const truths = others.map(({ truth }) => truth);
      return {
        low: quantile(truths, (1 - WANTED) / 2),
        high: quantile(truths, (1 + WANTED) / 2),
      };
    }),
    row("`whatif`, refused: what it would have said", refused, ({ low, high }) => ({ low, high })),
  ].join("\n");
}

interface Interval {
  readonly low: number;
  readonly high: number;
}

function wilson(covered: number, of: number): CoveredShare {
  if (of === 0) return { covered, of, low: 0, high: 1 };
  const share = covered / of;
  const z2 = Z * Z;
  const centre = (share + z2 / (2 * of)) / (1 + z2 / of);
  const half = (Z * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of * of))) / (1 + z2 / of);
  return { covered, of, low: centre - half, high: centre + half };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
