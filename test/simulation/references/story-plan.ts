import type { SourceTraits } from "#simulation/simulated-source.js";
import type { ReferencePlan } from "./reference-plan.js";

/** The settings that a story may change. */
export interface StoryOptions {
  readonly sources: 1 | 2 | 3;
  readonly maxAgeMs?: number;
  readonly maxDeviationBps?: number;
}

/** A calm plan without faults: the story switches them. */
export function storyPlan({
  sources,
  maxAgeMs = 1_500,
  maxDeviationBps = 30,
}: StoryOptions): ReferencePlan {
  return {
    seed: "story",
    marketMs: 60_000,
    sources: Array.from(
      { length: sources },
      (_, at): SourceTraits => ({
        name: `source-${at + 1}`,
        weight: 1,
        multiplier: 1,
        offsetBps: at - 1,
        halfSpreadBps: 0.5,
        everyMs: 100,
        latencyMs: 5,
        hasOwnTime: true,
      }),
    ),
    reference: {
      combine: "median",
      maxAgeMs,
      maxDeviationBps,
      minSources: Math.min(2, sources),
      onStale: "halt",
      basis: { halfLifeMs: 5_000, maxBasisBps: 10 },
    },
    venueBasisBps: 4,
    bpsPerSqrtSecond: 0.3,
    faults: [],
  };
}
