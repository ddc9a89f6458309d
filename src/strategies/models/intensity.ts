import { z } from "zod";
import { type FillIntensity, FillIntensityEstimator, type TradedView } from "./fill-intensity.js";

/** Maximum number of cells in a rolling window. */
const MAX_CELLS = 100_000;

/**
 * The `intensity` parameter: A and k estimated while it trades, in place of `aPerSecond` and
 * `kPerBps`.
 */
export const intensityField = z
  .strictObject({
    estimator: z
      .enum(["rolling", "ewma"])
      .describe(
        "rolling: cells within the window, equally weighted. ewma: cells whose weights fade with time.",
      ),
    windowMs: z
      .int()
      .min(1000)
      .max(86_400_000)
      .describe("rolling: the span that counts. ewma: time in which a cell's weight falls to 1/e.")
      .default(600_000),
    cellMs: z
      .int()
      .min(10)
      .max(600_000)
      .describe(
        "A cell is at least so long: it ends with the first view after it. Choose decide.everyMs no longer than this.",
      )
      .default(100),
    depthTicks: z
      .int()
      .min(3)
      .max(10_000)
      .describe("The fit takes the distances 0.5, 1.5 ... of the mid, so many of them.")
      .default(70),
    refitMs: z
      .int()
      .min(0)
      .max(3_600_000)
      .describe("At least so long from fit to fit.")
      .default(5000),
    minCells: z
      .number()
      .min(1)
      .max(MAX_CELLS)
      .describe(
        "No estimate while fewer cells, by weight, had a trade more than half a tick from the mid.",
      )
      .default(100),
    without: z
      .enum(["given", "wait"])
      .describe(
        "While there is no estimate. given: quotes with aPerSecond and kPerBps. wait: does not quote.",
      )
      .default("given"),
  })
  .superRefine(({ estimator, windowMs, cellMs, minCells }, context) => {
    const cells = windowMs / cellMs;
    const most = estimator === "rolling" ? MAX_CELLS : Number.POSITIVE_INFINITY;
    if (cells >= minCells && cells <= most) return;
    context.addIssue({
      code: "custom",
      path: ["windowMs"],
      input: windowMs,
      message:
        cells < minCells ? "holds fewer cells than an estimate needs" : "holds too many cells",
      params: {
        expected:
          cells < minCells
            ? `at least minCells times cellMs, ${minCells * cellMs}`
            : `at most ${MAX_CELLS * cellMs}`,
      },
    });
  })
  .describe(
    "Estimates A and k of the fill intensity from what trades. Default: aPerSecond and kPerBps as they are given.",
  )
  .optional();

/** A and k for the quotes of a strategy. */
export interface Intensity {
  readonly aPerSecond: number;
  readonly kPerBps: number;
  /** The terms of a reason; empty if the intensity is fixed. */
  readonly terms: Readonly<Record<string, number>>;
  /** True if there is no estimate yet, so that nothing is quoted. */
  readonly isWaiting: boolean;
}

/** Provides a strategy with a fill intensity for each view. */
export interface IntensitySource {
  /** Observes a view. Called once for each view, in order. */
  observe(view: TradedView): void;
  /** The intensity at the newest view. */
  readonly current: Intensity;
  /** The source of other parameters. It shares the estimate if the estimator is the same. */
  withParams(params: IntensityParams): IntensitySource;
}

/** The strategy parameters that {@link intensitySource} uses. */
export interface IntensityParams {
  readonly aPerSecond: number;
  readonly kPerBps: number;
  readonly intensity?: z.output<typeof intensityField>;
}

type IntensitySettings = NonNullable<IntensityParams["intensity"]>;

/** Creates the source for validated parameters. */
export function intensitySource(params: IntensityParams): IntensitySource {
  const { aPerSecond, kPerBps, intensity } = params;
  if (intensity !== undefined)
    return estimatingSource(params, intensity, new IntensityFit(intensity));
  const given: Intensity = { aPerSecond, kPerBps, terms: {}, isWaiting: false };
  return { observe: () => {}, current: given, withParams: intensitySource };
}

function estimatingSource(
  { aPerSecond, kPerBps }: IntensityParams,
  settings: IntensitySettings,
  fit: IntensityFit,
): IntensitySource {
  const without: Intensity = {
    aPerSecond,
    kPerBps,
    terms: { aPerSecond, kPerBps, intensityEstimated: 0 },
    isWaiting: settings.without === "wait",
  };
  return {
    observe(view) {
      fit.observe(view);
    },
    get current() {
      return fit.intensity ?? without;
    },
    withParams: (changed) =>
      changed.intensity !== undefined && isSameEstimator(changed.intensity, settings)
        ? estimatingSource(changed, changed.intensity, fit)
        : intensitySource(changed),
  };
}

/** True if both estimate the same; `without` only says what is quoted without an estimate. */
function isSameEstimator(a: IntensitySettings, b: IntensitySettings): boolean {
  return (
    a.estimator === b.estimator &&
    a.windowMs === b.windowMs &&
    a.cellMs === b.cellMs &&
    a.depthTicks === b.depthTicks &&
    a.refitMs === b.refitMs &&
    a.minCells === b.minCells
  );
}

/** The newest estimate, in the units of the quotes. */
class IntensityFit {
  readonly #estimator: FillIntensityEstimator;
  #fitted: FillIntensity | undefined;
  /** Undefined while there is no estimate. The same object until the next fit. */
  intensity: Intensity | undefined;

  constructor(settings: IntensitySettings) {
    this.#estimator = new FillIntensityEstimator(settings);
  }

  observe(view: TradedView): void {
    this.#estimator.observe(view);
    const fitted = this.#estimator.estimate;
    if (fitted === this.#fitted) return;
    this.#fitted = fitted;
    // In basis points of the mid at the time of the fit: k then stays constant until the next fit,
    // however the mid moves.
    this.intensity =
      fitted === undefined
        ? undefined
        : estimated(fitted.fillsPerSecond, (fitted.fillDecayPerTick * view.midTicks) / 10_000);
  }
}

function estimated(aPerSecond: number, kPerBps: number): Intensity {
  return {
    aPerSecond,
    kPerBps,
    terms: { aPerSecond, kPerBps, intensityEstimated: 1 },
    isWaiting: false,
  };
}

/** The clamp of a strategy without an estimate yet. */
export const WAITING_FOR_INTENSITY = "quotes: too few trades yet to estimate the fill intensity";
