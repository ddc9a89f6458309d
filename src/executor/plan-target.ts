import type { Lots, Ms, Side, Ticks } from "../core/units.js";
import { sideSign } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import { MAX_QUOTE_LEVELS } from "../risk/copy-intent.js";
import type { SliceSchedule, TargetIntent } from "../strategies/intent.js";
import { type BestPrices, distanceToTouch, opposingPrice } from "./crossing.js";
import type {
  Plan,
  PlannedCancel,
  PlannedPlace,
  PlannedWait,
  PlannedWithdrawal,
  Withheld,
} from "./plan.js";
import {
  isSlotClosedBy,
  maxNewPositionLots,
  needsCancel,
  type WorkingOrder,
} from "./working-order.js";

/** The level of the slot that slices live in, apart from every quote's, so that an unknown quote does not stop an unwinding. */
export const TARGET_LEVEL = MAX_QUOTE_LEVELS;

/** Everything that a plan for a target position depends on. */
export interface TargetInput<Schedule = SliceSchedule> {
  readonly intent: TargetIntent & { readonly schedule: Schedule };
  /** Signed: pending and filled (docs/ideas/design.md#matched-is-not-filled). */
  readonly positionLots: Lots;
  /** The own orders of this market. Those that may no longer fill count only by what they may already have filled untold. */
  readonly working: readonly WorkingOrder[];
  readonly rules: Pick<MarketRules, "minTicks" | "maxTicks" | "minLots" | "maxLots">;
  /** The newest touch of the exchange's book, without our own orders. */
  readonly touch: BestPrices;
  /** Best prices of the account's manual orders: a slice never reaches them. */
  readonly foreignTouch: BestPrices;
  /** How far beyond the touch a slice may reach, in ticks; the intent's worst price bounds it in any case. */
  readonly reachTicks: number;
  /** When the last slice of this intent left; undefined before the first. */
  readonly lastSliceAtMs: Ms | undefined;
  /** Exchange time. */
  readonly nowMs: Ms;
}

/**
 * Where the work stands. `clearing`: other orders come down first. `offering`: quotes alone work it. `working`: a slice leaves. `waiting`: for a slice's answer, for its
 * turn, or for a price within bounds. `done`: the target is reached. `dust`: what remains is less than the market takes. `expired`: the
 * deadline has passed; what remains stays.
 */
export type TargetState =
  | "clearing"
  | "offering"
  | "working"
  | "waiting"
  | "done"
  | "dust"
  | "expired";

/** A {@link Plan} towards a position, with where the work stands. */
export interface TargetPlan extends Plan {
  readonly state: TargetState;
  /** Signed: what is missing to the target, orders under way not counted. */
  readonly remainingLots: Lots;
  /** When the next slice may leave; undefined when none will. */
  readonly nextSliceAtMs: Ms | undefined;
  readonly why: string;
}

/**
 * Works a position towards its target by slices: IOC orders, one at a time and one each `everyMs`, never beyond the intent's worst price
 * nor further than `reachTicks` beyond the touch. Other orders of the market come down before the first slice. What is under way counts
 * at full size, so that no outcome overshoots the target. A pure function.
 */
export function planTarget(input: TargetInput): TargetPlan {
  const { intent, positionLots, working, nowMs, rules } = input;
  const remainingLots = intent.targetLots - positionLots;
  const live = working.filter(isSlotClosedBy);
  const standing = takeDown(input, live);
  const end = (state: TargetState, why: string, withheld: readonly Withheld[] = []): TargetPlan => {
    const isOver = state === "done" || state === "dust" || state === "expired";
    const nextSliceAtMs = isOver
      ? undefined
      : Math.max(
          nowMs,
          (input.lastSliceAtMs ?? nowMs - intent.schedule.everyMs) + intent.schedule.everyMs,
        );
    // What is spread comes last: a key that is added to a spread object costs more than all else here.
    return {
      places: [],
      keeps: [],
      withheld,
      state,
      remainingLots,
      nextSliceAtMs,
      why,
      ...standing,
    };
  };

  if (nowMs >= intent.deadlineMs)
    return end("expired", `the deadline has passed; ${remainingLots} lots remain`);
  const clearing = live.find((order) => !isSlice(order) && order.phase !== "unknown");
  if (clearing !== undefined)
    return end(
      "clearing",
      `${clearing.side} ${clearing.hash} comes down first (${clearing.phase})`,
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
      `${wantedLots} lots remain, the market takes no fewer than ${rules.minLots}`,
    );
  }
  const turnAtMs =
    input.lastSliceAtMs === undefined ? nowMs : input.lastSliceAtMs + intent.schedule.everyMs;
  if (nowMs < turnAtMs) return end("waiting", `the next slice leaves in ${turnAtMs - nowMs} ms`);

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
    ...standing,
  };
}

/** A slice, as it is placed: immediate, in the slot of slices. */
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

/** Whether an order is a slice of a target position. */
export function isSlice(order: Pick<WorkingOrder, "level">): boolean {
  return order.level === TARGET_LEVEL;
}

/** Everything that is no slice comes down, most dangerous first. */
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
      withdrawals.push({ hash, side, level, why: "a target position is worked" });
    // A slice is immediate: one that the exchange shows as open has lost its end, and must not be left standing.
    else if (needsCancel(order, nowMs)) {
      const why = isSlice(order)
        ? "an immediate order that is still open"
        : "a target position is worked";
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

/** At most the schedule's slice and the market's maximum; a little less where the rest would else be too small to be traded at all. */
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

/** Why a slice waits for a side of the book. */
export const EMPTY_SIDE_REASON = "nobody is on the other side of the book";

/** The slice's price bound, or why there is none now. */
export function chooseSlicePrice(
  input: TargetInput<unknown>,
  side: Side,
  live: readonly WorkingOrder[],
): Ticks | string {
  const { touch, foreignTouch, intent, reachTicks, rules } = input;
  const best = opposingPrice(side, touch);
  if (best === undefined) return EMPTY_SIDE_REASON;
  const towards = sideSign(side);
  // The account's other orders are no counterparty: the slice stops one tick before the first of them.
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
