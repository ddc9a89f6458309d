/** Fewest whole days for a meaningful ratio. */
const FEWEST_DAYS = 10;

const DAYS_A_YEAR = 365;

/** The convention of {@link computeSharpe}, for readers of a report. */
export const SHARPE_CONVENTION =
  "mean over standard deviation of the profits of whole UTC days, times the square root of 365; no interest, no reinvestment; standard error by Lo (2002) for independent days";

/**
 * The yearly Sharpe ratio of daily profits, with its standard error (A. Lo, "The Statistics of
 * Sharpe Ratios", Financial Analysts Journal 58(4), 2002: sqrt((1 + SR^2 / 2) / n) of the daily
 * one). Undefined with fewer than ten days or where they do not vary.
 */
export function computeSharpe(
  profits: readonly number[],
): { readonly value: number; readonly standardError: number } | undefined {
  const days = profits.length;
  if (days < FEWEST_DAYS) return undefined;
  const mean = profits.reduce((sum, profit) => sum + profit, 0) / days;
  const deviation = Math.sqrt(
    profits.reduce((sum, profit) => sum + (profit - mean) ** 2, 0) / (days - 1),
  );
  if (!(deviation > 0)) return undefined;
  const daily = mean / deviation;
  const year = Math.sqrt(DAYS_A_YEAR);
  return { value: daily * year, standardError: Math.sqrt((1 + daily ** 2 / 2) / days) * year };
}
