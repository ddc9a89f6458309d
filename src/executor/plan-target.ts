import type { Lots, Ms, Side, Ticks } from "../core/units.js";
import { sideSign } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import { MAX_QUOTE_LEVELS } from "../risk/copy-intent.js";
import type { SliceSchedule, TargetIntent } from "../strategies/intent.js";
import { type BestPrices, distanceToTouch, opposingPrice } from "./crossing.js";
import type { Plan, PlannedCancel, PlannedPlace, PlannedWait, PlannedWithdrawal } from "./plan.js";
import type { Withheld } from "./withheld.js";
import {
  isSlotClosedBy,
  maxNewPositionLots,
  needsCancel,
  type WorkingOrder,
} from "./working-order.js";

/**
 * The slot level of slices, apart from every quote's, so that a quote with an unknown outcome does
 * not stop an unwind.
 */
export const TARGET_LEVEL = MAX_QUOTE_LEVELS;

/** The inputs of a plan for a target position. */
export interface TargetInput<Schedule = SliceSchedule> {
  readonly intent: TargetIntent & { readonly schedule: Schedule };
  /** Signed: pending and filled (docs/ideas/design.md#matched-is-not-filled). */
  readonly positionLots: Lots;
  /**
   * The own orders of this market. Orders that may no longer fill count only with their unreported
   * fills.
   */
  readonly working: readonly WorkingOrder[];
  readonly rules: Pick<MarketRules, "minTicks" | "maxTicks" | "minLots" | "maxLots">;
  /** The newest touch of the exchange's book, without our own orders. */
  readonly touch: BestPrices;
  /** Best prices of the account's manual orders. A slice never reaches them. */
  readonly foreignTouch: BestPrices;
  /**
   * Maximum distance of a slice beyond the touch, in ticks. The intent's worst price bounds it as
   * well.
   */
  readonly reachTicks: number;
  /** Time at which the last slice of this intent was sent; undefined before the first. */
  readonly lastSliceAtMs: Ms | undefined;
  /** Exchange time. */
  readonly nowMs: Ms;
}

/**
 * State of the work on a target.
 * - `clearing`: other orders are cancelled first.
 * - `offering`: quotes alone work the position.
 * - `working`: a slice is sent.
 * - `waiting`: for a slice's response, for its time, or for a price within bounds.
 * - `done`: the target is reached.
 * - `dust`: the remainder is below the market's minimum.
 * - `expired`: the deadline has passed; the remainder stays.
 */
export type TargetState =
  | "clearing"
  | "offering"
  | "working"
  | "waiting"
  | "done"
  | "dust"
  | "expired";

/** A {@link Plan} towards a position, with the state of the work. */
export interface TargetPlan extends Plan {
  readonly state: TargetState;
  /** Signed lots missing to the target, without orders in flight. */
  readonly remainingLots: Lots;
  /** Time at which the next slice may be sent; undefined if none will be. */
  readonly nextSliceAtMs: Ms | undefined;
  readonly why: string;
}

/**
 * Works a position towards its target by slices: IOC orders, one at a time and one each `everyMs`.
 * No slice is beyond the intent's worst price, or further than `reachTicks` beyond the touch. Other
 * orders of the market are cancelled before the first slice. Orders in flight count at full size,
 * so that no outcome overshoots the target. A pure function.
 */
export function planTarget(input: TargetInput): TargetPlan {
  const { intent, positionLots, working, nowMs, rules } = input;
  const remainingLots = intent.targetLots - positionLots;
  const live = working.filter(isSlotClosedBy);
  const cleared = takeDown(input, live);
  const end = (state: TargetState, why: string, withheld: readonly Withheld[] = []): TargetPlan => {
    const isOver = state === "done" || state === "dust" || state === "expired";
    const nextSliceAtMs = isOver
      ? undefined
      : Math.max(
          nowMs,
          (input.lastSliceAtMs ?? nowMs - intent.schedule.everyMs) + intent.schedule.everyMs,
        );
    // The spread comes last: adding a key to a spread object costs more than all else here.
    return {
      places: [],
      keeps: [],
      withheld,
      state,
      remainingLots,
      nextSliceAtMs,
      why,
      ...cleared,
    };
  };

  if (nowMs >= intent.deadlineMs)
    return end("expired", `the deadline has passed; ${remainingLots} lots remain`);
  const clearing = live.find((order) => !isSlice(order) && order.phase !== "unknown");
  if (clearing !== undefined)
    return end(
      "clearing",
      `${clearing.side} ${clearing.hash} is cancelled first (${clearing.phase})`,
    );
  const slice = live.find(isSlice);
  if (slice !== undefined)
    return end("waiting", `slice ${slice.hash} may still fill (${slice.phase})`);
  const underWay = working.reduce((sum, order) => sum + maxNewPositionLots(order), 0);
  if (remainingLots === 0) {
    return underWay === 0
      ? end("done", "the target is reached")
      : end("waiting", `${underWay} lots may still fill`);
  }

  const side: Side = remainingLots > 0 ? "BUY" : "SELL";
  const sameSide = working.reduce(
    (sum, order) => sum + (order.side === side ? maxNewPositionLots(order) : 0),
    0,
  );
  const wantedLots = Math.abs(remainingLots) - sameSide;
  if (wantedLots < rules.minLots) {
    if (underWay > 0) return end("waiting", `${underWay} lots may still fill`);
    return end(
      "dust",
      `${wantedLots} lots remain, the market's smallest order is ${rules.minLots}`,
    );
  }
  const turnAtMs =
    input.lastSliceAtMs === undefined ? nowMs : input.lastSliceAtMs + intent.schedule.everyMs;
  if (nowMs < turnAtMs) return end("waiting", `the next slice is sent in ${turnAtMs - nowMs} ms`);

  const lots = computeSliceLots(wantedLots, intent.schedule.sliceLots, rules);
  if (lots < rules.minLots) {
    return end("waiting", "withheld", [
      {
        side,
        level: TARGET_LEVEL,
        ticks: intent.worstTicks,
        lots,
        why: `a slice of ${lots} lots is less than the market's ${rules.minLots}`,
      },
    ]);
  }
  const price = chooseSlicePrice(input, side, live);
  if (typeof price === "string") {
    return end("waiting", price, [
      { side, level: TARGET_LEVEL, ticks: intent.worstTicks, lots, why: price },
    ]);
  }
  const why = `slice towards ${intent.targetLots} lots, ${remainingLots} remain`;
  const place = createSlice({ side, ticks: price, lots, why });
  const nextSliceAtMs = nowMs + intent.schedule.everyMs;
  return {
    places: [place],
    keeps: [],
    withheld: [],
    state: "working",
    remainingLots,
    nextSliceAtMs,
    why,
    ...cleared,
  };
}

/** Creates a slice: an immediate order in the slot of slices. */
export function createSlice({
  side,
  ticks,
  lots,
  why,
}: Pick<PlannedPlace, "side" | "ticks" | "lots" | "why">): PlannedPlace {
  return {
    side,
    level: TARGET_LEVEL,
    quoteLevel: TARGET_LEVEL,
    ticks,
    lots,
    timeInForce: "IOC",
    expirationMs: 0,
    why,
  };
}

/** Returns true if an order is a slice of a target position. */
export function isSlice(order: Pick<WorkingOrder, "level">): boolean {
  return order.level === TARGET_LEVEL;
}

/** Cancels every order that is not a slice, the most dangerous first. */
function takeDown(
  { touch, nowMs }: TargetInput,
  live: readonly WorkingOrder[],
): Pick<Plan, "cancels" | "withdrawals" | "waits"> {
  const cancels: PlannedCancel[] = [];
  const withdrawals: PlannedWithdrawal[] = [];
  const waits: PlannedWait[] = [];
  for (const order of live) {
    const { hash, side, level, phase } = order;
    if (phase === "intended" && !isSlice(order))
      withdrawals.push({ hash, side, level, why: "the bot works a target position" });
    // A slice is immediate. If the exchange shows it as open, the report of its end is lost, and it
    // must be cancelled.
    else if (needsCancel(order, nowMs)) {
      const why = isSlice(order)
        ? "an immediate order that is still open"
        : "the bot works a target position";
      cancels.push({
        hash,
        orderId: order.orderId,
        side,
        level,
        distanceTicks: distanceToTouch(side, order.ticks, touch),
        why,
      });
    } else waits.push({ hash, side, level, phase, why: "may still fill" });
  }
  cancels.sort((a, b) =>
    a.distanceTicks === b.distanceTicks ? 0 : a.distanceTicks - b.distanceTicks,
  );
  return { cancels, withdrawals, waits };
}

/**
 * The lots of the next slice: at most the schedule's slice and the market's maximum. It is a little
 * less if the remainder would otherwise be too small to trade.
 */
export function computeSliceLots(
  wantedLots: Lots,
  sliceLots: Lots,
  { minLots, maxLots }: Pick<MarketRules, "minLots" | "maxLots">,
): Lots {
  const lots = Math.min(wantedLots, sliceLots, maxLots);
  const rest = wantedLots - lots;
  const shorter = wantedLots - minLots;
  return rest > 0 && rest < minLots && shorter >= minLots ? Math.min(lots, shorter) : lots;
}

/** The reason for waiting when the other side of the book is empty. */
export const EMPTY_SIDE_REASON = "the other side of the book is empty";

/** The price limit of a slice, or the reason why there is none now. */
export function chooseSlicePrice(
  input: TargetInput<unknown>,
  side: Side,
  live: readonly WorkingOrder[],
): Ticks | string {
  const { touch, foreignTouch, intent, reachTicks, rules } = input;
  const best = opposingPrice(side, touch);
  if (best === undefined) return EMPTY_SIDE_REASON;
  const towards = sideSign(side);
  // A slice must not trade with the account's other orders: it stops one tick before the first of
  // them.
  const stops = live.filter((order) => order.side !== side).map((order) => order.ticks - towards);
  const manual = opposingPrice(side, foreignTouch);
  if (manual !== undefined) stops.push(manual - towards);
  const bounds = [
    best + towards * reachTicks,
    intent.worstTicks,
    ...stops,
    side === "BUY" ? rules.maxTicks : rules.minTicks,
  ];
  const price = side === "BUY" ? Math.floor(Math.min(...bounds)) : Math.ceil(Math.max(...bounds));
  if ((best - price) * towards > 0)
    return `the touch at ${best} is beyond ${price}, the worst price that bounds and own orders allow`;
  return price;
}
