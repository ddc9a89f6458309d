import { START_MS } from "../seed-plan.js";
import { runWholePlan } from "../whole/run-whole.js";
import { WHOLE_BREAKS } from "../whole/whole-breaks.js";
import {
  WHOLE_CALM_BEFORE_MS,
  WHOLE_CALM_MS,
  WHOLE_MS,
  type WholePlan,
  wholePlanOf,
} from "../whole/whole-plan.js";
import { SIMPLER_EXCHANGE, withOneMarket } from "./maker-mode.js";
import { wholePlan } from "./plan-schemas.js";
import { preparedBy, type StoryMode } from "./story-mode.js";

/** The whole system. */
export const WHOLE_MODE: StoryMode<WholePlan> = {
  name: "whole",
  marketMs: WHOLE_MS,
  breaks: WHOLE_BREAKS,
  schema: wholePlan,
  shape: {
    lists: ["faults", "outages", "triggers"],
    scripted: [{ windows: "faults", strikes: "strikes" }],
    simpler: [
      { path: ["endsDisturbed"], value: false },
      { path: ["rpcs"], value: 1 },
      { path: ["bot", "chain", "confirmations"], value: 1 },
      { path: ["bot", "liquidator", "takeUpTo"], value: "position" },
      ...SIMPLER_EXCHANGE,
    ],
    fewerMarkets: withOneMarket,
    startMs: START_MS,
    calmBeforeMs: WHOLE_CALM_BEFORE_MS,
    calmAfterMs: WHOLE_CALM_MS,
    withLength: (plan, marketMs) => {
      const endMs = START_MS + marketMs;
      const faultsEndMs = plan.endsDisturbed ? endMs + 60_000 : endMs - WHOLE_CALM_MS;
      return { ...plan, marketMs, faultsEndMs };
    },
  },
  draw: (seed, marketMs, breakName) => {
    const drawn = wholePlanOf(seed, marketMs);
    return breakNamed(breakName)?.plan?.(drawn) ?? drawn;
  },
  run: (plan, breakName, options) => runWholePlan(plan, breakNamed(breakName), options),
  replayParts: (_, breakName) => {
    const change = breakNamed(breakName)?.bot;
    return preparedBy(change && (({ bot }) => change(bot)));
  },
};

function breakNamed(name: string | undefined) {
  return WHOLE_BREAKS.find((broken) => broken.name === name);
}
