import type { OwnOrder } from "../account/order.js";
import type { Lots, Ms, Side } from "../core/units.js";
import type { Touch } from "../executor/crossing.js";
import { pacedTolerance } from "../executor/pacing.js";
import type { Plan, PlannedPlace } from "../executor/plan.js";
import { planQuotes, type QuoteSettings } from "../executor/plan-quotes.js";
import { planUnwind } from "../executor/plan-unwind.js";
import { planTarget, type TargetInput, type TargetPlan } from "../executor/target-position.js";
import type { WorkingOrder } from "../executor/working-order.js";
import { MANUAL } from "../risk/halt.js";
import { quotesUnder } from "../risk/ladder-quotes.js";
import type { Quote, TargetIntent, UnwindSchedule } from "../strategies/intent.js";
import type { BotContext } from "./context.js";
import type { Desk } from "./desk.js";
import { cancelSubject, slotSubject } from "./dispatcher.js";
import { executorTouch, restingIn } from "./executor-touch.js";
import type { Safety } from "./safety.js";
import type { Unwinding } from "./unwind/unwinding.js";

const SIDES: readonly Side[] = ["BUY", "SELL"];
/** How far beyond the touch a slice of a target position may reach. */
const SLICE_REACH_TICKS = 20;

/** Plans a market anew from what is wanted and what works, and makes the outbox hold just that. */
export class Planning {
  readonly #context: BotContext;
  readonly #safety: Safety;
  readonly #unwinding: Unwinding;
  readonly #settings: QuoteSettings;
  /** The same where only reducing orders may rest: one that is larger than its quote would turn the position around. */
  readonly #reducing: QuoteSettings;
  readonly #told = new Map<string, string>();

  constructor(context: BotContext, safety: Safety, unwinding: Unwinding) {
    this.#context = context;
    this.#safety = safety;
    this.#unwinding = unwinding;
    const { timeInForce, quoteLifeMs, priceToleranceTicks, sizeToleranceFraction } =
      context.config.quotes;
    this.#settings = {
      tolerance: { priceTicks: priceToleranceTicks, sizeFraction: sizeToleranceFraction },
      timeInForce,
      gtt: {
        quoteLifeMs,
        renewLeadMs: renewLeadMs(quoteLifeMs),
        renewStaggerMs: Math.max(200, quoteLifeMs / 50),
      },
      onCross: "behind",
    };
    this.#reducing = {
      ...this.#settings,
      tolerance: { ...this.#settings.tolerance, sizeFraction: 0 },
    };
  }

  /** Plans one market and puts the plan in the outbox. */
  plan(desk: Desk): void {
    desk.dirty = false;
    const nowMs = this.#context.exchangeTime.nowMs();
    const plan = this.#planOf(desk, nowMs);
    desk.plan = plan;
    this.#assignLevels(desk, plan);
    if (this.#context.dryRun) this.#tell(desk, plan);
    else this.#queue(desk, plan);
  }

  #planOf(desk: Desk, nowMs: Ms): Plan {
    const orders = this.#context.account.orders.mayStillFill(desk.marketId);
    const working = this.#workingOrders(desk, orders);
    const touch = executorTouch(desk, restingIn(desk, this.#context.account.orders));
    desk.unwind =
      desk.target === undefined && this.#mayUnwind(desk)
        ? this.#unwinding.intentOf(desk)
        : undefined;
    if (desk.unwind !== undefined) {
      const unwindPlan = this.#worked(desk, desk.unwind, desk.lastTakeAtMs, touch, nowMs);
      this.#unwinding.planned(desk, unwindPlan.state, unwindPlan.why);
      return unwindPlan;
    }
    if (desk.target !== undefined && this.#context.phase === "running") {
      const targetPlan = this.#worked(
        desk,
        desk.target.intent,
        desk.target.lastSliceAtMs,
        touch,
        nowMs,
      );
      const { state, why } = targetPlan;
      if (state === "done" || state === "dust" || state === "expired") {
        this.#context.notify({
          kind: "log",
          level: state === "expired" ? "warn" : "info",
          message: `target position ${state}`,
          fields: { marketId: desk.marketId, targetLots: desk.target.intent.targetLots, why },
        });
        desk.target = undefined;
      }
      return targetPlan;
    }
    const quotes = this.#quotesOf(desk);
    const { budget } = this.#context;
    const isReducing = this.#safety.ladder.effectOn(desk.marketId).isReduceOnly;
    const settings = isReducing ? this.#reducing : this.#settings;
    const paced = pacedTolerance(
      settings.tolerance,
      quotes,
      budget.available("ORDER") / budget.limit("ORDER"),
    );
    const tolerance =
      isReducing && paced !== settings.tolerance ? { ...paced, sizeFraction: 0 } : paced;
    const plan = planQuotes({
      marketId: desk.marketId,
      quotes,
      working,
      rules: desk.rules,
      touch,
      foreign: this.#foreign(desk),
      settings: tolerance === settings.tolerance ? settings : { ...settings, tolerance },
      nowMs,
    });
    // Nobody can be asked what to quote beside one side: each fill would be put up again at the price of before. What rests may stay.
    return desk.netMidTicks !== undefined || plan.places.length === 0
      ? plan
      : { ...plan, places: NO_PLACES };
  }

  /** The plan towards a target position, by its schedule's kind. */
  #worked(
    desk: Desk,
    intent: TargetIntent,
    lastSliceAtMs: Ms | undefined,
    touch: Touch,
    nowMs: Ms,
  ): TargetPlan {
    const { account } = this.#context;
    const foreign = this.#foreign(desk);
    const common = {
      positionLots: account.positionLots(desk.marketId),
      working: [
        ...this.#workingOrders(desk, account.orders.mayStillFill(desk.marketId)),
        ...unseenMatches(this.#context, desk),
      ],
      rules: desk.rules,
      touch,
      foreignTouch: foreign.touch,
      reachTicks: desk.target?.isByLadder === true ? Number.POSITIVE_INFINITY : SLICE_REACH_TICKS,
      lastSliceAtMs,
      nowMs,
    } satisfies Omit<TargetInput, "intent">;
    const { schedule } = intent;
    if (schedule.kind !== "unwind")
      return planTarget({ intent: { ...intent, schedule }, ...common });
    const quotes = desk.target === undefined ? this.#quotesOf(desk) : NO_QUOTES;
    // Its own offers take nothing, whatever the strategy's may.
    const isJoint = quotes.some(
      ({ side }) => side === reducingSide(account.positionLots(desk.marketId)),
    );
    const settings: QuoteSettings = isJoint
      ? this.#settings
      : { ...this.#settings, timeInForce: "POST_ONLY" };
    const unwind: TargetIntent & { readonly schedule: UnwindSchedule } = { ...intent, schedule };
    return planUnwind({
      intent: unwind,
      marketId: desk.marketId,
      foreign,
      quotes,
      settings,
      ...common,
    });
  }

  /**
   * An unwinding goes on through halts that only stop the quoting, as orders that reduce. It waits while a person has halted, and while what
   * we know of the market or the account is not to be trusted.
   */
  #mayUnwind(desk: Desk): boolean {
    const { marketId, book } = desk;
    if (
      this.#context.phase !== "running" ||
      !book.synchronised ||
      !this.#unwinding.isOpen(marketId)
    )
      return false;
    return (
      this.#safety.placesAllowed(marketId) !== "none" &&
      !this.#safety.haltsOf(marketId).some(({ name }) => name === MANUAL)
    );
  }

  /** An order of an earlier run that serves a quote takes that quote's slot, and closes it from now on. */
  #assignLevels(desk: Desk, plan: Plan): void {
    const { orders } = this.#context.account;
    for (const { hash, side, level, quoteLevel } of plan.keeps) {
      if (level < 0 && !orders.slotOccupied(desk.marketId, side, quoteLevel, hash))
        orders.assignLevel(hash, quoteLevel);
    }
  }

  /** What the strategy wants, as the risk ladder lets it rest; nothing where nothing may be quoted. */
  #quotesOf(desk: Desk): readonly Quote[] {
    if (desk.quotes === undefined || !this.#mayQuote(desk)) return NO_QUOTES;
    const effect = this.#safety.ladder.effectOn(desk.marketId);
    const positionLots = this.#context.account.positionLots(desk.marketId);
    return quotesUnder(desk.quotes.quotes, {
      effect,
      midTicks: desk.quotesMidTicks,
      positionLots,
      rules: desk.rules,
    });
  }

  #mayQuote(desk: Desk): boolean {
    return (
      this.#context.phase === "running" &&
      desk.running &&
      !desk.awaitingView &&
      this.#safety.quotesAllowed(desk.marketId)
    );
  }

  /** Own orders that close a slot, and builds under way, whose order has no hash yet. */
  #workingOrders(desk: Desk, known: readonly OwnOrder[]): readonly WorkingOrder[] {
    const { config, dispatcher } = this.#context;
    // Asked for with every plan, and hardly ever is any of them immediate or built elsewhere: then the list stands as it is.
    const orders: readonly WorkingOrder[] = known.some(isImmediate)
      ? known.map((order) =>
          isImmediate(order)
            ? { endDueMs: order.requestTimestampMs + config.exchange.signatureWindowMs, ...order }
            : order,
        )
      : known;
    if (dispatcher.inFlightCount === 0) return orders;
    let builds: WorkingOrder[] | undefined;
    for (const { action, waiting } of dispatcher.inFlight()) {
      if (action.kind !== "build" || action.marketId !== desk.marketId || waiting.kind !== "place")
        continue;
      const { side, ticks, lots, timeInForce, expirationMs } = action;
      builds ??= [];
      builds.push({
        hash: `build ${action.actionId}`,
        side,
        level: waiting.place.level,
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

  #foreign(desk: Desk): { readonly touch: Touch; readonly openOrders: number } {
    const orders = this.#context.account.orders.foreign(desk.marketId);
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

  #queue(desk: Desk, plan: Plan): void {
    const { dispatcher, holds, clock } = this.#context;
    // Nothing to do, and nothing waits that was to be done.
    if (isEmpty(plan) && dispatcher.waitingCount === 0) return;
    const { marketId } = desk;
    const nowMs = clock.monotonicMs();
    // Only what waited before this plan may be wanted no more.
    const wanted = dispatcher.waitingCount === 0 ? undefined : new Set<string>();
    for (let rank = 0; rank < plan.cancels.length; rank++) {
      const { hash, orderId, why } = plan.cancels[rank];
      const subject = cancelSubject(hash);
      if (holds.holds(subject, nowMs)) continue;
      wanted?.add(subject);
      dispatcher.want({ kind: "cancel", marketId, hash, orderId, why }, rank);
    }
    for (let rank = 0; rank < plan.places.length; rank++) {
      const place = plan.places[rank];
      const subject = slotSubject(marketId, place.side, place.level);
      if (holds.holds(subject, nowMs)) continue;
      wanted?.add(subject);
      dispatcher.want(
        { kind: "place", marketId, place, causeMonotonicMs: this.#context.receivedMonotonicMs() },
        rank,
      );
    }
    if (wanted !== undefined) dispatcher.keepOnly(marketId, wanted);
    for (const { hash, why } of plan.withdrawals) {
      dispatcher.withdraw(`built:${hash}`);
      this.#context.absorb(
        this.#context.account.withdraw(hash, this.#context.exchangeTime.nowMs(), why),
      );
    }
  }

  #tell(desk: Desk, plan: Plan): void {
    const text = JSON.stringify([
      plan.cancels,
      plan.places.map(({ side, level, ticks, lots }) => [side, level, ticks, lots]),
    ]);
    if (this.#told.get(desk.marketId) === text) return;
    this.#told.set(desk.marketId, text);
    this.#context.notify({ kind: "dry-plan", marketId: desk.marketId, plan });
  }
}

function isEmpty({ cancels, places, withdrawals }: Plan): boolean {
  return cancels.length === 0 && places.length === 0 && withdrawals.length === 0;
}

/** What of it does not match at once is cancelled by the exchange: it never rests (protocol, section 5). */
function isImmediate({ timeInForce }: OwnOrder): boolean {
  return timeInForce === "IOC" || timeInForce === "FOK";
}

/** What orders have matched and no trade has told yet: it will be position, and must not be worked a second time. */
function unseenMatches({ account }: BotContext, desk: Desk): readonly WorkingOrder[] {
  const pseudo = (side: Side, lots: Lots): WorkingOrder => ({
    hash: `unseen ${side}`,
    side,
    level: -1,
    ticks: 0,
    lots,
    mayFillLots: 0,
    untoldLots: lots,
    phase: "matched",
    expirationMs: 0,
    timeInForce: "GTC",
  });
  return SIDES.map((side) => pseudo(side, account.orders.unseenLots(desk.marketId, side))).filter(
    ({ lots }) => lots > 0,
  );
}

/** How long before its end a GTT quote of this life is renewed (design, rule 10). */
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
