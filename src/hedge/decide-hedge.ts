import { ceilDivide } from "../core/bigints.js";
import type { Lots, Ms, Side, Ticks } from "../core/units.js";
import { roundAwayFromTouch } from "../core/units.js";
import { type HedgeOrder, mayFillHedgeLots } from "./hedge-order.js";
import type { HedgeContract } from "./hedge-venue.js";

/** How a market is hedged, in the venue's lots. */
export interface HedgeSettings {
  readonly style: "taker" | "maker-then-taker";
  /** Smallest hedge. */
  readonly minClipLots: Lots;
  /** More than this is taken, and may be unhedged for `maxUnhedgedMs` only. */
  readonly maxUnhedgedLots: Lots;
  readonly maxUnhedgedMs: Ms;
  /** Worst price, from the mid of the venue's book. */
  readonly maxSlippageBps: number;
}

/** Best bid and ask of the venue. */
export interface HedgeTouch {
  readonly bidTicks: Ticks;
  readonly askTicks: Ticks;
}

/** Everything that the next step of a hedge depends on. */
export interface HedgeSituation {
  readonly contract: Pick<HedgeContract, "instrument" | "minLots" | "maxLots" | "minNotional">;
  readonly settings: HedgeSettings;
  readonly touch: HedgeTouch;
  /** Signed position at the venue. */
  readonly positionLots: Lots;
  /** Signed position that hedges the market. */
  readonly targetLots: Lots;
  /** How long there has been something to hedge, without a break. */
  readonly unhedgedForMs: Ms;
  /** The order that may still fill. There is never a second one. */
  readonly working: HedgeOrder | undefined;
  /** False while the bot stops: nothing is left resting. */
  readonly mayRest: boolean;
}

/** The next step of a hedge. */
export type HedgeStep =
  | { readonly step: "nothing"; readonly why: string }
  | { readonly step: "cancel"; readonly order: HedgeOrder; readonly why: string }
  | {
      readonly step: "place";
      readonly side: Side;
      readonly lots: Lots;
      readonly ticks: Ticks;
      readonly timeInForce: "IOC" | "POST_ONLY";
      readonly isReduceOnly: boolean;
    };

/**
 * Decides the next step of a hedge. A pure function. While one order may still fill there is no
 * second one, so that a fill is never hedged twice.
 */
export function decideHedge(situation: HedgeSituation): HedgeStep {
  const { settings, positionLots, targetLots, working } = situation;
  const neededLots = targetLots - positionLots;
  const side: Side = neededLots > 0 ? "BUY" : "SELL";
  const isReduceOnly = isReducing(positionLots, neededLots);
  const clipLots = smallestHedge(situation, isReduceOnly);
  const mustTake =
    settings.style === "taker" ||
    !situation.mayRest ||
    Math.abs(neededLots) > settings.maxUnhedgedLots ||
    situation.unhedgedForMs > settings.maxUnhedgedMs;
  if (working !== undefined)
    return decideWorking(situation, working, { neededLots, side, clipLots, mustTake });
  if (Math.abs(neededLots) < clipLots)
    return { step: "nothing", why: neededLots === 0 ? "hedged" : "less than the smallest hedge" };
  const lots = Math.min(Math.abs(neededLots), situation.contract.maxLots);
  return {
    step: "place",
    side,
    lots,
    ticks: mustTake ? worstTicks(situation, side) : ownTouch(situation.touch, side),
    timeInForce: mustTake ? "IOC" : "POST_ONLY",
    isReduceOnly,
  };
}

/** The least that can be hedged by an order now: the configured clip, or the venue's own. */
export function smallestHedge(
  { contract, settings, touch }: Pick<HedgeSituation, "contract" | "settings" | "touch">,
  isReduceOnly: boolean,
): Lots {
  const { instrument, minLots, minNotional } = contract;
  const clipLots = Math.max(settings.minClipLots, minLots);
  if (isReduceOnly || minNotional === 0n) return clipLots;
  // Valued at the lowest price that an order may have, and so enough for each.
  const lotValue = instrument.creditFloor(worstTicks({ touch, settings }, "SELL"), 1);
  if (lotValue <= 0n) return clipLots;
  return Math.max(clipLots, Number(ceilDivide(minNotional, lotValue)));
}

interface Needed {
  readonly neededLots: Lots;
  readonly side: Side;
  readonly clipLots: Lots;
  readonly mustTake: boolean;
}

function decideWorking(
  { touch }: HedgeSituation,
  working: HedgeOrder,
  { neededLots, side, clipLots, mustTake }: Needed,
): HedgeStep {
  const nothing = (why: string): HedgeStep => ({ step: "nothing", why });
  if (working.phase === "sent" || working.phase === "unknown")
    return nothing("waits for the fate of its order");
  if (working.phase === "cancelling") return nothing("waits for the end of its order");
  if (working.timeInForce === "IOC") return nothing("waits for the end of its order");
  const cancel = (why: string): HedgeStep => ({ step: "cancel", order: working, why });
  const workingLots = mayFillHedgeLots(working);
  if (working.timeInForce === undefined) return cancel("an order of an earlier run");
  if (neededLots === 0 || side !== working.side) return cancel("is not needed any more");
  if (Math.abs(neededLots) < workingLots) return cancel("is larger than needed");
  if (mustTake) return cancel("rested too long, or too much is unhedged");
  if (Math.abs(neededLots) >= workingLots + clipLots) return cancel("is smaller than needed");
  if (working.ticks !== ownTouch(touch, side)) return cancel("the touch has moved");
  return nothing("rests at the touch");
}

function isReducing(positionLots: Lots, neededLots: Lots): boolean {
  return (
    Math.sign(neededLots) === -Math.sign(positionLots) &&
    Math.abs(neededLots) <= Math.abs(positionLots)
  );
}

function ownTouch({ bidTicks, askTicks }: HedgeTouch, side: Side): Ticks {
  return side === "BUY" ? bidTicks : askTicks;
}

/** The worst price that is still within the bound, on the grid. */
function worstTicks(
  { touch, settings }: Pick<HedgeSituation, "touch" | "settings">,
  side: Side,
): Ticks {
  const midTicks = (touch.bidTicks + touch.askTicks) / 2;
  const distance = (midTicks * settings.maxSlippageBps) / 10_000;
  const worst = side === "BUY" ? midTicks + distance : midTicks - distance;
  return Math.max(1, roundAwayFromTouch(side, worst));
}
