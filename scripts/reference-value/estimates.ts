import { seededRandom } from "#core/seeded-random.js";

/** A mean and half of its 95 % confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly half: number;
}

/** A ratio and its 95 % confidence interval. */
export interface RatioEstimate {
  readonly ratio: number;
  readonly from: number;
  readonly to: number;
}

/** Quantiles of Student's t at 97.5 %, by degrees of freedom from 1 to 30. */
const STUDENT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
] as const;
/** Of 49, for more than 30. */
const STUDENT_OF_49 = 2.01;

const RESAMPLES = 4_000;

/** Estimates a mean by seed. Seeds without a value (NaN) are left out. */
export function estimateMean(values: readonly number[]): Estimate {
  const known = values.filter((value) => !Number.isNaN(value));
  const quantile = STUDENT[known.length - 2] ?? STUDENT_OF_49;
  return {
    mean: meanOf(known),
    half: quantile * Math.sqrt(varianceOf(known) / known.length),
  };
}

/** The standard deviation over seeds. */
export function standardDeviation(values: readonly number[]): number {
  return Math.sqrt(varianceOf(values));
}

/**
 * Estimates the ratio of two variances over the same seeds. The interval is that of a percentile
 * bootstrap which draws seeds, and so keeps the pairs; its draws are always the same.
 */
export function estimateVarianceRatio(
  values: readonly number[],
  base: readonly number[],
): RatioEstimate {
  const random = seededRandom("ratio of variances");
  const ratios = Array.from({ length: RESAMPLES }, () => {
    const drawn = base.map(() => Math.floor(random.uniform() * base.length));
    const of = (all: readonly number[]) => varianceOf(drawn.map((at) => all[at] as number));
    return of(values) / of(base);
  })
    // Of few seeds a draw may have one alone, and no variance.
    .filter(Number.isFinite)
    .sort((one, other) => one - other);
  return {
    ratio: varianceOf(values) / varianceOf(base),
    from: ratios[Math.floor(ratios.length * 0.025)] as number,
    to: ratios[Math.ceil(ratios.length * 0.975) - 1] as number,
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
