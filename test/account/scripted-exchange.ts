import type { AccountChange, AccountStep } from "#account/account-change.js";
import type { AccountOptions } from "#account/account-options.js";
import { FINAL_STATUSES } from "#account/order-amounts.js";
import { TradingAccount } from "#account/trading-account.js";
import type { Lots, Ms } from "#core/units.js";
import type { VenueIncome, VenueOrder, VenuePosition, VenueTrade } from "#exchange/records.js";
import type { Action, Outcome, Query, QueryAction } from "#exchange/venue.js";
import { INSTRUMENT, MARKET, T0, TAG, venueBalances, venuePosition } from "./exchange-story.js";

/**
 * An exchange whose holdings the test sets. It responds to queries accordingly, with page limits.
 */
export class ScriptedExchange {
  timeMs: Ms = T0;
  readonly orders: VenueOrder[] = [];
  readonly trades: VenueTrade[] = [];
  readonly incomes: VenueIncome[] = [];
  basePosition: Lots = 0;
  /**
   * Holdings beside whole lots, in units of paper. They are reported as the contract's sum of both,
   * truncated to lots.
   */
  restPaper = 0n;
  netValue = 100_000_000_000n;
  /** The part of the net value that is not credit: moves of the mark. */
  valuation = 0n;
  /**
   * The end of a window at which a full page of the history or the incomes is cut: not specified.
   */
  cutsAt: "new" | "old" = "new";

  /** The event from which a position includes a trade, match or settlement: not specified. */
  positionsFrom: "match" | "settlement" = "match";

  set(order: VenueOrder): void {
    const index = this.orders.findIndex((known) => known.id === order.id);
    if (index < 0) this.orders.push(order);
    else this.orders[index] = order;
  }

  settle(trade: VenueTrade): void {
    const index = this.trades.findIndex((known) => known.id === trade.id);
    if (index < 0) this.trades.push(trade);
    else this.trades[index] = trade;
  }

  get position(): Lots {
    const counts = (status: string) =>
      this.positionsFrom === "match" ? status !== "FAILED" : status === "SETTLED";
    return this.trades.reduce(
      (sum, { side, lots, status }) => sum + (counts(status) ? (side === "BUY" ? lots : -lots) : 0),
      this.basePosition,
    );
  }

  answer(question: Query): Outcome {
    switch (question.ask) {
      case "time":
        return { result: "answered", ask: "time", data: { serverTimeMs: this.timeMs } };
      case "openOrders":
        return {
          result: "answered",
          ask: "openOrders",
          data: this.orders.filter((order) => order.availableLots > 0),
        };
      case "historyOrders":
        return {
          result: "answered",
          ask: "historyOrders",
          data: this.#history(question.startTimeMs ?? 0, question.endTimeMs),
        };
      case "userTrades": {
        const { fromId } = question;
        const sorted = [...this.trades].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
        const data =
          fromId === undefined
            ? sorted.slice(-500)
            : sorted.filter(({ id }) => BigInt(id) >= BigInt(fromId)).slice(0, 500);
        return { result: "answered", ask: "userTrades", data };
      }
      case "incomes": {
        const { type: asked, startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY } = question;
        const ofType = this.incomes.filter(({ type }) => asked === undefined || type === asked);
        const window = ofType.filter(({ timeMs }) => timeMs >= startTimeMs && timeMs < endTimeMs);
        return { result: "answered", ask: "incomes", data: this.#page(window) };
      }
      case "balances": {
        const data = {
          balances: venueBalances(this.netValue, this.netValue - this.valuation),
          positions: [this.#held()],
        };
        return { result: "answered", ask: "balances", data };
      }
      default:
        return {
          result: "rejected",
          code: 1111,
          codeText: "Bad params",
          message: question.ask,
          httpStatus: 400,
        };
    }
  }

  /** The whole position, in units of paper. */
  get paper(): bigint {
    return BigInt(this.position) * INSTRUMENT.paperPerLot + this.restPaper;
  }

  #held(): VenuePosition {
    const { paper } = this;
    const restPaper = paper % INSTRUMENT.paperPerLot;
    return {
      ...venuePosition(Number(paper / INSTRUMENT.paperPerLot)),
      ...(restPaper === 0n ? {} : { restPaper }),
    };
  }

  /**
   * Orders that are final and fully settled: an order that awaits its settlement is listed nowhere.
   */
  #history(startMs: Ms, endMs: Ms | undefined): readonly VenueOrder[] {
    const window = this.orders
      .filter(({ status, pendingLots }) => FINAL_STATUSES.has(status) && pendingLots === 0)
      .filter(
        ({ createdAtMs }) => createdAtMs >= startMs && (endMs === undefined || createdAtMs < endMs),
      )
      .sort((a, b) => a.createdAtMs - b.createdAtMs);
    return this.#page(window);
  }

  #page<Item>(window: readonly Item[]): readonly Item[] {
    return this.cutsAt === "new" ? window.slice(0, 500) : window.slice(-500);
  }
}

/** One account against one scripted exchange, in the sequence of a story. */
export class Story {
  readonly exchange = new ScriptedExchange();
  readonly account: TradingAccount;
  readonly changes: AccountChange[] = [];
  readonly asked: QueryAction[] = [];
  nowMs: Ms = T0;
  /** Runs before each response: events at the exchange, or on the stream, meanwhile. */
  meanwhile: (question: Query) => void = () => {};
  /** Responses given instead of the exchange's: lost, throttled. */
  instead: (question: Query) => Outcome | undefined = () => undefined;
  #nextActionId = 1_000_000;

  constructor(options: Partial<AccountOptions> = {}) {
    this.account = new TradingAccount({
      instruments: new Map([[MARKET, INSTRUMENT]]),
      nonceTag: TAG,
      nextActionId: () => this.#nextActionId++,
      ...options,
    });
  }

  /**
   * Applies a step's changes and responds to its queries, one after the other, until none is left.
   */
  take(step: AccountStep): this {
    this.changes.push(...step.changes);
    const queue = [...step.queries];
    for (let action = queue.shift(); action !== undefined; action = queue.shift()) {
      this.asked.push(action);
      this.#pass(1);
      this.meanwhile(action);
      const outcome = this.instead(action) ?? this.exchange.answer(action);
      this.#pass(1);
      const next = this.account.onOutcome(action, outcome, this.nowMs);
      this.changes.push(...next.changes);
      queue.push(...next.queries);
    }
    return this;
  }

  start(): this {
    return this.streamUp();
  }

  streamUp(): this {
    return this.take(
      this.account.onEvent(
        { type: "stream", stream: "account", state: "up", reason: "" },
        this.nowMs,
      ),
    );
  }

  streamDown(): this {
    return this.take(
      this.account.onEvent(
        { type: "stream", stream: "account", state: "down", reason: "gone" },
        this.nowMs,
      ),
    );
  }

  /** Advances time, with ticks of the account. */
  wait(ms: Ms): this {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.#pass(Math.min(250, endMs - this.nowMs));
      this.take(this.account.onTick(this.nowMs));
    }
    return this;
  }

  dispatch(action: Action): this {
    return this.take(this.account.onDispatched(action, this.nowMs));
  }

  outcome(action: Action, outcome: Outcome): this {
    return this.take(this.account.onOutcome(action, outcome, this.nowMs));
  }

  orderUpdate(order: VenueOrder): this {
    return this.take(
      this.account.onEvent({ type: "order-update", order, timestampMs: this.nowMs }, this.nowMs),
    );
  }

  tradeUpdate(trade: VenueTrade): this {
    return this.take(this.account.onEvent({ type: "trade-update", trade }, this.nowMs));
  }

  /** The kinds of differences reported so far. */
  get differences(): string[] {
    return this.changes.flatMap((change) =>
      change.kind === "difference" ? [change.difference.kind] : [],
    );
  }

  #pass(ms: Ms): void {
    this.nowMs += ms;
    this.exchange.timeMs += ms;
  }
}

export const TIMEOUT: Outcome = {
  result: "unknown",
  cause: "timeout",
  message: "no answer in 5000 ms",
};
