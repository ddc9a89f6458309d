import { BREAKS } from "../breaks.js";
import { CALM_AFTER_MS, CALM_BEFORE_MS, planOf, type SeedPlan, START_MS } from "../seed-plan.js";
import { runPlan } from "../world.js";
import { makerPlan } from "./plan-schemas.js";
import { type PlanShape, preparedBy, type SimplerValue, type StoryMode } from "./story-mode.js";

/** Values that make a run on the embedded exchange simpler. */
export const SIMPLER_EXCHANGE: readonly SimplerValue[] = [
  { path: ["exchange", "settlement", "failureRate"], value: 0 },
  { path: ["exchange", "rateLimits", "common"], value: 1_000_000 },
  { path: ["exchange", "rateLimits", "order"], value: 1_000_000 },
  { path: ["exchange", "streams", "maxAgeMs"], value: 43_200_000 },
  { path: ["exchange", "streams", "pings"], value: "both" },
  { path: ["exchange", "markets", "*", "flow", "preset"], value: "quiet" },
  { path: ["bot", "exchange", "placement"], value: "local" },
  { path: ["bot", "quotes", "timeInForce"], value: "POST_ONLY" },
  { path: ["bot", "quotes", "priceToleranceTicks"], value: 0 },
  { path: ["bot", "quotes", "sizeToleranceFraction"], value: 0 },
  { path: ["bot", "decide", "onFill"], value: false },
  { path: ["bot", "markets", "*", "params", "levels"], value: 1 },
  { path: ["bot", "markets", "*", "params", "priceSkewBps"], value: 0 },
];

/** How the plan of a market maker can be made smaller. */
export const MAKER_SHAPE: PlanShape<SeedPlan> = {
  lists: ["faults"],
  scripted: [{ windows: "faults", strikes: "strikes" }],
  simpler: [
    { path: ["manualEveryMs"], value: 0 },
    { path: ["transfersEveryMs"], value: 0 },
    { path: ["realSignatures"], value: false },
    ...SIMPLER_EXCHANGE,
  ],
  fewerMarkets: withOneMarket,
  startMs: START_MS,
  calmBeforeMs: CALM_BEFORE_MS,
  calmAfterMs: CALM_AFTER_MS,
  withLength: (plan, marketMs) => ({ ...plan, marketMs }),
};

/** The market maker alone. */
export const MAKER_MODE: StoryMode<SeedPlan> = {
  name: "maker",
  marketMs: 3_600_000,
  breaks: BREAKS,
  schema: makerPlan,
  shape: MAKER_SHAPE,
  draw: (seed, marketMs, breakName) => {
    const drawn = planOf(seed, marketMs);
    return breakNamed(breakName)?.plan?.(drawn) ?? drawn;
  },
  run: (plan, breakName, options) => runPlan(plan, breakNamed(breakName), options),
  replayParts: (_, breakName) => preparedBy(breakNamed(breakName)?.bot),
};

function breakNamed(name: string | undefined) {
  return BREAKS.find((broken) => broken.name === name);
}

/** The plans with one of several markets. */
export function withOneMarket<Plan extends Pick<SeedPlan, "exchange" | "bot">>(
  plan: Plan,
): readonly Plan[] {
  const markets = Object.keys(plan.bot.markets);
  if (markets.length < 2) return [];
  return markets.map((id) => {
    const only = <Value>(all: Readonly<Record<string, Value>>): Record<string, Value> =>
      Object.fromEntries(Object.entries(all).filter(([market]) => market === id));
    const { exchange, bot } = plan;
    return {
      ...plan,
      exchange: { ...exchange, markets: only(exchange.markets) },
      bot: { ...bot, markets: only(bot.markets) },
    };
  });
}
