import type { Lots, MarketId, Side } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type { Quote, UnwindPart, UnwindSchedule } from "../strategies/intent.js";
import { distanceToTouch, opposingPrice, toPassivePrice } from "./crossing.js";
import type { Plan, PlannedPlace, Withheld } from "./plan.js";
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

/** Everything that a plan for an unwinding depends on. */
export interface UnwindInput extends Omit<TargetInput<UnwindSchedule>, "rules" | "foreignTouch"> {
  readonly marketId: MarketId;
  readonly rules: Pick<
    MarketRules,
    "minTicks" | "maxTicks" | "minLots" | "maxLots" | "maxOpenOrders"
  >;
  readonly foreign: ManualOrders;
  /** What the market's strategy wants to quote: its reducing side does the maker's part. Empty where none may quote. */
  readonly quotes: readonly Quote[];
  readonly settings: QuoteSettings;
}

/**
 * Unwinds a position towards its target: what the trajectory still allows to be held is offered by quotes, those of the market's strategy on
 * the reducing side or else one of its own, and what it allows no more is taken by immediate orders, one at a time. Quotes that would add
 * come down. Everything of the reducing side that may still fill, at full size, never exceeds what remains. Each order is within the bound of
 * the positions that it works, but for the strategy's own quotes, which take nothing. A pure function.
 */
export function planUnwind(input: UnwindInput): TargetPlan {
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
      ? end("dust", `${restLots} lots remain, fewer than ${least} are not sold`)
      : end("waiting", `${mayBecome} lots may still fill`);
  }

  const { parts } = schedule;
  const best = opposingPrice(side, input.touch);
  // What is taken now is taken for those whose bound allows to trade at the touch.
  const bearing =
    best === undefined || !isWithinBound(side, intent.worstTicks, best)
      ? []
      : selectPartsAtPrice(parts, side, best);
  const dueLots = dueOf(input, bearing, restLots);
  const isJoint = input.quotes.some((quote) => quote.side === side);
  const offers = offersOf(input, side, restLots, dueLots);
  const plan = planOffers(input, live, offers);
  const room = new UnwindCapacity(parts, side, restLots, working);
  const taken =
    bearing.length === 0
      ? unborne(input, side, dueOf(input, parts, restLots))
      : takeDue(
          { ...input, intent: { ...intent, worstTicks: tightestBound(input, bearing, side) } },
          side,
          dueLots,
          room.of(bearing),
          live,
          plan,
        );
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

/** What their trajectories allow to be held no more, as far as the market takes it: a rest that is too small to trade is not left over. */
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

/** The reducing quotes of the strategy, else our own; never more together than what is not due, innermost first. */
function offersOf(input: UnwindInput, side: Side, restLots: Lots, dueLots: Lots): readonly Quote[] {
  const { rules, intent } = input;
  const wanted = input.quotes.filter((quote) => quote.side === side);
  const isOurs = wanted.length === 0;
  const offers: Quote[] = [];
  let room = restLots - dueLots;
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
 * At the reservation price, or one tick behind the touch where that would take: all that bear it, less what is due of them. The others at
 * the tightest of their bounds.
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

/** The quotes alone. A slice that waits for its signature is no quote that nobody wants. */
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
    // A slice is immediate: one that the exchange shows as open has lost its end, and must not be left standing.
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

/** A slice of unknown fate may still arrive, and must not meet a quote: it counts as an order that is not to be traded against. */
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
  readonly withheld: readonly Withheld[];
}

const ALLOWED: SliceDecision = {
  state: "offering",
  why: "the trajectory allows what is held",
  withheld: [],
};

/** Nobody trades at a price that any part bears: why, if something is due. */
function unborne(input: UnwindInput, side: Side, dueLots: Lots): SliceDecision {
  if (dueLots === 0) return ALLOWED;
  const best = opposingPrice(side, input.touch);
  const why =
    best === undefined
      ? EMPTY_SIDE_REASON
      : `the touch at ${best} is beyond ${input.intent.worstTicks}, the worst price that any takeover bears`;
  return {
    state: "waiting",
    why,
    withheld: [{ side, level: TARGET_LEVEL, ticks: input.intent.worstTicks, lots: dueLots, why }],
  };
}

/** The immediate order that is due now, or why there is none. `roomLots`: what of the rest no order under way may fill. */
function takeDue(
  input: UnwindInput,
  side: Side,
  dueLots: Lots,
  roomLots: Lots,
  live: readonly WorkingOrder[],
  plan: Plan,
): SliceDecision {
  const { intent, rules, nowMs, lastSliceAtMs } = input;
  const { schedule, worstTicks } = intent;
  const not = (
    state: TargetState,
    why: string,
    withheld: readonly Withheld[] = [],
  ): SliceDecision => ({
    state,
    why,
    withheld,
  });
  if (dueLots === 0) return ALLOWED;
  const slice = live.find(isSlice);
  if (slice !== undefined)
    return not("waiting", `slice ${slice.hash} may still fill (${slice.phase})`);
  if (lastSliceAtMs !== undefined && nowMs < lastSliceAtMs + schedule.everyMs) {
    return not(
      "waiting",
      `the next slice leaves in ${lastSliceAtMs + schedule.everyMs - nowMs} ms`,
    );
  }
  const restLots = Math.abs(intent.targetLots - input.positionLots);
  const least = Math.max(rules.minLots, schedule.dustLots + 1);
  const lots = Math.min(
    dueLots,
    roomLots,
    computeSliceLots(restLots, schedule.sliceLots, { minLots: least, maxLots: rules.maxLots }),
  );
  // Quotes that come down make room for the whole of it; those of unknown fate never may.
  const isClearing = plan.cancels.length > 0 || live.some(({ phase }) => phase === "cancelling");
  if (lots < dueLots && lots === roomLots && isClearing)
    return not("clearing", "quotes come down to make room for the slice");
  if (lots < rules.minLots)
    return not("waiting", `${dueLots} lots are due, orders under way may fill all but ${roomLots}`);
  const price = chooseSlicePrice({ ...input, foreignTouch: input.foreign.touch }, side, live);
  if (typeof price === "string") {
    return not("waiting", price, [
      { side, level: TARGET_LEVEL, ticks: worstTicks, lots, why: price },
    ]);
  }
  const why = `${dueLots} lots behind the trajectory`;
  return {
    state: "working",
    why,
    place: createSlice({ side, ticks: price, lots, why }),
    withheld: [],
  };
}

/**
 * Quotes are placed only into what remains beside everything that may still fill, orders that come down among it: those of the strategy into
 * all that remains, our own into what remains of those that bear their price.
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
      const why = `orders under way may fill all but ${Math.max(0, roomLots)} of what remains`;
      withheld.push({ side: place.side, level, ticks, lots, why });
    }
  }
  return { places, withheld };
}
