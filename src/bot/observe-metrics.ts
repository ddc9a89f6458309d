import type { AccountChange } from "../account/changes.js";
import { scaledToDecimal } from "../core/instrument.js";
import type { Clock } from "../core/seam.js";
import type { Hex, MarketId, Side } from "../core/units.js";
import type { Action, ActionId, Outcome } from "../exchange/venue.js";
import { type Metrics, type OrderOutcomeName, PNL_PARTS } from "../monitoring/metrics.js";
import type { Bot } from "./bot.js";
import type { Notice } from "./notice.js";

/** What an action was caused by and when it was written, until its answer is there. */
interface UnderWay {
  readonly causeMonotonicMs: number | undefined;
  writtenMonotonicMs: number | undefined;
}

/** Turns what a bot tells into metrics: counters as it tells them, gauges when they are asked for. */
export class MetricsObserver {
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #underWay = new Map<ActionId, UnderWay>();
  /** For each reason, the markets that it halts; an account-wide halt is the empty name. */
  readonly #halted = new Map<string, Set<MarketId | "">>();
  #bot: Bot | undefined;

  constructor(metrics: Metrics, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** The bot whose gauges are shown; it tells notices while it is built already. */
  watch(bot: Bot): void {
    this.#bot = bot;
  }

  /** For the venue's `onWritten`: the signed bytes of an action were handed to the socket. */
  written(actionId: ActionId): void {
    const underWay = this.#underWay.get(actionId);
    if (underWay === undefined) return;
    underWay.writtenMonotonicMs = this.#clock.monotonicMs();
    if (underWay.causeMonotonicMs !== undefined)
      this.#metrics.tickToOrder((underWay.writtenMonotonicMs - underWay.causeMonotonicMs) / 1000);
  }

  note(notice: Notice): void {
    const metrics = this.#metrics;
    switch (notice.kind) {
      case "account":
        return this.#change(notice.change);
      case "dispatched":
        if (notice.action.kind === "question" || notice.action.kind === "build") return;
        this.#underWay.set(notice.action.actionId, { causeMonotonicMs: notice.causeMonotonicMs, writtenMonotonicMs: undefined });
        return;
      case "answered":
        return this.#answered(notice.action, notice.outcome);
      case "book-lost":
        if (notice.gap) metrics.streamGap(notice.marketId);
        return;
      case "stream":
        return metrics.streamState(notice.stream, notice.state === "up");
      case "malformed":
        return metrics.malformedFrame(notice.where);
      case "intent":
        return metrics.intent(notice.intent.marketId, notice.intent.kind);
      case "intent-refused":
        return metrics.riskRefusal(notice.marketId, notice.refusal);
      case "held-back":
        return metrics.riskRefusal(notice.marketId, notice.limit);
      case "halted":
        return this.#haltChange(notice.reason, notice.marketId, notice.on);
      default:
    }
  }

  /** Sets every gauge as it is now: before a page is served. */
  sample(): void {
    const bot = this.#bot;
    if (bot === undefined) return;
    const { account, desks, clock, exchangeTime, budget, rules } = bot.context;
    const nowMs = clock.monotonicMs();
    const quote = (units: bigint, decimals = rules.creditDecimals): number => Number(scaledToDecimal(units, decimals));
    const { equity } = account;
    if (equity !== undefined) this.#metrics.setEquity(quote(equity), quote(bot.safety.peakEquity ?? equity));
    for (const desk of desks.values()) {
      const { marketId, instrument, book } = desk;
      const open = account.orders.mayStillFill(marketId);
      for (const side of ["BUY", "SELL"] as const)
        this.#metrics.setOpenOrders(marketId, side, open.filter((order) => order.side === side).length);
      this.#metrics.setUnknownOrders(marketId, open.filter(({ phase }) => phase === "unknown").length);
      this.#metrics.setManualOrders(marketId, account.orders.foreign(marketId).length);
      this.#metrics.setQuoting(marketId, restsBothSides(bot, marketId));
      this.#metrics.setPosition(marketId, Number(instrument.amountOf(account.positionLots(marketId))));
      if (book.synchronised) this.#metrics.setBookAge(marketId, Math.max(0, nowMs - book.lastReceivedMs) / 1000);
      const parts = account.profit(marketId);
      for (const part of PNL_PARTS) this.#metrics.setPnl(marketId, part, quote(parts[part], parts.decimals));
    }
    for (const bucket of ["ORDER", "COMMON"] as const) this.#metrics.setRateTokens(bucket, budget.available(bucket));
    if (exchangeTime.known) this.#metrics.setClockOffset(exchangeTime.offsetMs / 1000);
    const { accountAtMs } = bot.safety;
    if (accountAtMs !== undefined) this.#metrics.setAccountAge(Math.max(0, nowMs - accountAtMs) / 1000);
  }

  #change(change: AccountChange): void {
    const metrics = this.#metrics;
    switch (change.kind) {
      case "fill": {
        const { marketId, side, lots, isMaker } = change.trade;
        const lotBase = this.#bot?.context.desks.get(marketId)?.instrument.lotBase ?? 0;
        return metrics.fill(marketId, side, isMaker ? "maker" : "taker", lots * lotBase);
      }
      case "trade-failed":
        return metrics.settlementFailure(change.trade.marketId);
      case "difference":
        return metrics.reconcileDifference(change.difference.kind);
      case "reconciled":
        return metrics.reconciled();
      default:
    }
  }

  #answered(action: Action, outcome: Outcome): void {
    const underWay = this.#underWay.get(action.actionId);
    this.#underWay.delete(action.actionId);
    if (outcome.result === "throttled") this.#metrics.throttled(outcome.httpStatus);
    if (action.kind === "question" || action.kind === "build") return;
    if (underWay?.writtenMonotonicMs !== undefined && outcome.result !== "not-sent") {
      this.#metrics.orderAck((this.#clock.monotonicMs() - underWay.writtenMonotonicMs) / 1000);
    }
    const name = outcomeName(outcome);
    if (name === undefined) return;
    this.#metrics.orderAction(action.marketId, this.#sideOf(action), action.kind, name);
    if (outcome.result === "rejected") this.#metrics.rejection(action.marketId, outcome.code);
  }

  #sideOf(action: Extract<Action, { readonly marketId: MarketId; readonly kind: "place" | "cancel" | "cancel-all" }>): Side | undefined {
    if (action.kind === "place") return action.side;
    return action.kind === "cancel" ? this.#orderSide(action.hash) : undefined;
  }

  #orderSide(hash: Hex): Side | undefined {
    return this.#bot?.context.account.orders.get(hash)?.side;
  }

  #haltChange(reason: string, marketId: MarketId | undefined, on: boolean): void {
    const places = this.#halted.get(reason) ?? new Set();
    this.#halted.set(reason, places);
    if (on) places.add(marketId ?? "");
    else places.delete(marketId ?? "");
    this.#metrics.halted(reason, places.size > 0);
    if (marketId !== undefined) this.#metrics.marketHalted(marketId, reason, on);
  }
}

/** Whether an order of ours rests on each side of a market. */
export function restsBothSides(bot: Bot, marketId: MarketId): boolean {
  const resting = bot.context.account.orders.mayStillFill(marketId).filter(({ phase }) => phase === "open" || phase === "partly-filled");
  return resting.some(({ side }) => side === "BUY") && resting.some(({ side }) => side === "SELL");
}

function outcomeName({ result }: Outcome): OrderOutcomeName | undefined {
  return result === "built" || result === "answered" ? undefined : result;
}
