import type { AccountChange } from "../../../account/account-change.js";
import { isFinalPhase, type OrderChange } from "../../../account/orders/order.js";
import { shellWord } from "../../../core/files/shell-word.js";
import { scaledToDecimal } from "../../../core/instrument.js";
import type { Clock } from "../../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../../core/units.js";
import type { VenueIncome, VenueOrder, VenueTrade } from "../../../exchange/records.js";
import type { Action, Outcome } from "../../../exchange/venue.js";
import type { Log } from "../../../monitoring/log.js";
import type { Metrics, OrderOutcomeName } from "../../../monitoring/metrics.js";
import type { ScreenNote } from "../../../monitoring/screen/screen-model.js";
import type { Bot } from "../../engine/bot.js";
import type { BotEvent, StopResult } from "../../engine/bot-event.js";
import { isQuoting } from "../../market/quoting-status.js";
import { actionText } from "../../safety/ladder-text.js";
import { RecentFills } from "../../status/recent-fills.js";
import { logStrategyFailure } from "../../strategy/log-strategy-failure.js";
import { setBotGauges } from "./bot-gauges.js";
import { LiquidationMonitor } from "./liquidation-monitor.js";
import { RunLog } from "./run-log.js";
import { TokenShortages } from "./token-shortages.js";

type HaltEvent = Extract<BotEvent, { kind: "halted" }>;

/** Turns a bot's events into metrics, log lines and the counts of the summary. */
export class RunMonitor {
  /** The monitor of its liquidator's events. */
  readonly liquidation: LiquidationMonitor;
  /** The newest fills, for a cockpit. */
  readonly recentFills = new RecentFills();
  streamGaps = 0;
  malformed = 0;
  stopResult: StopResult | undefined;
  /** When both sides rested in every market for the first time, on the monotonic clock. */
  firstQuoteAtMs: number | undefined;
  readonly #metrics: Metrics;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #onStopped: (result: StopResult) => void;
  readonly #causeOf = new Map<number, number>();
  readonly #runLog: RunLog;
  readonly #shortages: TokenShortages;
  #bot: Bot | undefined;

  constructor(metrics: Metrics, log: Log, clock: Clock, onStopped: (result: StopResult) => void) {
    this.#metrics = metrics;
    this.#log = log;
    this.#clock = clock;
    this.#onStopped = onStopped;
    this.#runLog = new RunLog(log, clock);
    this.#shortages = new TokenShortages(this.#runLog, metrics, clock, () => this.#bot);
    this.liquidation = new LiquidationMonitor(metrics, this.#runLog, () => this.#bot);
  }

  attach(bot: Bot): void {
    this.#bot = bot;
  }

  /** The newest messages, for a screen. */
  get notes(): readonly ScreenNote[] {
    return this.#runLog.notes;
  }

  /** Writes a line of the log and a note of the screen; of repeated ones only some. */
  writeThrottled(
    level: ScreenNote["level"],
    text: string,
    fields: Readonly<Record<string, unknown>>,
  ): void {
    this.#runLog.writeThrottled(level, text, fields);
  }

  /** Sets the gauges: at each scrape and each screen. */
  refresh(): void {
    if (this.#bot !== undefined) setBotGauges(this.#bot, this.#metrics);
    this.#shortages.checkEnded();
    this.liquidation.setGauges();
  }

  /** The signed bytes of an action went to the transport. */
  onActionWritten(actionId: number): void {
    const causeMs = this.#causeOf.get(actionId);
    if (causeMs === undefined) return;
    this.#causeOf.delete(actionId);
    this.#metrics.tickToOrder((this.#clock.monotonicMs() - causeMs) / 1000);
  }

  onBotEvent(notice: BotEvent): void {
    this.#shortages.checkEnded();
    this.recentFills.onBotEvent(notice);
    switch (notice.kind) {
      case "log":
        return this.#runLog.write(notice.level, notice.message, notice.fields);
      case "account":
        return this.#account(notice.change);
      case "dispatched":
        if (notice.causeMonotonicMs !== undefined && notice.action.kind === "place")
          this.#causeOf.set(notice.action.actionId, notice.causeMonotonicMs);
        if (this.#log.writesDebug)
          this.#log.debug(
            { action: notice.action.kind, ...subjectOf(notice.action) },
            "dispatched",
          );
        return;
      case "answered":
        return this.#answered(notice.action, notice.outcome, notice.tookMs);
      case "book-lost":
        if (notice.gap) {
          this.streamGaps++;
          this.#metrics.streamGap(notice.marketId);
        }
        return this.#runLog.write("warn", "book lost", {
          marketId: notice.marketId,
          reason: notice.reason,
        });
      case "stream":
        this.#metrics.streamState(notice.stream, notice.state === "up");
        return this.#runLog.write(
          notice.state === "up" ? "info" : "warn",
          `${notice.stream} stream ${notice.state}`,
          {
            reason: notice.reason,
          },
        );
      case "malformed":
        this.malformed++;
        this.#metrics.malformedFrame(notice.where);
        return this.#runLog.writeThrottled("warn", `malformed ${notice.where}`, {
          reason: notice.reason,
        });
      case "intent":
        this.#metrics.intent(notice.intent.marketId, notice.intent.kind);
        for (const { limit } of notice.clips ?? [])
          this.#metrics.riskRefusal(notice.intent.marketId, limit);
        if (this.#log.writesDebug) this.#log.debug({ intent: notice.intent }, "intent");
        return;
      case "intent-refused":
        this.#metrics.riskRefusal(notice.marketId, notice.refusal);
        return this.#runLog.writeThrottled("warn", `intent refused: ${notice.refusal}`, {
          marketId: notice.marketId,
          why: notice.why,
        });
      case "held-back":
        this.#metrics.riskRefusal(notice.marketId, notice.limit);
        this.#log.debug(
          { marketId: notice.marketId, limit: notice.limit, why: notice.why },
          "held back",
        );
        return;
      case "strategy-failed":
        return logStrategyFailure(this.#log, notice);
      case "tokens-short":
        return this.#shortages.onShortage(notice);
      case "dry-plan":
        return this.#runLog.write("info", "would do", {
          marketId: notice.marketId,
          cancels: notice.plan.cancels.map(({ hash, why }) => ({ hash, why })),
          places: notice.plan.places.map(({ side, level, ticks, lots, why }) => ({
            side,
            level,
            ticks,
            lots,
            why,
          })),
        });
      case "halted":
        if (notice.marketId !== undefined)
          this.#metrics.marketHalted(notice.marketId, notice.reason, notice.on);
        // The account's gauge shows a reason while it holds anywhere.
        this.#metrics.halted(
          notice.reason,
          notice.on ||
            (this.#bot?.tradingGuards.halts ?? []).some(({ name }) => name === notice.reason),
        );
        return this.#runLog.write(
          notice.on && !this.#isStarting(notice) ? "warn" : "info",
          this.#haltText(notice),
          {
            reason: notice.reason,
            marketId: notice.marketId,
            why: notice.why,
          },
        );
      case "rung": {
        const { measure, marketId, action, widenFactor, why } = notice;
        // A halt emits its own event.
        if (action === "halt") return;
        const isMild = action === undefined || !this.#hasStarted;
        const text =
          action === undefined
            ? "risk ladder: over"
            : `risk ladder: ${actionText({ action, widenFactor })}`;
        return this.#runLog.write(isMild ? "info" : "warn", text, { measure, marketId, why });
      }
      case "hedge":
        return this.#hedge(notice);
      case "stopped":
        this.stopResult = notice.result;
        this.#runLog.write(notice.result.ordersLeft.length === 0 ? "info" : "error", "stopped", {
          ...notice.result,
        });
        this.#onStopped(notice.result);
    }
  }

  /**
   * Before the account is confirmed for the first time every guard trips, as it should: that is not
   * a problem to report.
   */
  get #hasStarted(): boolean {
    return this.#bot !== undefined && this.#bot.phase !== "starting";
  }

  #isStarting({ isStarting }: Pick<HaltEvent, "isStarting">): boolean {
    return isStarting === true || !this.#hasStarted;
  }

  #haltText(halt: Pick<HaltEvent, "on" | "isStarting">): string {
    const { on } = halt;
    if (this.#isStarting(halt)) return on ? "not quoting yet" : "no longer blocking";
    return on ? "halted" : "halt over";
  }

  #account(change: AccountChange): void {
    switch (change.kind) {
      case "fill":
        return this.#fill(change.trade);
      case "trade-failed":
        this.#metrics.settlementFailure(change.trade.marketId);
        return this.#runLog.write("warn", "settlement failed: the trade is reversed", {
          marketId: change.trade.marketId,
          tradeId: change.trade.id,
          lots: change.lots,
        });
      case "difference":
        this.#metrics.reconcileDifference(change.difference.kind);
        return this.#runLog.write("warn", "differs from the exchange", { ...change.difference });
      case "reconciled":
        this.#metrics.reconciled();
        this.#log.debug(
          {
            cause: change.result.cause,
            tookMs: change.result.finishedAtMs - change.result.startedAtMs,
          },
          "reconciled",
        );
        return;
      case "reconcile-failed":
        return this.#runLog.writeThrottled("warn", `reconcile query failed: ${change.ask}`, {
          message: change.message,
        });
      case "awaits-settlement":
        return this.#runLog.writeThrottled(
          "info",
          "waiting for trades to settle, to see whether the exchange's positions include them",
          {
            marketIds: change.marketIds.join(", "),
          },
        );
      case "order":
        this.#noteFirstQuote();
        return this.#order(change.order.hash, change.change);
      case "adopted":
        return this.#runLog.write("info", "took over an order of an earlier run", {
          marketId: change.order.marketId,
          hash: change.order.hash,
        });
      case "foreign":
        if (change.first) this.#foreign(change.order, change.isLeftOver);
        return;
      case "position-set":
        return this.#runLog.write("error", "position set to the exchange's", {
          marketId: change.marketId,
          lots: change.lots,
          was: change.was,
        });
      case "income":
        return this.#income(change.income);
      case "settled":
      case "balances":
        return;
    }
  }

  #fill({ marketId, side, isMaker, ticks, lots, restPaper, id }: VenueTrade): void {
    const instrument = this.#trader(marketId)?.instrument;
    const liquidity = isMaker ? "maker" : "taker";
    this.#metrics.fill(marketId, side, liquidity, lots * (instrument?.lotBase ?? 0));
    this.#runLog.write("info", "fill", {
      marketId,
      side,
      price: instrument?.formatReportedPrice(ticks),
      amount: instrument?.formatReportedAmount(lots, restPaper),
      liquidity,
      tradeId: id,
    });
  }

  #order(hash: Hex, change: OrderChange): void {
    if (change.change === "revived") {
      this.#runLog.write("error", "an order that had counted as ended is open", {
        hash,
        from: change.from,
      });
    } else if (change.change === "contradiction") {
      this.#runLog.write("error", "a report contradicts one of the bot's orders", {
        hash,
        text: change.text,
      });
    } else if (change.change === "phase" && (change.to === "unknown" || isFinalPhase(change.to))) {
      this.#log.debug({ hash, from: change.from, to: change.to }, "order");
    }
  }

  #hedge({ marketId, venue, notice }: Extract<BotEvent, { kind: "hedge" }>): void {
    const at = { marketId, venue };
    switch (notice.kind) {
      case "away":
        return notice.isAway
          ? this.#runLog.write(this.#hasStarted ? "warn" : "info", "hedge venue away", {
              ...at,
              why: notice.why,
            })
          : this.#runLog.write("info", "hedge venue ready", at);
      case "fill": {
        const { side, lots, isMaker, isReversed, id } = notice.fill;
        const instrument = this.#bot?.context.hedges.get(marketId)?.hedger.contract.instrument;
        this.#metrics.hedgeFill(marketId, venue, side, lots * (instrument?.lotBase ?? 0));
        return this.#runLog.write(
          isReversed ? "warn" : "info",
          isReversed ? "hedge fill taken back" : "hedge fill",
          {
            ...at,
            side,
            amount: instrument?.formatAmount(lots),
            liquidity: isMaker ? "maker" : "taker",
            fillId: id,
          },
        );
      }
      case "order": {
        const { key, phase, side } = notice.order;
        const isTrouble = phase === "rejected" || phase === "unknown" || phase === "lost";
        const fields = { ...at, key, phase, side, why: notice.why };
        return isTrouble
          ? this.#runLog.writeThrottled("warn", `hedge order ${phase}`, fields)
          : this.#log.debug(fields, "hedge order");
      }
      case "position-adopted": {
        const instrument = this.#bot?.context.hedges.get(marketId)?.hedger.contract.instrument;
        return this.#runLog.write("warn", "hedge position set to the venue's", {
          ...at,
          base: instrument?.formatAmount(notice.toLots),
          was: instrument?.formatAmount(notice.fromLots),
        });
      }
      case "warning":
        return this.#runLog.writeThrottled("warn", notice.message, at);
    }
  }

  #foreign({ marketId, id }: VenueOrder, isLeftOver: boolean): void {
    const fields = { marketId, orderId: id };
    if (!isLeftOver)
      return this.#runLog.write(
        "warn",
        "found an order that this bot did not place: it stays, and counts towards the limits",
        fields,
      );
    const file = this.#bot === undefined ? "<file>" : shellWord(this.#bot.context.config.path);
    const command = `marketwright call cancelOrder --bot ${file} marketId=${marketId} orderId=${id}`;
    this.#runLog.write(
      "error",
      "an earlier run left an order in a market that the bot's file does not name: the bot does not manage it",
      {
        ...fields,
        command,
      },
    );
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
      this.#runLog.writeThrottled(
        "warn",
        `${action.kind} refused: ${outcome.code} ${outcome.codeText}`,
        {
          marketId: action.marketId,
          message: outcome.message,
        },
      );
    }
    if (outcome.result === "unknown")
      this.#runLog.writeThrottled("warn", `${action.kind} unanswered: ${outcome.cause}`, {
        marketId: action.marketId,
        message: outcome.message,
      });
  }

  #noteFirstQuote(): void {
    const bot = this.#bot;
    if (this.firstQuoteAtMs !== undefined || bot === undefined) return;
    const quoted = [...bot.context.traders.values()].filter(({ hasStrategy }) => hasStrategy);
    if (quoted.length > 0 && quoted.every(({ marketId }) => isQuoting(bot.context, marketId)))
      this.firstQuoteAtMs = this.#clock.monotonicMs();
  }

  #trader(marketId: MarketId) {
    return this.#bot?.context.traders.get(marketId);
  }
}

function outcomeName(outcome: Outcome): OrderOutcomeName {
  return outcome.result === "built" || outcome.result === "answered" ? "accepted" : outcome.result;
}

function subjectOf(action: Action): Readonly<Record<string, unknown>> {
  switch (action.kind) {
    case "place":
      return {
        marketId: action.marketId,
        side: action.side,
        ticks: action.ticks,
        lots: action.lots,
        hash: action.hash,
      };
    case "cancel":
      return { marketId: action.marketId, hash: action.hash, orderId: action.orderId };
    case "question":
      return { ask: action.ask };
    default:
      return { marketId: action.marketId };
  }
}
