import { z } from "zod";
import { HEDGE_BREAKS } from "../hedge/hedge-breaks.js";
import {
  HEDGE_CALM_AFTER_MS,
  HEDGE_CALM_BEFORE_MS,
  HEDGE_MS,
  type HedgePlan,
  hedgePlanOf,
} from "../hedge/hedge-plan.js";
import { runHedgePlan } from "../hedge/run-hedge.js";
import { START_MS } from "../seed-plan.js";
import { faultWindow, strike, time } from "./plan-schemas.js";
import { preparedBy, type StoryMode } from "./story-mode.js";

const hedgePlan = z.strictObject({
  seed: z.int().nonnegative(),
  marketMs: time.positive(),
  hedge: z.strictObject({
    ratio: z.number(),
    maxUnhedgedBase: z.string(),
    maxUnhedgedMs: time,
    style: z.enum(["taker", "maker-then-taker"]),
    maxSlippageBps: z.number(),
    minClipBase: z.string().optional(),
    whenAway: z.enum(["reduce", "halt"]),
  }),
  reconcileMs: time,
  stepMilli: z.number(),
  isPegged: z.boolean(),
  maxReferenceAgeMs: time,
  bpsPerSqrtSecond: z.number(),
  lagMs: time,
  primaryFailureRate: z.number(),
  hedgeFailureRate: z.number(),
  primaryFaults: z.array(faultWindow),
  hedgeFaults: z.array(faultWindow),
  primaryStrikes: z.array(strike).optional(),
  hedgeStrikes: z.array(strike).optional(),
  silences: z.array(z.strictObject({ fromMs: time, untilMs: time })),
}) as unknown as z.ZodType<HedgePlan>;

/** The market maker and its hedge. */
export const HEDGE_MODE: StoryMode<HedgePlan> = {
  name: "hedge",
  marketMs: HEDGE_MS,
  breaks: HEDGE_BREAKS,
  schema: hedgePlan,
  shape: {
    lists: ["primaryFaults", "hedgeFaults", "silences"],
    scripted: [
      { windows: "primaryFaults", strikes: "primaryStrikes" },
      { windows: "hedgeFaults", strikes: "hedgeStrikes" },
    ],
    simpler: [
      { path: ["primaryFailureRate"], value: 0 },
      { path: ["hedgeFailureRate"], value: 0 },
      { path: ["isPegged"], value: false },
      { path: ["lagMs"], value: 0 },
      { path: ["stepMilli"], value: 1 },
      { path: ["hedge", "ratio"], value: 1 },
      { path: ["hedge", "style"], value: "taker" },
      { path: ["hedge", "minClipBase"], value: undefined },
    ],
    fewerMarkets: () => [],
    startMs: START_MS,
    calmBeforeMs: HEDGE_CALM_BEFORE_MS,
    calmAfterMs: HEDGE_CALM_AFTER_MS,
    withLength: (plan, marketMs) => ({ ...plan, marketMs }),
  },
  draw: (seed, marketMs, breakName) => {
    const drawn = hedgePlanOf(seed, marketMs);
    return breakNamed(breakName)?.plan?.(drawn) ?? drawn;
  },
  run: (plan, breakName, options) => runHedgePlan(plan, breakNamed(breakName), options),
  replayParts: (plan, breakName) => {
    const change = breakNamed(breakName)?.bot;
    return preparedBy(change && ((rig) => change(rig, plan)));
  },
};

function breakNamed(name: string | undefined) {
  return HEDGE_BREAKS.find((broken) => broken.name === name);
}
