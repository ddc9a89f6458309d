import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import type { SourceTraits } from "#simulation/simulated-source.js";

/** The faults that can hit reference sources, or the clock that ages them. */
export const REFERENCE_FAULTS = [
  "source-silent",
  "source-late",
  "source-crossed",
  "source-one-sided",
  "source-jumps",
  "source-reconnects",
  "source-old-price",
  "source-clock-off",
  "sources-part",
  "clock-step",
] as const;

export type ReferenceFaultKind = (typeof REFERENCE_FAULTS)[number];

/** A stretch of time with a fault. */
export interface ReferenceFaultWindow {
  readonly kind: ReferenceFaultKind;
  /** Position of the source among the sources. */
  readonly source: number;
  /** Both since the start. */
  readonly fromMs: Ms;
  readonly untilMs: Ms;
  /** Milliseconds or basis points, with a sign, as the kind needs. */
  readonly size: number;
}

/** Everything that a seed decides before its run begins. */
export interface ReferencePlan {
  readonly seed: string;
  readonly marketMs: Ms;
  readonly sources: readonly SourceTraits[];
  readonly reference: {
    readonly combine: "median" | "mean";
    readonly maxAgeMs: Ms;
    readonly maxDeviationBps: number;
    readonly minSources: number;
    readonly onStale: "halt" | "widen" | "book";
    readonly basis: { readonly halfLifeMs: Ms; readonly maxBasisBps: number };
  };
  /** The exchange's lasting difference from the true price. */
  readonly venueBasisBps: number;
  readonly bpsPerSqrtSecond: number;
  readonly faults: readonly ReferenceFaultWindow[];
}

/** Market time of a seed. */
export const REFERENCE_MS: Ms = 120_000;
/** Time before the first fault, and after the last one. */
export const REFERENCE_CALM_BEFORE_MS: Ms = 8_000;
export const REFERENCE_CALM_AFTER_MS: Ms = 15_000;
const LONGEST_FAULT_MS: Ms = 9_000;
/** Mean time between the beginnings of two faults. */
const FAULT_EVERY_MS: Ms = 4_000;

/** Draws the plan of a seed. */
export function referencePlanOf(seed: number, marketMs: Ms): ReferencePlan {
  const random = seededRandom(`reference plan ${seed}`);
  const pick = <T>(choices: readonly T[]): T =>
    choices[Math.floor(random.uniform() * choices.length)] as T;
  const sources = Array.from({ length: pick([2, 3, 3]) }, (_, at) => traitsOf(at, random, pick));
  const maxDeviationBps = pick([20, 40]);
  return {
    seed: `${seed}`,
    marketMs,
    sources,
    reference: {
      combine: pick(["median", "mean"]),
      maxAgeMs: pick([800, 1_500, 2_500]),
      maxDeviationBps,
      minSources: pick([2, 2, 2, 1]),
      onStale: pick(["halt", "halt", "halt", "halt", "widen", "book"]),
      basis: { halfLifeMs: pick([3_000, 8_000]), maxBasisBps: pick([6, 15]) },
    },
    venueBasisBps: 16 * random.uniform() - 8,
    bpsPerSqrtSecond: pick([0.3, 0.8]),
    faults: faultsOf(random, pick, { count: sources.length, marketMs, maxDeviationBps }),
  };
}

type Pick = <T>(choices: readonly T[]) => T;

function traitsOf(at: number, random: Random, pick: Pick): SourceTraits {
  return {
    name: `source-${at + 1}`,
    // None has as much weight as two others: it would be no outlier.
    weight: pick([1, 1, 1.5]),
    multiplier: pick([1, 1, 1_000]),
    offsetBps: 3 * random.uniform() - 1.5,
    halfSpreadBps: 0.1 + random.uniform(),
    everyMs: pick([50, 100, 250]),
    latencyMs: pick([2, 20, 120]),
    hasOwnTime: random.uniform() < 0.75,
  };
}

function faultsOf(
  random: Random,
  pick: Pick,
  {
    count,
    marketMs,
    maxDeviationBps,
  }: { readonly count: number; readonly marketMs: Ms; readonly maxDeviationBps: number },
): readonly ReferenceFaultWindow[] {
  const windows: ReferenceFaultWindow[] = [];
  const lastMs = marketMs - REFERENCE_CALM_AFTER_MS - LONGEST_FAULT_MS;
  for (
    let fromMs = REFERENCE_CALM_BEFORE_MS;
    fromMs < lastMs;
    fromMs += FAULT_EVERY_MS * (0.1 + 1.8 * random.uniform())
  ) {
    const kind = pick(REFERENCE_FAULTS);
    windows.push({
      kind,
      source: Math.floor(random.uniform() * count),
      fromMs,
      untilMs: fromMs + 300 + random.uniform() * (LONGEST_FAULT_MS - 300),
      size: sizeOf(kind, random, maxDeviationBps),
    });
  }
  return windows;
}

function sizeOf(kind: ReferenceFaultKind, random: Random, maxDeviationBps: number): number {
  const sign = random.uniform() < 0.5 ? -1 : 1;
  const share = random.uniform();
  if (kind === "source-late") return 300 + 6_000 * share;
  if (kind === "source-clock-off" || kind === "clock-step") return sign * (300 + 8_000 * share);
  // From within the allowed deviation to many times it.
  return sign * maxDeviationBps * (0.3 + 8 * share ** 2);
}
