import { z } from "zod";
import { REFERENCE_BREAKS } from "../references/reference-breaks.js";
import {
  REFERENCE_CALM_AFTER_MS,
  REFERENCE_CALM_BEFORE_MS,
  REFERENCE_FAULTS,
  REFERENCE_MS,
  type ReferencePlan,
  referencePlanOf,
} from "../references/reference-plan.js";
import { referenceStrategy } from "../references/reference-strategy.js";
import { REFERENCE_MARKET } from "../references/reference-world.js";
import { runReferencePlan } from "../references/run-references.js";
import { START_MS } from "../seed-plan.js";
import { time } from "./plan-schemas.js";
import { preparedBy, type StoryMode } from "./story-mode.js";

const referencePlan = z.strictObject({
  seed: z.string(),
  marketMs: time.positive(),
  sources: z.array(
    z.strictObject({
      name: z.string(),
      weight: z.number(),
      multiplier: z.number(),
      offsetBps: z.number(),
      halfSpreadBps: z.number(),
      everyMs: time,
      latencyMs: time,
      hasOwnTime: z.boolean(),
    }),
  ),
  reference: z.strictObject({
    combine: z.enum(["median", "mean"]),
    maxAgeMs: time,
    maxDeviationBps: z.number(),
    minSources: z.int().positive(),
    onStale: z.enum(["halt", "widen", "book"]),
    basis: z.strictObject({ halfLifeMs: time, maxBasisBps: z.number() }),
  }),
  venueBasisBps: z.number(),
  bpsPerSqrtSecond: z.number(),
  faults: z.array(
    z.strictObject({
      kind: z.enum(REFERENCE_FAULTS),
      source: z.int().nonnegative(),
      fromMs: time,
      untilMs: time,
      size: z.number(),
    }),
  ),
});

/** The market maker priced by outside sources. The times of its plan are since the start. */
export const REFERENCE_MODE: StoryMode<ReferencePlan> = {
  name: "references",
  marketMs: REFERENCE_MS,
  breaks: REFERENCE_BREAKS,
  schema: referencePlan,
  shape: {
    lists: ["faults"],
    scripted: [],
    simpler: [
      { path: ["venueBasisBps"], value: 0 },
      { path: ["bpsPerSqrtSecond"], value: 0.3 },
      { path: ["reference", "combine"], value: "median" },
      { path: ["reference", "onStale"], value: "halt" },
      { path: ["sources", "*", "weight"], value: 1 },
      { path: ["sources", "*", "multiplier"], value: 1 },
      { path: ["sources", "*", "offsetBps"], value: 0 },
      { path: ["sources", "*", "hasOwnTime"], value: true },
    ],
    fewerMarkets: () => [],
    startMs: 0,
    calmBeforeMs: REFERENCE_CALM_BEFORE_MS,
    calmAfterMs: REFERENCE_CALM_AFTER_MS,
    withLength: (plan, marketMs) => ({ ...plan, marketMs }),
  },
  draw: (seed, marketMs) => referencePlanOf(seed, marketMs),
  run: async (plan, breakName, { untilMs, ...options }) => {
    const broken = REFERENCE_BREAKS.find(({ name }) => name === breakName);
    const run = await runReferencePlan(plan, broken, {
      ...options,
      ...(untilMs === undefined ? {} : { untilMs: START_MS + untilMs }),
    });
    const violations = run.violations.map((one) => ({ ...one, atMs: one.atMs - START_MS }));
    return { ...run, violations };
  },
  replayParts: (_, breakName) => ({
    ...preparedBy(REFERENCE_BREAKS.find(({ name }) => name === breakName)?.bot),
    strategies: new Map([[REFERENCE_MARKET, referenceStrategy().bind({})]]),
  }),
};
