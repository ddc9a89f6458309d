import type { Lots, MarketId, Side, Ticks } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type { Quote, UnwindPart, UnwindSchedule } from "../strategies/intent.js";
import { distanceToTouch, opposingPrice, toPassivePrice } from "./crossing.js";
import type { Plan, PlannedPlace } from "./plan.js";
import { planQuotes, type QuoteSettings } from "./plan-quotes.js";
import {
  chooseSlicePrice,
  computeSliceLots,
  createSlice,
  EMPTY_SIDE_REASON,
  isSlice,
  TARGET_LEVEL,
  type TargetInput,
  type TargetPlan,
  type TargetState,
} from "./plan-target.js";
import type { ManualOrders } from "./quote-obstacle.js";
import {
  isWithinBound,
  selectPartsAtPrice,
  sumLeftLots,
  tightestBound,
  UnwindCapacity,
} from "./unwind-capacity.js";
import { allowedLots, nextStepAtMs } from "./unwind-schedule.js";
import {
  isSlotClosedBy,
  maxNewPositionLots,
  needsCancel,
  type WorkingOrder,
} from "./working-order.js";

/** The inputs of a plan for an unwind. */
export interface UnwindInput extends Omit<TargetInput<UnwindSchedule>, "rules" | "foreignTouch"> {
  readonly marketId: MarketId;
  readonly rules: Pick<
    MarketRules,
    "minTicks" | "maxTicks" | "minLots" | "maxLots" | "maxOpenOrders"
  >;
  readonly foreign: ManualOrders;
  /**
   * Quotes of the market's strategy: the reducing side does the maker part. Empty if the strategy
   * may not quote.
   */
  readonly quotes: readonly Quote[];
  readonly settings: QuoteSettings;
}

/**
 * Works a position towards its target. Quotes offer the lots that the trajectory still allows to
 * be held: the strategy's on the reducing side, or else the plan's own. Immediate orders, one at a
 * time, take the lots above the trajectory. While no order may take them, they are offered too.
 * Quotes that would add to the position are cancelled.
 *
 * All orders towards the target that may still fill, at full size, never exceed the remaining lots
 * less those that the schedule keeps. Each order is within the worst price of the parts that it
 * works, except for the strategy's own quotes, which take nothing. A pure function.
 */
export function planUnwind(given: UnwindInput): TargetPlan {
  const input = withTradableSlices(given);
  const { intent, positionLots, working, nowMs, rules } = input;
  const { schedule } = intent;
  const remainingLots = intent.targetLots - positionLots;
  const restLots = Math.abs(remainingLots);
  const side: Side = remainingLots > 0 ? "BUY" : "SELL";
  const live = working.filter(isSlotClosedBy);
  const end = (state: TargetState, why: string): TargetPlan => ({
    state,
    remainingLots,
    nextSliceAtMs: undefined,
    why,
    ...planOffers(input, live, []),
  });

  const mayBecome = working.reduce((sum, order) => sum + maxNewPositionLots(order), 0);
  if (nowMs >= intent.deadlineMs)
    return end("expired", `the deadline has passed; ${remainingLots} lots remain`);
  if (remainingLots === 0)
    return mayBecome === 0
      ? end("done", "the target is reached")
      : end("waiting", `${mayBecome} lots may still fill`);
  if (restLots < rules.minLots || restLots <= schedule.dustLots) {
    const least = Math.max(rules.minLots, schedule.dustLots + 1);
    return mayBecome === 0
      ? end("dust", `${restLots} lots remain, and fewer than ${least} are not sold`)
      : end("waiting", `${mayBecome} lots may still fill`);
  }

  const { parts } = schedule;
  const best = opposingPrice(side, input.touch);
  // A taking order works only the parts whose worst price allows a trade at the touch.
  const bearing =
    best === undefined || !isWithinBound(side, intent.worstTicks, best)
      ? []
      : selectPartsAtPrice(parts, side, best);
  const dueLots = dueOf(input, bearing, restLots);
  const isJoint = input.quotes.some((quote) => quote.side === side);
  const freeLots = Math.max(dueLots, restLots - (schedule.keepLots ?? 0));
  const taking: UnwindInput =
    bearing.length === 0
      ? input
      : { ...input, intent: { ...intent, worstTicks: tightestBound(input, bearing, side) } };
  const price =
    dueLots === 0
      ? undefined
      : chooseSlicePrice({ ...taking, foreignTouch: input.foreign.touch }, side, live);
  // Not merely until the next slice's turn: it would wait until such offers are cancelled.
  const isHeldBack = typeof price === "string" && !live.some(isSlice);
  const offers = offersOf(input, side, freeLots, isHeldBack ? 0 : dueLots);
  const plan = planOffers(input, live, offers);
  const room = new UnwindCapacity(parts, side, freeLots, working);
  const taken =
    bearing.length === 0
      ? unborne(input, side, dueOf(input, parts, restLots))
      : takeDue(taking, { side, dueLots, price, roomLots: room.of(bearing) }, live, plan);
  if (taken.place !== undefined) room.take(taken.place);
  const { places, withheld } = withinRoom(plan, side, room, isJoint);
  const turnAtMs =
    input.lastSliceAtMs === undefined ? nowMs : input.lastSliceAtMs + schedule.everyMs;
  const { cancels, withdrawals, keeps, waits } = plan;
  return {
    cancels,
    withdrawals,
    keeps,
    waits,
    places: taken.place === undefined ? places : [taken.place, ...places],
    withheld: [...withheld, ...taken.withheld],
    state: taken.state,
    remainingLots,
    nextSliceAtMs:
      taken.state === "offering" ? nextStepAtMs(parts, nowMs) : Math.max(nowMs, turnAtMs),
    why: taken.why,
  };
}

/** A slice below the market's smallest order would never be sent, so it has that size at least. */
function withTradableSlices(input: UnwindInput): UnwindInput {
  const { intent, rules } = input;
  const { schedule } = intent;
  return schedule.sliceLots >= rules.minLots
    ? input
    : {
        ...input,
        intent: { ...intent, schedule: { ...schedule, sliceLots: rules.minLots } },
      };
}

/**
 * The lots above the parts' trajectories, as far as the market accepts the size. A remainder too
 * small to trade is included.
 */
function dueOf(
  { rules, intent, nowMs }: UnwindInput,
  parts: readonly UnwindPart[],
  restLots: Lots,
): Lots {
  const left = Math.min(restLots, sumLeftLots(parts));
  const due = Math.max(0, left - allowedLots(parts, nowMs));
  if (due < rules.minLots) return 0;
  return left - due < rules.minLots || left - due <= intent.schedule.dustLots ? left : due;
}

/**
 * The reducing quotes of the strategy, else our own, innermost first. Together they never exceed
 * the lots that are not due.
 */
function offersOf(input: UnwindInput, side: Side, freeLots: Lots, dueLots: Lots): readonly Quote[] {
  const { rules, intent } = input;
  const wanted = input.quotes.filter((quote) => quote.side === side);
  const isOurs = wanted.length === 0;
  const offers: Quote[] = [];
  let room = freeLots - dueLots;
  for (const quote of isOurs
    ? ownOffers(input, side, dueLots)
    : [...wanted].sort((a, b) => a.level - b.level)) {
    const lots = Math.min(
      quote.lots,
      room,
      rules.maxLots,
      isOurs ? intent.schedule.sliceLots : quote.lots,
    );
    if (lots < rules.minLots) continue;
    room -= lots;
    offers.push(lots === quote.lots ? quote : { ...quote, lots });
  }
  return offers;
}

/**
 * Our own quotes, at the reservation price or one tick behind the touch if that price would take.
 * They offer all lots of the parts that allow the price, less those that are due. The other parts
 * are offered at the tightest of their worst prices.
 */
function ownOffers(input: UnwindInput, side: Side, dueLots: Lots): readonly Quote[] {
  const { intent, rules, touch } = input;
  const { offerTicks, parts } = intent.schedule;
  if (offerTicks === undefined) return [];
  const onGrid =
    side === "SELL"
      ? Math.max(Math.ceil(offerTicks), intent.worstTicks, rules.minTicks)
      : Math.min(Math.floor(offerTicks), intent.worstTicks, rules.maxTicks);
  const ticks = toPassivePrice(side, onGrid, touch);
  const inner = selectPartsAtPrice(parts, side, ticks);
  const outer = parts.filter((part) => !inner.includes(part));
  const groups = [
    { ticks, lots: Math.max(0, sumLeftLots(inner) - dueLots) },
    {
      ticks: outer.length === 0 ? ticks : tightestBound(input, outer, side),
      lots: sumLeftLots(outer),
    },
  ];
  return groups.filter(({ lots }) => lots > 0).map((offer, level) => ({ side, level, ...offer }));
}

/**
 * Plans the quotes alone. A slice that awaits its signature is not treated as an undesired quote.
 */
function planOffers(
  input: UnwindInput,
  live: readonly WorkingOrder[],
  quotes: readonly Quote[],
): Plan {
  const { marketId, rules, touch, settings, nowMs } = input;
  const orders = live.filter((order) => !isSlice(order));
  const foreign = besideSlices(input.foreign, live.filter(isSlice));
  const plan = planQuotes({
    marketId,
    quotes,
    working: orders,
    rules,
    touch,
    foreign,
    settings,
    nowMs,
  });
  const cancels = [...plan.cancels];
  const waits = [...plan.waits];
  for (const order of live.filter(isSlice)) {
    const { hash, side, level, phase } = order;
    // A slice is immediate. If the exchange shows it as open, the report of its end is lost, and it
    // must be cancelled.
    if (needsCancel(order, nowMs)) {
      const distanceTicks = distanceToTouch(side, order.ticks, touch);
      cancels.push({
        hash,
        orderId: order.orderId,
        side,
        level,
        distanceTicks,
        why: "an immediate order that is still open",
      });
    } else waits.push({ hash, side, level, phase, why: "may still fill" });
  }
  return { ...plan, cancels, waits };
}

/**
 * A slice with an unknown outcome may still arrive and must not trade with a quote. It is added to
 * the orders that quotes may not cross.
 */
function besideSlices(
  { touch, openOrders }: ManualOrders,
  slices: readonly WorkingOrder[],
): ManualOrders {
  let { bestBidTicks, bestAskTicks } = touch;
  for (const { side, ticks } of slices) {
    if (side === "BUY") bestBidTicks = Math.max(ticks, bestBidTicks ?? ticks);
    else bestAskTicks = Math.min(ticks, bestAskTicks ?? ticks);
  }
  return { touch: { bestBidTicks, bestAskTicks }, openOrders };
}

interface SliceDecision {
  readonly state: TargetState;
  readonly why: string;
  readonly place?: PlannedPlace;
  readonly withheld: Plan["withheld"];
}

const ALLOWED: SliceDecision = {
  state: "offering",
  why: "the position is within the trajectory",
  withheld: [],
};

/** The reason for waiting when the touch is beyond every part's worst price, if lots are due. */
function unborne(input: UnwindInput, side: Side, dueLots: Lots): SliceDecision {
  if (dueLots === 0) return ALLOWED;
  const best = opposingPrice(side, input.touch);
  const why =
    best === undefined
      ? EMPTY_SIDE_REASON
      : `the touch at ${best} is beyond ${input.intent.worstTicks}, the worst price that is allowed`;
  return {
    state: "waiting",
    why,
    withheld: [{ side, level: TARGET_LEVEL, ticks: input.intent.worstTicks, lots: dueLots, why }],
  };
}

/** Lots to take at once. */
interface DueTake {
  readonly side: Side;
  readonly dueLots: Lots;
  /** The order's price, or the reason why none may take them; undefined if nothing is due. */
  readonly price: Ticks | string | undefined;
  /** Remaining lots that no order in flight may fill. */
  readonly roomLots: Lots;
}

/** The immediate order that is due now, or the reason why there is none. */
function takeDue(
  { intent, rules, positionLots, nowMs, lastSliceAtMs }: UnwindInput,
  { side, dueLots, price, roomLots }: DueTake,
  live: readonly WorkingOrder[],
  plan: Plan,
): SliceDecision {
  if (price === undefined) return ALLOWED;
  const { schedule, worstTicks } = intent;
  const not = (
    state: TargetState,
    why: string,
    withheld: Plan["withheld"] = [],
  ): SliceDecision => ({ state, why, withheld });
  const slice = live.find(isSlice);
  if (slice !== undefined)
    return not("waiting", `slice ${slice.hash} may still fill (${slice.phase})`);
  const waitMs = (lastSliceAtMs ?? Number.NEGATIVE_INFINITY) + schedule.everyMs - nowMs;
  if (waitMs > 0) return not("waiting", `the next slice is sent in ${waitMs} ms`);
  const restLots = Math.abs(intent.targetLots - positionLots);
  const least = Math.max(rules.minLots, schedule.dustLots + 1);
  const sliceLots = Math.min(
    dueLots,
    computeSliceLots(restLots, schedule.sliceLots, { minLots: least, maxLots: rules.maxLots }),
  );
  if (typeof price === "string")
    return not("waiting", price, [
      { side, level: TARGET_LEVEL, ticks: worstTicks, lots: sliceLots, why: price },
    ]);
  const lots = Math.min(sliceLots, roomLots);
  // Quotes being cancelled will free capacity for the whole slice. Quotes with an unknown outcome
  // may never do so.
  const isClearing = plan.cancels.length > 0 || live.some(({ phase }) => phase === "cancelling");
  if (lots < dueLots && lots === roomLots && isClearing)
    return not("clearing", "quotes are cancelled to make room for the slice");
  if (lots < rules.minLots)
    return not("waiting", `${dueLots} lots are due, orders in flight may fill all but ${roomLots}`);
  const why = `${dueLots} lots behind the trajectory`;
  return {
    state: "working",
    why,
    place: createSlice({ side, ticks: price, lots, why }),
    withheld: [],
  };
}

/**
 * Places quotes only within the lots that remain after everything that may still fill, including
 * orders being cancelled. Quotes of the strategy may use all remaining lots, our own quotes those
 * of the parts that allow their price.
 */
function withinRoom(
  plan: Plan,
  side: Side,
  room: UnwindCapacity,
  isJoint: boolean,
): Pick<Plan, "places" | "withheld"> {
  const places: PlannedPlace[] = [];
  const withheld = [...plan.withheld];
  for (const place of plan.places) {
    const roomLots = isJoint ? room.left : room.at(place.ticks);
    if (place.side === side && place.lots <= roomLots) {
      room.take(place);
      places.push(place);
    } else {
      const { level, ticks, lots } = place;
      const why = `orders in flight may fill all but ${Math.max(0, roomLots)} of what remains`;
      withheld.push({ side: place.side, level, ticks, lots, why });
    }
  }
  return { places, withheld };
}
