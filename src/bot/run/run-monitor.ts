import type { AccountChange } from "../../account/changes.js";
import { isFinalPhase } from "../../account/order.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { Clock } from "../../core/seam.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";
import type { Action, Outcome } from "../../exchange/venue.js";
import type { LedgerNote } from "../../liquidator/ledger/liquidation-ledger.js";
import type { Log } from "../../monitoring/log.js";
import { LogOnce } from "../../monitoring/log-once.js";
import { type Metrics, type OrderOutcomeName, PNL_PARTS } from "../../monitoring/metrics.js";
import type { ScreenNote } from "../../monitoring/screen-model.js";
import type { Bot } from "../bot.js";
import { isQuoting } from "../market-standing.js";
import type { Notice, StopResult } from "../notice.js";

import type { RunningLiquidator } from "./run-liquidator.js";

/** Newest notes that the screen keeps. */
const MOST_NOTES = 50;
/** Opportunities whose gas is remembered as counted. */
const MOST_GAS = 500;

/** Hears what a bot tells and turns it into metrics, log lines and the counts of the summary. */
export class RunMonitor {
  readonly notes: ScreenNote[] = [];
  streamGaps = 0;
  malformed = 0;
  stopResult: StopResult | undefined;
  /** When both sides rested in every market for the first time, on the clock that never steps. */
  firstQuoteAtMs: number | undefined;
  /** The newest fills' times, on the clock that never steps. */
  readonly fillsAtMs = new Map<MarketId, Ms[]>();
  /** All fills of the run. */
  readonly fillCounts = new Map<MarketId, number>();
  readonly #metrics: Metrics;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #onStopped: (result: StopResult) => void;
  readonly #causeOf = new Map<number, number>();
  readonly #rarely: LogOnce;
  /** By opportunity, newest last. */
  readonly #gasCounted = new Map<string, bigint>();
  #bot: Bot | undefined;
  #liquidator: RunningLiquidator | undefined;

  constructor(metrics: Metrics, log: Log, clock: Clock, onStopped: (result: StopResult) => void) {
    this.#metrics = metrics;
    this.#log = log;
    this.#clock = clock;
    this.#onStopped = onStopped;
    this.#rarely = new LogOnce(clock);
  }

  attach(bot: Bot): void {
    this.#bot = bot;
  }

  /** Of a bot that has one. */
  get liquidator(): RunningLiquidator | undefined {
    return this.#liquidator;
  }

  attachLiquidator(liquidator: RunningLiquidator): void {
    this.#liquidator = liquidator;
  }

  /** The liquidator has something to say; what it says again and again is said rarely. */
  liquidatorSays(level: ScreenNote["level"], text: string, fields: Readonly<Record<string, unknown>>): void {
    if (level === "info") this.#say(level, text, fields);
    else this.#sayRarely(level, text, fields);
  }

  /** The liquidator's ledger has changed. */
  liquidation({ opportunity, stage, outcome }: LedgerNote): void {
    const { marketId, victim, reason, lostTo, shortOfQuote, profitQuote, gasWei } = opportunity;
    if (stage?.name === "seen" || stage?.name === "confirmed") this.#metrics.liquidation(marketId, stage.name);
    if (stage !== undefined && stage.name !== "seen") this.#metrics.liquidationStage(stage.name, stage.seconds);
    if (stage?.name === "confirmed") this.#say("info", "an account can be liquidated", { marketId, victim });
    const decimals = this.#bot?.context.rules.creditDecimals ?? 0;
    const quote = (units: bigint | undefined): string | undefined => (units === undefined ? undefined : scaledToDecimal(units, decimals));
    if (stage?.name === "unwound") {
      const { state, remainingLots } = opportunity.unwound ?? {};
      const fields = { marketId, victim, state, remainingLots, profitQuote: quote(profitQuote) };
      const isLeft = state === "expired" && remainingLots !== 0;
      if (isLeft) this.#say("warn", "what was taken over was not sold in time", fields);
      else this.#say("info", "what was taken over is sold", fields);
    }
    this.#spent(gasWei, opportunity.id);
    if (outcome === undefined) return;
    this.#metrics.liquidation(marketId, outcome);
    this.#say(outcome === "reverted" ? "warn" : "info", `liquidation ${outcome}`, {
      marketId,
      victim,
      reason,
      lostTo: lostTo?.winner,
      blocksBefore: lostTo?.blocksBefore,
      shortOfQuote: quote(shortOfQuote),
      profitQuote: quote(profitQuote),
    });
  }

  /** Gas counts when its receipt comes, whatever the opportunity comes to. */
  #spent(gasWei: bigint | undefined, opportunityId: string): void {
    if (gasWei === undefined || this.#gasCounted.get(opportunityId) === gasWei) return;
    this.#metrics.liquidationGas(Number(gasWei - (this.#gasCounted.get(opportunityId) ?? 0n)) / 1e18);
    this.#gasCounted.set(opportunityId, gasWei);
    const [oldest] = this.#gasCounted.keys();
    if (this.#gasCounted.size > MOST_GAS && oldest !== undefined) this.#gasCounted.delete(oldest);
  }

  /** The signed bytes of an action went to the transport. */
  written(actionId: number): void {
    const causeMs = this.#causeOf.get(actionId);
    if (causeMs === undefined) return;
    this.#causeOf.delete(actionId);
    this.#metrics.tickToOrder((this.#clock.monotonicMs() - causeMs) / 1000);
  }

  observe(notice: Notice): void {
    switch (notice.kind) {
      case "log":
        return this.#say(notice.level, notice.message, notice.fields);
      case "account":
        return this.#account(notice.change);
      case "dispatched":
        if (notice.causeMonotonicMs !== undefined && notice.action.kind === "place")
          this.#causeOf.set(notice.action.actionId, notice.causeMonotonicMs);
        if (this.#log.writesDebug) this.#log.debug({ action: notice.action.kind, ...subjectOf(notice.action) }, "dispatched");
        return;
      case "answered":
        return this.#answered(notice.action, notice.outcome, notice.tookMs);
      case "book-lost":
        if (notice.gap) {
          this.streamGaps++;
          this.#metrics.streamGap(notice.marketId);
        }
        return this.#say("warn", "book lost", { marketId: notice.marketId, reason: notice.reason });
      case "stream":
        this.#metrics.streamState(notice.stream, notice.state === "up");
        return this.#say(notice.state === "up" ? "info" : "warn", `${notice.stream} stream ${notice.state}`, { reason: notice.reason });
      case "malformed":
        this.malformed++;
        this.#metrics.malformedFrame(notice.where);
        return this.#sayRarely("warn", `malformed ${notice.where}`, { reason: notice.reason });
      case "intent":
        this.#metrics.intent(notice.intent.marketId, notice.intent.kind);
        if (this.#log.writesDebug) this.#log.debug({ intent: notice.intent }, "intent");
        return;
      case "intent-refused":
        this.#metrics.riskRefusal(notice.marketId, notice.refusal);
        return this.#sayRarely("warn", `intent refused: ${notice.refusal}`, { marketId: notice.marketId, why: notice.why });
      case "held-back":
        this.#metrics.riskRefusal(notice.marketId, notice.limit);
        this.#log.debug({ marketId: notice.marketId, limit: notice.limit, why: notice.why }, "held back");
        return;
      case "dry-plan":
        return this.#say("info", "would do", {
          marketId: notice.marketId,
          cancels: notice.plan.cancels.map(({ hash, why }) => ({ hash, why })),
          places: notice.plan.places.map(({ side, level, ticks, lots, why }) => ({ side, level, ticks, lots, why })),
        });
      case "halted":
        if (notice.marketId !== undefined) this.#metrics.marketHalted(notice.marketId, notice.reason, notice.on);
        // The account's gauge shows a reason while it holds anywhere.
        this.#metrics.halted(notice.reason, notice.on || (this.#bot?.safety.halts ?? []).some(({ name }) => name === notice.reason));
        return this.#say(notice.on && this.#hasStarted ? "warn" : "info", this.#haltText(notice.on), {
          reason: notice.reason,
          marketId: notice.marketId,
          why: notice.why,
        });
      case "stopped":
        this.stopResult = notice.result;
        this.#say(notice.result.ordersLeft.length === 0 ? "info" : "error", "stopped", { ...notice.result });
        this.#onStopped(notice.result);
    }
  }

  /** Sets the gauges: at each scrape and each screen. */
  refresh(): void {
    const bot = this.#bot;
    if (bot === undefined) return;
    const { context } = bot;
    const { account, desks, budget, clock, exchangeTime } = context;
    for (const desk of desks.values()) {
      const working = account.orders.mayStillFill(desk.marketId);
      for (const side of ["BUY", "SELL"] as const) {
        this.#metrics.setOpenOrders(desk.marketId, side, working.filter((order) => order.side === side).length);
      }
      this.#metrics.setUnknownOrders(desk.marketId, working.filter(({ phase }) => phase === "unknown").length);
      this.#metrics.setManualOrders(desk.marketId, account.orders.foreign(desk.marketId).length);
      this.#metrics.setQuoting(desk.marketId, isQuoting(bot.context, desk.marketId));
      this.#metrics.setPosition(desk.marketId, account.positionLots(desk.marketId) * desk.instrument.lotBase);
      if (desk.book.synchronised) this.#metrics.setBookAge(desk.marketId, (clock.monotonicMs() - desk.book.lastReceivedMs) / 1000);
      const parts = account.profit(desk.marketId);
      for (const part of PNL_PARTS) {
        this.#metrics.setPnl(desk.marketId, part, Number(parts[part]) / 10 ** parts.decimals);
      }
    }
    const unit = 10 ** context.rules.creditDecimals;
    if (account.equity !== undefined)
      this.#metrics.setEquity(Number(account.equity) / unit, Number(bot.safety.peak ?? account.equity) / unit);
    for (const bucket of ["ORDER", "COMMON"] as const) this.#metrics.setRateTokens(bucket, budget.available(bucket));
    this.#metrics.setClockOffset(exchangeTime.offsetMs / 1000);
    if (bot.safety.accountAtMs !== undefined) this.#metrics.setAccountAge((clock.monotonicMs() - bot.safety.accountAtMs) / 1000);
    this.#metrics.heartbeat(clock.nowMs());
    this.#refreshLiquidator(unit);
  }

  #refreshLiquidator(creditUnit: number): void {
    if (this.#liquidator === undefined) return;
    const { liquidator, ledger, rpc } = this.#liquidator;
    const { watched, inFlight } = liquidator.view();
    const profitQuote = Number(ledger.counts().profitQuote) / creditUnit;
    this.#metrics.setLiquidator({ profitQuote, candidates: watched, inFlight: inFlight.length });
    for (const { name, headAgeMs, distrust } of rpc.report())
      this.#metrics.setRpc(name, distrust === undefined, headAgeMs === undefined ? undefined : headAgeMs / 1000);
  }

  /** Before the account is confirmed for the first time every guard says no, as it should: that is no trouble. */
  get #hasStarted(): boolean {
    return this.#bot !== undefined && this.#bot.phase !== "starting";
  }

  #haltText(on: boolean): string {
    if (!this.#hasStarted) return on ? "not quoting yet" : "no longer in the way";
    return on ? "halted" : "halt over";
  }

  #account(change: AccountChange): void {
    switch (change.kind) {
      case "fill": {
        const { trade } = change;
        this.#metrics.fill(
          trade.marketId,
          trade.side,
          trade.isMaker ? "maker" : "taker",
          trade.lots * (this.#desk(trade.marketId)?.instrument.lotBase ?? 0),
        );
        this.fillCounts.set(trade.marketId, (this.fillCounts.get(trade.marketId) ?? 0) + 1);
        const times = this.fillsAtMs.get(trade.marketId) ?? [];
        times.push(this.#clock.monotonicMs());
        if (times.length > 1_000) times.shift();
        this.fillsAtMs.set(trade.marketId, times);
        const instrument = this.#desk(trade.marketId)?.instrument;
        return this.#say("info", "fill", {
          marketId: trade.marketId,
          side: trade.side,
          price: instrument?.priceOf(trade.ticks),
          amount: instrument?.amountOf(trade.lots),
          liquidity: trade.isMaker ? "maker" : "taker",
          tradeId: trade.id,
        });
      }
      case "trade-failed":
        this.#metrics.settlementFailure(change.trade.marketId);
        return this.#say("warn", "settlement failed: the trade is reversed", {
          marketId: change.trade.marketId,
          tradeId: change.trade.id,
          lots: change.lots,
        });
      case "difference":
        this.#metrics.reconcileDifference(change.difference.kind);
        return this.#say("warn", "differs from the exchange", { ...change.difference });
      case "reconciled":
        this.#metrics.reconciled();
        this.#log.debug({ cause: change.result.cause, tookMs: change.result.finishedAtMs - change.result.startedAtMs }, "reconciled");
        return;
      case "reconcile-failed":
        return this.#sayRarely("warn", `reconcile question failed: ${change.ask}`, { message: change.message });
      case "order":
        this.#noteFirstQuote();
        if (change.change.change === "revived")
          this.#say("error", "an order that was taken for dead is alive", { hash: change.order.hash, from: change.change.from });
        if (change.change.change === "contradiction")
          this.#say("error", "a report contradicts an order of ours", { hash: change.order.hash, text: change.change.text });
        if (change.change.change === "phase" && (change.change.to === "unknown" || isFinalPhase(change.change.to))) {
          this.#log.debug({ hash: change.order.hash, from: change.change.from, to: change.change.to }, "order");
        }
        return;
      case "adopted":
        return this.#say("info", "took over an order of an earlier run", { marketId: change.order.marketId, hash: change.order.hash });
      case "foreign":
        if (change.first)
          this.#say("warn", "an order that this bot did not place: left alone, and counted", {
            marketId: change.order.marketId,
            orderId: change.order.id,
          });
        return;
      case "position-set":
        return this.#say("error", "position set to the exchange's", { marketId: change.marketId, lots: change.lots, was: change.was });
      case "income":
        return this.#income(change.income);
      case "settled":
      case "balances":
        return;
    }
  }

  #income({ type, amount, marketId }: VenueIncome): void {
    const decimals = this.#bot?.context.rules.creditDecimals ?? 0;
    this.#log.info({ type, amountQuote: scaledToDecimal(amount, decimals), marketId }, "income");
  }

  #answered(action: Action, outcome: Outcome, tookMs: Ms): void {
    if (outcome.result === "throttled") this.#metrics.throttled(outcome.httpStatus);
    if (action.kind === "question" || action.kind === "build") return;
    const side =
      action.kind === "place"
        ? action.side
        : action.kind === "cancel"
          ? this.#bot?.context.account.orders.get(action.hash)?.side
          : undefined;
    this.#metrics.orderAction(action.marketId, side, action.kind, outcomeName(outcome));
    this.#metrics.orderAck(tookMs / 1000);
    if (outcome.result === "rejected") {
      this.#metrics.rejection(action.marketId, outcome.code);
      this.#sayRarely("warn", `${action.kind} refused: ${outcome.code} ${outcome.codeText}`, {
        marketId: action.marketId,
        message: outcome.message,
      });
    }
    if (outcome.result === "unknown")
      this.#sayRarely("warn", `${action.kind} unanswered: ${outcome.cause}`, { marketId: action.marketId, message: outcome.message });
  }

  #noteFirstQuote(): void {
    const bot = this.#bot;
    if (this.firstQuoteAtMs !== undefined || bot === undefined) return;
    const quoted = [...bot.context.desks.values()].filter(({ hasStrategy }) => hasStrategy);
    if (quoted.length > 0 && quoted.every(({ marketId }) => isQuoting(bot.context, marketId)))
      this.firstQuoteAtMs = this.#clock.monotonicMs();
  }

  #desk(marketId: MarketId) {
    return this.#bot?.context.desks.get(marketId);
  }

  #sayRarely(level: ScreenNote["level"], text: string, fields: Readonly<Record<string, unknown>>): void {
    const moreBefore = this.#rarely.pass(text);
    if (moreBefore !== undefined) this.#say(level, text, moreBefore === 0 ? fields : { ...fields, moreBefore });
  }

  #say(level: ScreenNote["level"], text: string, fields: Readonly<Record<string, unknown>>): void {
    this.#log[level](fields, text);
    const detail = Object.entries(fields).filter(([, value]) => typeof value === "string" || typeof value === "number");
    this.notes.push({ atMs: this.#clock.nowMs(), level, text: [text, ...detail.map(([key, value]) => `${key}=${value}`)].join(" ") });
    if (this.notes.length > MOST_NOTES) this.notes.shift();
  }
}

function outcomeName(outcome: Outcome): OrderOutcomeName {
  return outcome.result === "built" || outcome.result === "answered" ? "accepted" : outcome.result;
}

function subjectOf(action: Action): Readonly<Record<string, unknown>> {
  switch (action.kind) {
    case "place":
      return { marketId: action.marketId, side: action.side, ticks: action.ticks, lots: action.lots, hash: action.hash };
    case "cancel":
      return { marketId: action.marketId, hash: action.hash, orderId: action.orderId };
    case "question":
      return { ask: action.ask };
    default:
      return { marketId: action.marketId };
  }
}
