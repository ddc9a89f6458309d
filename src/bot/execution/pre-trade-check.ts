import { toRestingOrders } from "../../account/orders/active-orders.js";
import type { OwnOrder } from "../../account/orders/order.js";
import type { Hex, Lots, MarketId, Ms, Side } from "../../core/units.js";
import type { Action } from "../../exchange/venue.js";
import { findCrossedOrder, toPassivePrice } from "../../executor/crossing.js";
import type { DispatchKind } from "../../executor/dispatch-budget.js";
import { TARGET_LEVEL } from "../../executor/plan-target.js";
import { isWithinBound } from "../../executor/unwind-capacity.js";
import { isCancellable } from "../../executor/working-order.js";
import { checkPlace, describeBreach, growsNet, isOnlyReducing } from "../../risk/check-place.js";
import type { AccountEventHandler } from "../engine/account-event-handler.js";
import type { BotContext } from "../engine/context.js";
import type { ResponseHandler } from "../engine/response-handler.js";
import type { TurnRecorder } from "../journal/journal.js";
import type { MarketTrader } from "../market/market-trader.js";
import { referenceInstant } from "../market/used-reference.js";
import { findReferenceFault } from "../safety/reference-fault.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import { computeAccountExposure } from "./account-exposure.js";
import {
  cancelSubject,
  type QueuedCancel,
  type QueuedItem,
  type QueuedPlace,
  type QueuedQuery,
  slotSubject,
} from "./dispatcher.js";
import { executorTouch, restingIn } from "./executor-touch.js";
import type { OrderFactory } from "./order-factory.js";

/**
 * Most places in flight at once: the rest of the outbox's width is kept for cancels and queries.
 */
const MAX_PLACES_IN_FLIGHT = 24;
/** COMMON tokens that places leave for queries. */
const QUERY_TOKENS = 50;
/** Tokens that quotes leave for trading a target position. */
const WORK_TOKENS = 10;
/** How long a place that the pre-trade check stopped is not retried. */
const RETRY_DELAY_MS = 250;

interface PreTradeRefusal {
  readonly limit: string;
  /** A sentence without its full stop. */
  readonly why: string;
  /**
   * The same with the limit's name, if the sentence alone does not identify the limit in the file.
   */
  readonly inFull?: string;
  readonly retryAtMs: Ms;
}

/** The parts of the bot that an action passes before it is sent. */
export interface PreTradeCheckDeps {
  readonly tradingGuards: TradingGuards;
  readonly orderFactory: OrderFactory;
  readonly accountEvents: AccountEventHandler;
  readonly responses: ResponseHandler;
  readonly journal: TurnRecorder | undefined;
}

/**
 * Checks an action again before it is sent (docs/ideas/design.md#worst-case and
 * docs/ideas/design.md#executor): it may have become wrong while it waited in the outbox.
 */
export class PreTradeCheck {
  readonly #context: BotContext;
  readonly #deps: PreTradeCheckDeps;

  constructor(context: BotContext, deps: PreTradeCheckDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** An item's turn has come: sends it, or drops it. */
  checkAndSend(key: string): void {
    const { dispatcher } = this.#context;
    const waiting = dispatcher.take(key);
    if (waiting === undefined || this.#context.phase === "stopped") dispatcher.markDropped(key);
    else this.#dispatch(key, waiting);
  }

  #dispatch(key: string, waiting: QueuedItem): void {
    switch (waiting.kind) {
      case "place":
        return this.#place(key, waiting);
      case "built":
        return this.#built(key, waiting.marketId, waiting.hash);
      case "cancel":
        return this.#cancel(key, waiting);
      case "cancel-all":
        return this.#cancelAll(key, waiting.marketId);
      case "question":
        return this.#question(key, waiting);
    }
  }

  #place(key: string, waiting: QueuedPlace): void {
    const trader = this.#context.traders.get(waiting.marketId);
    if (trader === undefined) return this.#context.dispatcher.markDropped(key);
    const isServerBuilt = this.#deps.orderFactory.isServerBuilt(trader, waiting.place);
    const refusal =
      this.#refusalOf(trader, waiting) ??
      this.#budgetRefusal(isServerBuilt ? "build" : "place", waiting.place.level === TARGET_LEVEL);
    if (refusal !== undefined) return this.#holdBack(key, trader, waiting, refusal);
    if (waiting.place.level === TARGET_LEVEL) trader.noteSlice(this.#context.exchangeTime.nowMs());
    if (isServerBuilt) {
      const build = this.#deps.orderFactory.build(trader, waiting.place);
      return this.#send(key, build, waiting.causeMonotonicMs);
    }
    const action = this.#deps.orderFactory.place(trader, waiting.place);
    this.#context.account.intend({ action, level: waiting.place.level });
    this.#send(key, action, waiting.causeMonotonicMs);
  }

  /**
   * A server-built order was checked and is in the table as intended: it is signed and placed, if
   * that is still allowed.
   */
  #built(key: string, marketId: MarketId, hash: Hex): void {
    const { account, exchangeTime, dispatcher, traders } = this.#context;
    const built = this.#deps.orderFactory.takeBuilt(hash);
    const trader = traders.get(marketId);
    if (
      built === undefined ||
      trader === undefined ||
      account.orders.get(hash)?.phase !== "intended"
    )
      return dispatcher.markDropped(key);
    const refusal =
      this.#supersededOf(trader, built.waiting, hash) ??
      this.#refusalOf(trader, built.waiting, hash) ??
      this.#budgetRefusal("place", built.waiting.place.level === TARGET_LEVEL);
    if (refusal !== undefined) {
      const why = refusal.inFull ?? refusal.why;
      this.#deps.accountEvents.handleStep(account.withdraw(hash, exchangeTime.nowMs(), why));
      return this.#holdBack(key, trader, built.waiting, refusal);
    }
    this.#send(
      key,
      this.#deps.orderFactory.withTimestamp(built.action),
      built.waiting.causeMonotonicMs,
    );
  }

  /**
   * The request may have become smaller while the exchange built the order: a slot never gets more
   * than the newest intent requests.
   */
  #supersededOf(
    trader: MarketTrader,
    { place }: QueuedPlace,
    hash: Hex,
  ): PreTradeRefusal | undefined {
    if (place.level === TARGET_LEVEL) return undefined;
    const isWorked =
      trader.unwind !== undefined || trader.target?.intent.schedule.kind === "unwind";
    const isKept = isWorked && trader.plan?.keeps.some((keep) => keep.hash === hash) === true;
    const wantedLots = isKept
      ? place.lots
      : isWorked
        ? 0
        : (trader.quotes?.quotes.find(
            ({ side, level }) => side === place.side && level === place.level,
          )?.lots ?? 0);
    if (wantedLots >= place.lots) return undefined;
    const why = `${place.lots} lots were built, and the plan now wants ${wantedLots}`;
    return { limit: "superseded", why, retryAtMs: this.#context.clock.monotonicMs() };
  }

  /** `exceptHash`: the order itself, if it is in the table already. */
  #refusalOf(
    trader: MarketTrader,
    { place }: QueuedPlace,
    exceptHash?: Hex,
  ): PreTradeRefusal | undefined {
    const { account, dispatcher, clock, phase, accountLimits, marketLimits, config, hedges } =
      this.#context;
    const nowMs = clock.monotonicMs();
    const soon = (limit: string, why: string, waitMs = RETRY_DELAY_MS): PreTradeRefusal => ({
      limit,
      why,
      retryAtMs: nowMs + waitMs,
    });
    const allowed = this.#deps.tradingGuards.allowedPlaces(trader.marketId);
    if (phase !== "running") return soon("phase", `the bot is ${phase}`);
    if (allowed === "none")
      return soon(
        "halted",
        this.#deps.tradingGuards
          .haltsFor(trader.marketId)
          .map(({ name }) => name)
          .join(", "),
      );
    if (trader.book.isStale(nowMs, config.risk.maxBookAgeMs))
      return soon("stale-book", "the book is older than its limit", 100);
    if (trader.reference !== undefined && place.level !== TARGET_LEVEL) {
      const fault = findReferenceFault(trader.reference, referenceInstant(this.#context));
      if (fault !== undefined) return soon(fault.name, fault.why, 100);
    }
    if (account.orders.slotOccupied(trader.marketId, place.side, place.level, exceptHash))
      return soon("slot", "the order before it may still fill", 50);
    let underWay = 0;
    for (const { action } of dispatcher.inFlight())
      if (action.kind === "place" || action.kind === "build") underWay++;
    if (underWay >= MAX_PLACES_IN_FLIGHT)
      return soon("under-way", `${underWay} places are in flight`, 100);
    const others = account.orders.mayStillFill(trader.marketId);
    const own =
      exceptHash === undefined ? others : others.filter(({ hash }) => hash !== exceptHash);
    const crossed = findCrossedOrder(place.side, place.ticks, own);
    if (crossed !== undefined)
      return soon("own-cross", `would trade against the bot's own order ${crossed.hash}`);
    const isQuote = place.level !== TARGET_LEVEL;
    if (
      isQuote &&
      toPassivePrice(
        place.side,
        place.ticks,
        executorTouch(
          trader,
          exceptHash === undefined ? restingIn(trader, account.orders) : toRestingOrders(own),
        ),
      ) !== place.ticks
    ) {
      return soon("cross", "the touch has crossed its price", 20);
    }
    const exposure = computeAccountExposure(this.#context, marketLimits);
    const proposal = {
      marketId: trader.marketId,
      side: place.side,
      ticks: place.ticks,
      lots: place.lots,
      hash: exceptHash,
      isTowardsTarget: !isQuote,
    };
    const market = exposure.markets.get(trader.marketId);
    const unwind = trader.target === undefined ? trader.unwind : undefined;
    const target =
      trader.target?.intent.schedule.kind === "unwind" ? trader.target.intent : undefined;
    const bounded = target ?? (isQuote ? undefined : unwind);
    if (bounded !== undefined && !isWithinBound(place.side, bounded.worstTicks, place.ticks)) {
      const what =
        target === undefined ? "the unwinding's worst price" : "the target's worst price";
      return soon("price-bound", `worse than ${bounded.worstTicks}, ${what}`);
    }
    if (unwind !== undefined && market !== undefined && !isOnlyReducing(proposal, market)) {
      return soon(
        "reduce-only",
        "the bot unwinds an acquired position: only reducing orders are sent",
      );
    }
    if (allowed === "reduce-only" && market !== undefined && !isOnlyReducing(proposal, market)) {
      const isHalted = !this.#deps.tradingGuards.areQuotesAllowed(trader.marketId);
      return soon(
        "reduce-only",
        `${isHalted ? "the market is halted" : "the risk ladder reduces the position"}: only reducing orders are sent`,
      );
    }
    const restriction = isQuote ? hedges.restrictionOn(trader.marketId) : undefined;
    if (restriction !== undefined && market !== undefined && growsNet(proposal, market))
      return soon(restriction.name, restriction.why, 100);
    const margin = isQuote
      ? hedges.marginShortage(trader.marketId, place.side, place.lots + sideLots(own, place.side))
      : undefined;
    if (margin !== undefined) return soon("hedge-margin", margin);
    const breach = checkPlace(proposal, exposure, accountLimits);
    return breach === null
      ? undefined
      : { ...soon(breach.limit, breach.why), inFull: describeBreach(breach) };
  }

  /**
   * @param works true if the action trades a target position: quotes leave it a few tokens, so that
   * a busy bot can still be flattened.
   */
  #budgetRefusal(kind: DispatchKind, works = false): PreTradeRefusal | undefined {
    const { budget, traders, account, notify } = this.#context;
    let ordersThatMayFill = 0;
    for (const marketId of traders.keys())
      ordersThatMayFill += account.orders.mayStillFill(marketId).length;
    const isQuote = (kind === "place" || kind === "build") && !works;
    const reserved = isQuote ? traders.size * (1 + WORK_TOKENS) : traders.size;
    const verdict = budget.check(kind, {
      ordersThatMayFill,
      markets: reserved,
      queryReserve: QUERY_TOKENS,
    });
    if (verdict.isAllowed) return undefined;
    const { bucket, available, needed, retryAtMs } = verdict;
    const why = `${available} ${bucket} tokens are left, ${needed} needed with those kept for cancels and the guard`;
    notify({ kind: "tokens-short", bucket, action: kind, why, retryAtMs });
    return { limit: `${bucket} tokens`, why, retryAtMs };
  }

  #holdBack(
    key: string,
    trader: MarketTrader,
    { place }: QueuedPlace,
    { limit, why, inFull = why, retryAtMs }: PreTradeRefusal,
  ): void {
    const { dispatcher, backoff, notify } = this.#context;
    dispatcher.markDropped(key);
    backoff.holdUntil(slotSubject(trader.marketId, place.side, place.level), retryAtMs, inFull);
    notify({ kind: "held-back", marketId: trader.marketId, limit, why });
  }

  #cancel(key: string, { marketId, hash, orderId }: QueuedCancel): void {
    const { account, dispatcher, backoff } = this.#context;
    const order = account.orders.get(hash);
    if (order === undefined || !isCancellable(order)) return dispatcher.markDropped(key);
    const refusal = this.#budgetRefusal("cancel");
    if (refusal !== undefined) {
      dispatcher.markDropped(key);
      backoff.holdUntil(cancelSubject(hash), refusal.retryAtMs, refusal.why);
      return;
    }
    this.#send(key, this.#deps.orderFactory.cancel(marketId, orderId, hash));
  }

  #cancelAll(key: string, marketId: MarketId): void {
    if (this.#budgetRefusal("cancel-all") !== undefined)
      return this.#context.dispatcher.markDropped(key);
    this.#send(key, this.#deps.orderFactory.cancelAll(marketId));
  }

  /** A query that cannot be sent is answered here as failed, and its sender retries. */
  #question(key: string, { action }: QueuedQuery): void {
    const refusal = this.#budgetRefusal("question");
    if (refusal === undefined)
      return this.#send(key, this.#deps.orderFactory.withTimestamp(action));
    this.#context.dispatcher.markDropped(key);
    this.#deps.responses.unrequested(action, `${refusal.limit}: ${refusal.why}`);
  }

  /** Hands an action to the journal and to the venue, and marks it as sent in the account. */
  #send(key: string, action: Action, causeMonotonicMs?: Ms): void {
    const { account, dispatcher, budget, clock, exchangeTime, notify, venue } = this.#context;
    budget.spend(action.kind);
    dispatcher.markSent(key, action, clock.monotonicMs());
    this.#deps.journal?.action(action);
    notify({ kind: "dispatched", action, causeMonotonicMs });
    venue.submit(action);
    this.#deps.accountEvents.handleStep(account.onDispatched(action, exchangeTime.nowMs()));
  }
}

/** Lots of one side that orders may still fill. */
function sideLots(orders: readonly Pick<OwnOrder, "side" | "mayFillLots">[], side: Side): Lots {
  let sum = 0;
  for (const order of orders) if (order.side === side) sum += order.mayFillLots;
  return sum;
}
