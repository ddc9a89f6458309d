import { type BandedMean, studentQuantile } from "../../../account/markouts/blocked-mean.js";

/** A figure with its 95 % confidence interval. */
export interface ConfidenceInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The interval of a mean over blocks of time; undefined if the mean has no band. */
export function meanInterval(mean: BandedMean | undefined): ConfidenceInterval | undefined {
  if (mean?.halfBand === undefined) return undefined;
  const { mean: value, halfBand } = mean;
  return { value, low: value - halfBand, high: value + halfBand };
}

/**
 * The interval of a share: Wilson's (Journal of the American Statistical Association 22, 1927,
 * 209-212) for the number of independent outcomes that has the variance of the blocks (E. Korn and
 * B. Graubard, Survey Methodology 24, 1998, 193-201).
 * @param share a mean of zeros and ones
 * @param independent number of independent outcomes where all are the same
 */
export function shareInterval(
  share: BandedMean | undefined,
  independent: number,
): ConfidenceInterval | undefined {
  if (share?.halfBand === undefined) return undefined;
  const { mean: value, halfBand, blocks } = share;
  const variance = value * (1 - value);
  // Outcomes divided by the square of the quantile.
  const outcomes =
    halfBand > 0 ? variance / halfBand ** 2 : independent / studentQuantile(blocks - 1) ** 2;
  const centre = (value + 0.5 / outcomes) / (1 + 1 / outcomes);
  const half = Math.sqrt(variance / outcomes + 0.25 / outcomes ** 2) / (1 + 1 / outcomes);
  // Wilson's interval holds its share and stays within 0 and 1, but for rounding.
  return {
    value,
    low: Math.max(0, Math.min(value, centre - half)),
    high: Math.min(1, Math.max(value, centre + half)),
  };
}
