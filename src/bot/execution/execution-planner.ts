import type { OwnOrder } from "../../account/orders/order.js";
import type { Hex, Lots, Ms, Side } from "../../core/units.js";
import type { BestPrices } from "../../executor/crossing.js";
import { paceTolerance } from "../../executor/pacing.js";
import type { Plan, PlannedKeep, PlannedPlace } from "../../executor/plan.js";
import { planQuotes, type QuoteSettings } from "../../executor/plan-quotes.js";
import { planTarget, type TargetInput, type TargetPlan } from "../../executor/plan-target.js";
import { planUnwind } from "../../executor/plan-unwind.js";
import { type RankedCancel, rankedCancel, withRankedCancel } from "../../executor/ranked-cancel.js";
import { isCancellable, type WorkingOrder } from "../../executor/working-order.js";
import { applyLadderEffect } from "../../risk/apply-ladder-effect.js";
import { MANUAL_HALT } from "../../risk/halt.js";
import type { LadderEffect } from "../../risk/risk-ladder.js";
import type { Quote, TargetIntent, UnwindSchedule } from "../../strategies/intent.js";
import type { BotConfig } from "../config/config.js";
import type { AccountEventHandler } from "../engine/account-event-handler.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader, PlanBasis, WorkedTarget } from "../market/market-trader.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import type { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import { cancelSubject, slotSubject } from "./dispatcher.js";
import { executorTouch, restingIn } from "./executor-touch.js";

const SIDES: readonly Side[] = ["BUY", "SELL"];
/** How far beyond the touch a slice of a target position may reach. */
const SLICE_REACH_TICKS = 20;

/** A plan, and the conditions under which it was made. */
interface PlanOnBasis extends PlanBasis {
  readonly plan: Plan;
}

/**
 * Plans a market from its desired quotes and working orders, and makes the outbox match the plan.
 */
export class ExecutionPlanner {
  readonly #context: BotContext;
  readonly #tradingGuards: TradingGuards;
  readonly #liquidatedInventory: LiquidatedInventory;
  readonly #accountEvents: AccountEventHandler;
  #settings: QuoteSettings;
  /**
   * The same while only reducing orders may rest: an order larger than its quote would reverse the
   * position.
   */
  #reducing: QuoteSettings;
  readonly #lastReported = new Map<string, string>();

  constructor(
    context: BotContext,
    safety: TradingGuards,
    unwinding: LiquidatedInventory,
    news: AccountEventHandler,
  ) {
    this.#context = context;
    this.#tradingGuards = safety;
    this.#liquidatedInventory = unwinding;
    this.#accountEvents = news;
    this.#settings = settingsFor(context.config.quotes);
    this.#reducing = reducingSettings(this.#settings);
  }

  /** Applies the configuration in force. */
  configure(): void {
    this.#settings = settingsFor(this.#context.config.quotes);
    this.#reducing = reducingSettings(this.#settings);
  }

  /** The plan that a market would have with other quotes and settings now; it changes nothing. */
  preview(trader: MarketTrader, { quotes, config, overLimit }: PlanPreview): Plan {
    const settings = settingsFor(config);
    const wanted = this.#mayQuote(trader) ? this.#laddered(trader, quotes) : NO_QUOTES;
    const { plan } = this.#quotesPlan(trader, wanted, settings, reducingSettings(settings));
    return this.#withoutOverLimit(trader, plan, overLimit);
  }

  /**
   * Plans one market and queues the plan in the outbox. `causeMonotonicMs`: when the message was
   * received that led to the plan, if one did.
   */
  plan(trader: MarketTrader, causeMonotonicMs: Ms | undefined): void {
    trader.startPlan();
    const nowMs = this.#context.exchangeTime.nowMs();
    const planned = this.#planOf(trader, nowMs);
    const plan = this.#withoutOverLimit(trader, planned.plan, trader.overLimit);
    trader.finishPlan(plan, planned);
    this.#assignLevels(trader, plan);
    if (this.#context.dryRun) this.#report(trader, plan);
    else this.#queue(trader, plan, causeMonotonicMs);
  }

  /**
   * True if a plan at this view may be another than the newest one, although nothing has marked the
   * market: the newest one acts, ages or withholds something, or it saw another touch. The book may
   * show an order of ours for a moment after its end, so the touch changes without an event of its
   * own.
   */
  mayDiffer(trader: MarketTrader): boolean {
    const { plan, planTouch } = trader;
    const { orders } = this.#context.account;
    if (plan === undefined || planTouch === undefined || !trader.isPlanLasting) return true;
    if (plan.places.length > 0 || plan.cancels.length > 0 || plan.withheld.length > 0) return true;
    if (orders.foreign(trader.marketId).length > 0) return true;
    const { bestBidTicks, bestAskTicks } = executorTouch(trader, restingIn(trader, orders));
    return bestBidTicks !== planTouch.bestBidTicks || bestAskTicks !== planTouch.bestAskTicks;
  }

  /** Cancels the kept orders that changed limits do not allow. */
  #withoutOverLimit(trader: MarketTrader, plan: Plan, overLimit: ReadonlyMap<Hex, string>): Plan {
    if (overLimit.size === 0) return plan;
    const { orders } = this.#context.account;
    const touch = executorTouch(trader, restingIn(trader, orders));
    const kept: PlannedKeep[] = [];
    let cancels: RankedCancel[] = plan.cancels.map((cancel) => ({
      ...cancel,
      lots: orders.get(cancel.hash)?.mayFillLots ?? 0,
    }));
    for (const keep of plan.keeps) {
      const why = overLimit.get(keep.hash);
      const order = why === undefined ? undefined : orders.get(keep.hash);
      if (why === undefined || order === undefined || !isCancellable(order)) kept.push(keep);
      else cancels = withRankedCancel(cancels, rankedCancel(order, why, touch));
    }
    return { ...plan, keeps: kept, cancels };
  }

  #planOf(trader: MarketTrader, nowMs: Ms): PlanOnBasis {
    const unwind =
      trader.target === undefined && this.#mayUnwind(trader)
        ? this.#liquidatedInventory.intentFor(trader)
        : undefined;
    trader.setUnwind(unwind);
    if (unwind !== undefined) {
      const touch = executorTouch(trader, restingIn(trader, this.#context.account.orders));
      const unwindPlan = this.#worked(trader, unwind, trader.lastUnwindSliceAtMs, touch, nowMs);
      this.#liquidatedInventory.planned(trader, unwindPlan.state, unwindPlan.why);
      return { plan: unwindPlan, isLasting: false, touch };
    }
    if (trader.target !== undefined && this.#context.phase === "running") {
      if (!this.#mayWork(trader, trader.target))
        return this.#quotesPlan(trader, NO_QUOTES, this.#settings, this.#reducing);
      const touch = executorTouch(trader, restingIn(trader, this.#context.account.orders));
      const targetPlan = this.#worked(
        trader,
        trader.target.intent,
        trader.target.lastSliceAtMs,
        touch,
        nowMs,
      );
      const { state, why } = targetPlan;
      if (state === "done" || state === "dust" || state === "expired") {
        this.#context.notify({
          kind: "log",
          level: state === "expired" ? "warn" : "info",
          message: `target position ${state}`,
          fields: { marketId: trader.marketId, targetLots: trader.target.intent.targetLots, why },
        });
        trader.completeTarget();
      }
      return { plan: targetPlan, isLasting: false, touch };
    }
    return this.#quotesPlan(trader, this.#quotesOf(trader), this.#settings, this.#reducing);
  }

  /** The plan from these quotes. @param reducing while only reducing orders may rest */
  #quotesPlan(
    trader: MarketTrader,
    quotes: readonly Quote[],
    usual: QuoteSettings,
    reducing: QuoteSettings,
  ): PlanOnBasis {
    const { account, budget } = this.#context;
    const orders = account.orders.mayStillFill(trader.marketId);
    const working = this.#workingOrders(trader, orders);
    const touch = executorTouch(trader, restingIn(trader, account.orders));
    const nowMs = this.#context.exchangeTime.nowMs();
    const isReducing = this.#effectOn(trader).isReduceOnly;
    const settings = isReducing ? reducing : usual;
    const paced = paceTolerance(
      settings.tolerance,
      quotes,
      budget.available("ORDER") / budget.limit("ORDER"),
    );
    const tolerance =
      isReducing && paced !== settings.tolerance ? { ...paced, sizeFraction: 0 } : paced;
    const plan = planQuotes({
      marketId: trader.marketId,
      quotes,
      working,
      rules: trader.rules,
      touch,
      foreign: this.#foreign(trader),
      settings: tolerance === settings.tolerance ? settings : { ...settings, tolerance },
      nowMs,
    });
    // With a one-sided book the strategy is not called. New quotes would repeat the price of before
    // after each fill, so only resting orders stay.
    const isPut = trader.netMidTicks !== undefined || plan.places.length === 0;
    return {
      plan: isPut ? plan : { ...plan, places: NO_PLACES },
      isLasting:
        tolerance === settings.tolerance &&
        plan.withdrawals.length === 0 &&
        settings.timeInForce !== "GTT" &&
        !working.some(endsByItself),
      touch,
    };
  }

  /** The plan towards a target position, by the kind of its schedule. */
  #worked(
    trader: MarketTrader,
    intent: TargetIntent,
    lastSliceAtMs: Ms | undefined,
    touch: BestPrices,
    nowMs: Ms,
  ): TargetPlan {
    const { account } = this.#context;
    const foreign = this.#foreign(trader);
    const common = {
      positionLots: account.positionLots(trader.marketId),
      working: [
        ...this.#workingOrders(trader, account.orders.mayStillFill(trader.marketId)),
        ...unmatchedFills(this.#context, trader),
      ],
      rules: trader.rules,
      touch,
      foreignTouch: foreign.touch,
      reachTicks: trader.target?.isByLadder === true ? Number.POSITIVE_INFINITY : SLICE_REACH_TICKS,
      lastSliceAtMs,
      nowMs,
    } satisfies Omit<TargetInput, "intent">;
    const { schedule } = intent;
    if (schedule.kind !== "unwind")
      return planTarget({ intent: { ...intent, schedule }, ...common });
    const quotes = trader.target === undefined ? this.#quotesOf(trader) : NO_QUOTES;
    // The unwinding's own quotes never take, even if the strategy's may.
    const isJoint = quotes.some(
      ({ side }) => side === reducingSide(account.positionLots(trader.marketId)),
    );
    // An order above its size would run ahead of a target's schedule, or take a slice's room.
    const usual = trader.target === undefined ? this.#settings : this.#reducing;
    const settings: QuoteSettings = isJoint ? usual : { ...usual, timeInForce: "POST_ONLY" };
    const unwind: TargetIntent & { readonly schedule: UnwindSchedule } = { ...intent, schedule };
    return planUnwind({
      intent: unwind,
      marketId: trader.marketId,
      foreign,
      quotes,
      settings,
      ...common,
    });
  }

  /**
   * A strategy's target that quotes is worked only while its quotes may rest, and only towards zero
   * while orders only reduce. An operator's and the ladder's send slices alone, each checked as it
   * leaves.
   */
  #mayWork(trader: MarketTrader, { intent, byOperator }: WorkedTarget): boolean {
    if (byOperator || intent.schedule.kind !== "unwind") return true;
    if (!this.#mayQuote(trader)) return false;
    const positionLots = this.#context.account.positionLots(trader.marketId);
    const isReducing =
      Math.abs(intent.targetLots) <= Math.abs(positionLots) &&
      intent.targetLots * positionLots >= 0;
    return isReducing || !this.#effectOn(trader).isReduceOnly;
  }

  /**
   * An unwinding continues through halts that only stop quoting, as orders that reduce. It waits
   * during a manual halt, and while the state of the market or the account cannot be trusted.
   */
  #mayUnwind(trader: MarketTrader): boolean {
    const { marketId, book } = trader;
    if (
      this.#context.phase !== "running" ||
      !book.isSynchronised ||
      !this.#liquidatedInventory.isOpen(marketId)
    )
      return false;
    return (
      this.#tradingGuards.allowedPlaces(marketId) !== "none" &&
      !this.#tradingGuards.haltsFor(marketId).some(({ name }) => name === MANUAL_HALT)
    );
  }

  /**
   * An order of an earlier run that serves a quote takes that quote's slot, and occupies it from
   * now on.
   */
  #assignLevels(trader: MarketTrader, plan: Plan): void {
    const { orders } = this.#context.account;
    for (const { hash, side, level, quoteLevel } of plan.keeps) {
      if (level < 0 && !orders.slotOccupied(trader.marketId, side, quoteLevel, hash))
        orders.assignLevel(hash, quoteLevel);
    }
  }

  /** The strategy's quotes, as the risk ladder lets them rest; empty if nothing may be quoted. */
  #quotesOf(trader: MarketTrader): readonly Quote[] {
    if (trader.quotes === undefined || !this.#mayQuote(trader)) return NO_QUOTES;
    return this.#laddered(trader, trader.quotes.quotes);
  }

  #laddered(trader: MarketTrader, quotes: readonly Quote[]): readonly Quote[] {
    const { account, hedges } = this.#context;
    const laddered = this.#effectOn(trader);
    const { marketId, referenceWidenFactor } = trader;
    const effect =
      referenceWidenFactor > laddered.widenFactor
        ? { ...laddered, widenFactor: referenceWidenFactor }
        : laddered;
    const positionLots = hedges.netLots(marketId) ?? account.positionLots(marketId);
    return applyLadderEffect(quotes, {
      effect,
      midTicks: trader.quotesMidTicks,
      positionLots,
      rules: trader.rules,
    });
  }

  /** The effect of the risk ladder, and of a hedge that does not keep up. */
  #effectOn({ marketId }: MarketTrader): LadderEffect {
    const effect = this.#tradingGuards.ladder.effectOn(marketId);
    return effect.isReduceOnly || this.#context.hedges.restrictionOn(marketId) === undefined
      ? effect
      : { ...effect, isReduceOnly: true };
  }

  #mayQuote(trader: MarketTrader): boolean {
    return (
      this.#context.phase === "running" &&
      trader.running &&
      !trader.isAwaitingView &&
      this.#tradingGuards.areQuotesAllowed(trader.marketId)
    );
  }

  /** Own orders that occupy a slot, and builds in flight, whose order does not have a hash yet. */
  #workingOrders(trader: MarketTrader, known: readonly OwnOrder[]): readonly WorkingOrder[] {
    const { config, dispatcher } = this.#context;
    // Each plan reads this list, and hardly any order is immediate or server-built: then the list
    // is used as it is.
    const orders: readonly WorkingOrder[] = known.some(isImmediate)
      ? known.map((order) =>
          isImmediate(order)
            ? { endDueMs: order.requestTimestampMs + config.exchange.signatureWindowMs, ...order }
            : order,
        )
      : known;
    if (dispatcher.inFlightCount === 0) return orders;
    let builds: WorkingOrder[] | undefined;
    for (const { action, item } of dispatcher.inFlight()) {
      if (action.kind !== "build" || action.marketId !== trader.marketId || item.kind !== "place")
        continue;
      const { side, ticks, lots, timeInForce, expirationMs } = action;
      builds ??= [];
      builds.push({
        hash: `build ${action.actionId}`,
        side,
        level: item.place.level,
        ticks,
        lots,
        mayFillLots: lots,
        phase: "sent",
        orderId: undefined,
        expirationMs,
        timeInForce,
      });
    }
    return builds === undefined ? orders : [...orders, ...builds];
  }

  #foreign(trader: MarketTrader): { readonly touch: BestPrices; readonly openOrders: number } {
    const orders = this.#context.account.orders.foreign(trader.marketId);
    if (orders.length === 0) return NO_FOREIGN;
    let bestBidTicks: number | undefined;
    let bestAskTicks: number | undefined;
    for (const { side, ticks, availableLots } of orders) {
      if (availableLots <= 0) continue;
      if (side === "BUY") bestBidTicks = Math.max(ticks, bestBidTicks ?? ticks);
      else bestAskTicks = Math.min(ticks, bestAskTicks ?? ticks);
    }
    return { touch: { bestBidTicks, bestAskTicks }, openOrders: orders.length };
  }

  #queue(trader: MarketTrader, plan: Plan, causeMonotonicMs: Ms | undefined): void {
    const { dispatcher, backoff, clock, account, exchangeTime } = this.#context;
    // There is nothing to do, and no earlier action waits.
    if (isEmpty(plan) && dispatcher.waitingCount === 0) return;
    const { marketId } = trader;
    const nowMs = clock.monotonicMs();
    // Only items that waited before this plan may be obsolete.
    const wanted = dispatcher.waitingCount === 0 ? undefined : new Set<string>();
    for (let rank = 0; rank < plan.cancels.length; rank++) {
      const { hash, orderId, why } = plan.cancels[rank];
      const subject = cancelSubject(hash);
      if (backoff.isHeld(subject, nowMs)) continue;
      wanted?.add(subject);
      dispatcher.enqueue({ kind: "cancel", marketId, hash, orderId, why }, rank);
    }
    for (let rank = 0; rank < plan.places.length; rank++) {
      const place = plan.places[rank];
      const subject = slotSubject(marketId, place.side, place.level);
      if (backoff.isHeld(subject, nowMs)) continue;
      wanted?.add(subject);
      dispatcher.enqueue({ kind: "place", marketId, place, causeMonotonicMs }, rank);
    }
    if (wanted !== undefined) dispatcher.keepOnly(marketId, wanted);
    for (const { hash, why } of plan.withdrawals) {
      dispatcher.withdraw(`built:${hash}`);
      this.#accountEvents.handleStep(account.withdraw(hash, exchangeTime.nowMs(), why));
    }
  }

  #report(trader: MarketTrader, plan: Plan): void {
    const text = JSON.stringify([
      plan.cancels,
      plan.places.map(({ side, level, ticks, lots }) => [side, level, ticks, lots]),
    ]);
    if (this.#lastReported.get(trader.marketId) === text) return;
    this.#lastReported.set(trader.marketId, text);
    this.#context.notify({ kind: "dry-plan", marketId: trader.marketId, plan });
  }
}

/** Quotes and settings that are not in force. */
export interface PlanPreview {
  readonly quotes: readonly Quote[];
  readonly config: BotConfig["quotes"];
  readonly overLimit: ReadonlyMap<Hex, string>;
}

function settingsFor({
  timeInForce,
  quoteLifeMs,
  priceToleranceTicks,
  sizeToleranceFraction,
}: BotConfig["quotes"]): QuoteSettings {
  return {
    tolerance: { priceTicks: priceToleranceTicks, sizeFraction: sizeToleranceFraction },
    timeInForce,
    gtt: {
      quoteLifeMs,
      renewLeadMs: renewLeadMs(quoteLifeMs),
      renewStaggerMs: Math.max(200, quoteLifeMs / 50),
    },
    onCross: "behind",
  };
}

function reducingSettings(settings: QuoteSettings): QuoteSettings {
  return { ...settings, tolerance: { ...settings.tolerance, sizeFraction: 0 } };
}

/** The plan of an order that ends by itself changes with time. */
function endsByItself({ expirationMs, endDueMs }: WorkingOrder): boolean {
  return expirationMs > 0 || endDueMs !== undefined;
}

function isEmpty({ cancels, places, withdrawals }: Plan): boolean {
  return cancels.length === 0 && places.length === 0 && withdrawals.length === 0;
}

/**
 * True for an order that never rests: the exchange cancels the part that does not match at once
 * (docs/reference/exchange-interface.md#order-types).
 */
function isImmediate({ timeInForce }: OwnOrder): boolean {
  return timeInForce === "IOC" || timeInForce === "FOK";
}

/**
 * Lots that orders have matched before their trade was reported. They will be position, and must
 * not be traded a second time.
 */
function unmatchedFills({ account }: BotContext, trader: MarketTrader): readonly WorkingOrder[] {
  const pseudo = (side: Side, lots: Lots): WorkingOrder => ({
    hash: `unseen ${side}`,
    side,
    level: -1,
    ticks: 0,
    lots,
    mayFillLots: 0,
    unreportedLots: lots,
    phase: "matched",
    expirationMs: 0,
    timeInForce: "GTC",
  });
  return SIDES.map((side) =>
    pseudo(side, account.orders.unmatchedLots(trader.marketId, side)),
  ).filter(({ lots }) => lots > 0);
}

/**
 * How long before its end a GTT quote with this life is renewed
 * (docs/ideas/design.md#time-in-force).
 */
export function renewLeadMs(quoteLifeMs: Ms): Ms {
  return Math.max(1_000, quoteLifeMs / 10);
}

const NO_QUOTES: readonly Quote[] = [];

const NO_PLACES: readonly PlannedPlace[] = [];

const NO_FOREIGN = {
  touch: { bestBidTicks: undefined, bestAskTicks: undefined },
  openOrders: 0,
} as const;

function reducingSide(positionLots: Lots): Side {
  return positionLots > 0 ? "SELL" : "BUY";
}
