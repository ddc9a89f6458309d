import { z } from "zod";
import type { Ms } from "../../core/units.js";
import {
  EwmaVolatility,
  MIN_RETURNS,
  RollingVolatility,
  type VolatilityEstimator,
} from "./volatility.js";

const fixedTicks = z.strictObject({
  sigmaTicks: z
    .number()
    .min(0)
    .max(1_000_000)
    .describe("Fixed volatility of the mid, in ticks per square root of a second."),
});

const fixedBps = z.strictObject({
  sigmaBps: z
    .number()
    .min(0)
    .max(10_000)
    .describe("Fixed volatility of the mid, in basis points per square root of a second."),
});

const estimated = z.strictObject({
  estimator: z
    .enum(["ewma", "rolling"])
    .describe(
      "ewma: realised volatility whose weights fade with time. rolling: of the returns within the window, equally weighted.",
    ),
  windowMs: z
    .int()
    .min(1000)
    .max(86_400_000)
    .describe("ewma: time in which a return's weight falls to 1/e. rolling: the span that counts.")
    .default(60_000),
  sampleMs: z
    .int()
    .min(10)
    .max(600_000)
    .describe("The mid is sampled at most so often.")
    .default(1000),
  initialBps: z
    .number()
    .min(0)
    .max(10_000)
    .describe(
      `Used until ${MIN_RETURNS} returns are in the window, in basis points per square root of a second.`,
    )
    .default(1),
});

/** The `sigma` parameter: fixed in ticks, fixed in basis points, or estimated while it trades. */
export const sigmaField = z
  .union([fixedTicks, fixedBps, estimated])
  .superRefine((sigma, context) => {
    if (!("estimator" in sigma) || sigma.windowMs >= MIN_RETURNS * sigma.sampleMs) return;
    context.addIssue({
      code: "custom",
      path: ["windowMs"],
      input: sigma.windowMs,
      message: "holds too few samples to estimate from",
      params: {
        expected: `at least ${MIN_RETURNS} times sampleMs, ${MIN_RETURNS * sigma.sampleMs}`,
      },
    });
  })
  .describe("Volatility of the mid.")
  .prefault({ estimator: "ewma" });

/** Sigma for the quotes of a strategy. */
export interface Sigma {
  /** Ticks per square root of a second. */
  readonly ticks: number;
  readonly estimated: boolean;
}

/** Provides a strategy with sigma for each view. */
export interface SigmaSource {
  /** Observes the mid of a view. Called once for each view, in order. */
  observe(midTicks: number, timeMs: Ms): void;
  /** Sigma in ticks for a fair price. */
  at(fairTicks: number): Sigma;
  /** The source of another parameter. It shares the estimate if the estimator is the same. */
  withParams(sigma: SigmaParam): SigmaSource;
}

type SigmaParam = z.output<typeof sigmaField>;

/** Creates the source for a validated `sigma` parameter. */
export function sigmaSource(sigma: SigmaParam): SigmaSource {
  if ("sigmaTicks" in sigma) return fixedSource(() => sigma.sigmaTicks);
  if ("sigmaBps" in sigma) return fixedSource((fairTicks) => (fairTicks * sigma.sigmaBps) / 10_000);
  const estimator =
    sigma.estimator === "ewma" ? new EwmaVolatility(sigma) : new RollingVolatility(sigma);
  return estimatedSource(sigma, estimator);
}

function fixedSource(ticksAt: (fairTicks: number) => number): SigmaSource {
  const at = (fairTicks: number): Sigma => ({ ticks: ticksAt(fairTicks), estimated: false });
  return { observe: () => {}, at, withParams: sigmaSource };
}

function estimatedSource(
  sigma: z.output<typeof estimated>,
  estimator: VolatilityEstimator,
): SigmaSource {
  const at = (fairTicks: number): Sigma => {
    const ticks = estimator.sigma;
    return ticks === undefined
      ? { ticks: (fairTicks * sigma.initialBps) / 10_000, estimated: false }
      : { ticks, estimated: true };
  };
  return {
    observe(midTicks, timeMs) {
      estimator.observe(midTicks, timeMs);
    },
    at,
    withParams: (changed) =>
      "estimator" in changed &&
      changed.estimator === sigma.estimator &&
      changed.windowMs === sigma.windowMs &&
      changed.sampleMs === sigma.sampleMs
        ? estimatedSource(changed, estimator)
        : sigmaSource(changed),
  };
}
