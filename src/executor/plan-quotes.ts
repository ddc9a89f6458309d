import { append } from "../core/append.js";
import type { MarketId, Ms, Side, Ticks } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type { Quote } from "../strategies/intent.js";
import { type BestPrices, toPassivePrice } from "./crossing.js";
import { type GttSettings, selectDueRenewals } from "./gtt-renewal.js";
import { matchQuotes, type QuoteTolerance, type WantedQuote } from "./match-quotes.js";
import type { Plan, PlannedKeep, PlannedPlace, PlannedWait, PlannedWithdrawal } from "./plan.js";
import { type ManualOrders, quoteObstacle } from "./quote-obstacle.js";
import { byDanger, type RankedCancel, rankedCancel, withRankedCancel } from "./ranked-cancel.js";
import { ClosedSlot, type Withheld, withhold } from "./withheld.js";
import { isCancellable, isSlotClosedBy, needsCancel, type WorkingOrder } from "./working-order.js";

/**
 * The times in force that a quote may have. POST_ONLY and GTT exclude each other on this exchange
 * (docs/ideas/design.md#time-in-force).
 */
export type QuoteTimeInForce = "POST_ONLY" | "GTT" | "GTC";

/**
 * The handling of a quote that would trade against the newest touch: it is withheld, or placed one
 * tick behind the touch.
 */
export type CrossPolicy = "withhold" | "behind";

/** Execution settings of quotes, from the config. */
export interface QuoteSettings {
  readonly tolerance: QuoteTolerance;
  readonly timeInForce: QuoteTimeInForce;
  /** Used only if the time in force is GTT. */
  readonly gtt: GttSettings;
  readonly onCross: CrossPolicy;
}

/** The inputs of a plan for quotes. */
export interface QuotesInput {
  readonly marketId: MarketId;
  /** The full set of desired quotes; an empty set cancels all. */
  readonly quotes: readonly Quote[];
  /** The own orders of this market. Orders that may no longer fill are ignored. */
  readonly working: readonly WorkingOrder[];
  readonly rules: Pick<
    MarketRules,
    "minTicks" | "maxTicks" | "minLots" | "maxLots" | "maxOpenOrders"
  >;
  /** The newest touch of the exchange's book, without our own orders. */
  readonly touch: BestPrices;
  readonly foreign: ManualOrders;
  readonly settings: QuoteSettings;
  /** Exchange time. */
  readonly nowMs: Ms;
}

/**
 * How long after its expiry the outcome of a GTT order is awaited before it is treated like any
 * other order: exchange time is an estimate.
 */
const EXPIRY_GRACE_MS = 5_000;

const SIDES: readonly Side[] = ["BUY", "SELL"];

/**
 * Plans the fewest actions from the working orders to the desired quotes
 * (docs/ideas/design.md#executor). An order that matches its quote is kept. Any other is cancelled,
 * the most dangerous first. A slot takes a new order only if it holds none that may still fill. A
 * replacement is therefore placed by the plan after the cancel's confirmation. No placed order
 * crosses the newest touch, an own order in any phase, or a manual order. A pure function: the same
 * input gives the same plan.
 */
export function planQuotes(given: QuotesInput): Plan {
  const input = given.working.every(isSlotClosedBy)
    ? given
    : { ...given, working: given.working.filter(isSlotClosedBy) };
  const draft: Draft = {
    cancels: NONE,
    withdrawals: NONE,
    places: NONE,
    keeps: NONE,
    waits: NONE,
    withheld: NONE,
  };
  const matchable = matchableOf(input);
  const wanted = affordable(input, draft);
  let unplaced: Unplaced[] = NONE;
  for (const side of SIDES) unplaced = planSide(input, side, wanted, matchable, draft, unplaced);
  placeWhatMay(input, unplaced, draft);
  if (input.settings.timeInForce === "GTT")
    draft.cancels = [...draft.cancels, ...renew(input, draft).sort(byDanger)];
  return draft;
}

interface Draft {
  cancels: RankedCancel[];
  withdrawals: PlannedWithdrawal[];
  places: PlannedPlace[];
  keeps: PlannedKeep[];
  waits: PlannedWait[];
  withheld: Withheld[];
}

/** Shared empty list, the initial value of most lists of a plan. It is never changed. */
const NONE: never[] = [];

interface Unplaced {
  readonly want: WantedQuote;
  readonly slot: number;
}

/** The quotes that fit the market's open-order filter next to manual orders, innermost first. */
function affordable({ quotes, rules, foreign }: QuotesInput, draft: Draft): readonly Quote[] {
  const room = Math.max(0, rules.maxOpenOrders - foreign.openOrders);
  // Two at most, one per side: no manual order can limit them.
  if (
    quotes.length <= room &&
    (quotes.length < 2 || (quotes.length === 2 && quotes[0].side !== quotes[1].side))
  )
    return quotes;
  const sorted = [...quotes].sort(
    (a, b) => a.level - b.level || (a.side === b.side ? 0 : a.side === "BUY" ? -1 : 1),
  );
  for (const quote of sorted.slice(room))
    draft.withheld = append(
      draft.withheld,
      withhold(
        quote,
        quote.ticks,
        `the market allows no more than ${rules.maxOpenOrders} open orders`,
      ),
    );
  return sorted.slice(0, room);
}

/** Plans a side, apart from its places. Returns the quotes without an order, after those before. */
function planSide(
  input: QuotesInput,
  side: Side,
  wantedQuotes: readonly Quote[],
  matchable: readonly WorkingOrder[],
  draft: Draft,
  before: Unplaced[],
): Unplaced[] {
  const { settings, rules } = input;
  const wanted = wantedOf(input, side, wantedQuotes);
  const { orderOfQuote, slotOfQuote } = matchQuotes(
    wanted,
    input.quotes,
    matchable,
    settings.tolerance,
    rules.minLots,
  );
  let unplaced = before;
  for (let index = 0; index < wanted.length; index++) {
    const want = wanted[index];
    const order = orderOfQuote[index];
    const slot = slotOfQuote[index];
    if (order !== undefined) {
      draft.keeps = append(draft.keeps, {
        hash: order.hash,
        side,
        level: order.level,
        quoteLevel: want.quote.level,
        wantedTicks: want.placeTicks,
        wantedLots: want.quote.lots,
      });
    } else if (slot !== undefined) unplaced = append(unplaced, { want, slot });
  }
  const { working } = input;
  for (let at = 0; at < working.length; at++) {
    const order = working[at];
    if (order.side === side && !orderOfQuote.includes(order))
      endOrder(input, order, wanted.length, draft);
  }
  return unplaced;
}

/**
 * The quotes of a side. They are counted first, because a growing list reserves space for many more
 * in each plan. Counted by index, because V8 allocates the iterator of a frozen list, and an
 * intent's quotes are one.
 */
function wantedOf(
  { touch, settings }: QuotesInput,
  side: Side,
  quotes: readonly Quote[],
): readonly WantedQuote[] {
  let count = 0;
  for (let at = 0; at < quotes.length; at++) if (quotes[at].side === side) count++;
  const wanted = new Array<WantedQuote>(count);
  for (let at = 0, to = 0; at < quotes.length; at++) {
    const quote = quotes[at];
    if (quote.side === side)
      wanted[to++] = { quote, placeTicks: placeTicksOf(quote, touch, settings) };
  }
  return wanted;
}

/** The price at which a quote would be placed now. */
function placeTicksOf(
  quote: Quote,
  touch: BestPrices,
  { onCross }: Pick<QuoteSettings, "onCross">,
): Ticks {
  return onCross === "behind" ? toPassivePrice(quote.side, quote.ticks, touch) : quote.ticks;
}

/** The orders that can be kept for a quote: mostly all. */
function matchableOf({ working, settings, nowMs }: QuotesInput): readonly WorkingOrder[] {
  for (const order of working)
    if (!mayBeKept(order, settings.timeInForce, nowMs))
      return keepableOf(working, settings.timeInForce, nowMs);
  return working;
}

/**
 * A separate function, because variables captured by a closure are allocated with each call of the
 * function around it.
 */
function keepableOf(
  working: readonly WorkingOrder[],
  timeInForce: QuoteTimeInForce,
  nowMs: Ms,
): readonly WorkingOrder[] {
  return working.filter((order) => mayBeKept(order, timeInForce, nowMs));
}

/** Returns true if an order can be kept for a quote, apart from price and size. */
function mayBeKept(order: WorkingOrder, timeInForce: QuoteTimeInForce, nowMs: Ms): boolean {
  return order.phase !== "cancelling" && order.timeInForce === timeInForce && !isOver(order, nowMs);
}

function isOver(order: WorkingOrder, nowMs: Ms): boolean {
  return order.expirationMs > 0 && order.expirationMs <= nowMs;
}

function endOrder(
  input: QuotesInput,
  order: WorkingOrder,
  wantedCount: number,
  draft: Draft,
): void {
  const { hash, side, level, phase } = order;
  const unwanted =
    wantedCount === 0 ? "the strategy wants no quote on this side" : "no quote uses it";
  if (phase === "intended") {
    draft.withdrawals = append(draft.withdrawals, {
      hash,
      side,
      level,
      why: `${unwanted}, and it has not been sent`,
    });
  } else if (isOver(order, input.nowMs) && input.nowMs < order.expirationMs + EXPIRY_GRACE_MS) {
    draft.waits = append(draft.waits, {
      hash,
      side,
      level,
      phase,
      why: "it has expired, and the exchange has not confirmed that yet",
    });
  } else if (needsCancel(order, input.nowMs)) {
    const why =
      order.timeInForce === input.settings.timeInForce
        ? unwanted
        : "its time in force is no longer the configured one";
    draft.cancels = withRankedCancel(draft.cancels, rankedCancel(order, why, input.touch));
  } else {
    draft.waits = append(draft.waits, { hash, side, level, phase, why: describeWait(phase) });
  }
}

function describeWait(phase: string): string {
  if (phase === "cancelling") return "its cancel is in flight";
  if (phase === "unknown") return "its state is unknown, and without an id it cannot be cancelled";
  if (phase === "open" || phase === "partly-filled")
    return "it is an immediate order, and the report of its end is due";
  return "the exchange has not reported its id yet";
}

/**
 * Places the innermost quotes first, as far as slots, filters, the touch and the account's other
 * orders allow.
 */
function placeWhatMay(input: QuotesInput, unplaced: readonly Unplaced[], draft: Draft): void {
  if (unplaced.length === 0) return;
  const { rules, working, foreign, settings, nowMs } = input;
  const inner = isInnermostFirst(unplaced)
    ? unplaced
    : [...unplaced].sort((a, b) => a.want.quote.level - b.want.quote.level);
  const expirationMs = settings.timeInForce === "GTT" ? nowMs + settings.gtt.quoteLifeMs : 0;
  let open = working.length + foreign.openOrders;
  for (const { want, slot } of inner) {
    const { quote, placeTicks } = want;
    const occupant = lastInSlot(working, quote.side, slot);
    if (occupant !== undefined) {
      draft.withheld = append(draft.withheld, new ClosedSlot(quote, placeTicks, occupant));
      continue;
    }
    const isFull = open >= rules.maxOpenOrders;
    const obstacle = isFull
      ? `up to ${open} orders may be open, and the market allows ${rules.maxOpenOrders}`
      : quoteObstacle(input, quote, placeTicks, draft.places);
    if (obstacle !== undefined) {
      draft.withheld = append(draft.withheld, withhold(quote, placeTicks, obstacle));
      continue;
    }
    const why =
      placeTicks === quote.ticks ? "wanted" : `wanted at ${quote.ticks}, one tick behind the touch`;
    const { side, level: quoteLevel, lots } = quote;
    const place = {
      side,
      level: slot,
      quoteLevel,
      ticks: placeTicks,
      lots,
      timeInForce: settings.timeInForce,
      expirationMs,
      why,
    };
    draft.places = append(draft.places, place);
    open++;
  }
}

function lastInSlot(
  working: readonly WorkingOrder[],
  side: Side,
  slot: number,
): WorkingOrder | undefined {
  for (let at = working.length - 1; at >= 0; at--)
    if (working[at].side === side && working[at].level === slot) return working[at];
  return undefined;
}

/** Returns true if the quotes are already sorted, as one quote per side always is. */
function isInnermostFirst(unplaced: readonly Unplaced[]): boolean {
  for (let at = 1; at < unplaced.length; at++)
    if (unplaced[at].want.quote.level < unplaced[at - 1].want.quote.level) return false;
  return true;
}

/**
 * Cancels GTT quotes near their expiry and removes them from the kept ones. The next plan places
 * the quote at its price then. Returns the cancels.
 */
function renew(input: QuotesInput, draft: Draft): RankedCancel[] {
  const kept = draft.keeps.flatMap(
    ({ hash }) => input.working.find((order) => order.hash === hash) ?? [],
  );
  const renewable = kept.filter(isCancellable);
  const due = selectDueRenewals(
    renewable,
    input.settings.gtt,
    draft.cancels.length + draft.places.length > 0,
    input.nowMs,
  );
  if (due.length === 0) return [];
  const leaving = new Set(due.map((order) => order.hash));
  draft.keeps = draft.keeps.filter((keep) => !leaving.has(keep.hash));
  return renewable
    .filter(({ hash }) => leaving.has(hash))
    .map((order) =>
      rankedCancel(
        order,
        `renewal: ${order.expirationMs - input.nowMs} ms of life left`,
        input.touch,
      ),
    );
}
