import { BookMatcher } from "#backtest/book-matcher.js";
import { DelayLine } from "#backtest/delay-line.js";
import type { LatencyModel } from "#backtest/latency.js";
import type { MatchListener, ReplayOrder } from "#backtest/matcher.js";
import { ReplayBook } from "#backtest/replay-book.js";
import { riskAverseQueue } from "#core/queue-models.js";
import type { Lots, Side, Ticks } from "#core/units.js";
import type { Tape } from "#history/tape.js";

/** The actions, equal in both engines. Microseconds. */
export interface Script {
  /** The local clock's first step. */
  readonly startUs: number;
  readonly everyUs: number;
  readonly latency: LatencyModel;
  readonly lots: Lots;
}

/** A fill at the exchange. */
export interface ScriptFill {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly exchangeUs: number;
}

/**
 * Places at each step one post-only order per side at the locally known touch. An order at another
 * price is cancelled, and its replacement sent at once. Both clocks, latency both ways, no partial
 * fills, risk-averse queues. It ends with the last message by the local clock.
 */
export function scriptedQuotes(tape: Tape, script: Script): ScriptFill[] {
  const { startUs, everyUs } = script;
  const { messages, localUs, byLocal } = tape;
  const exchange = new ScriptExchange(tape, script);
  const local = new ReplayBook();
  const buys = new ScriptSide("BUY", exchange, script.lots);
  const sells = new ScriptSide("SELL", exchange, script.lots);
  const endUs = localUs[byLocal?.[messages - 1] ?? messages - 1] as number;
  let heard = 0;
  for (let nowUs = startUs; nowUs <= endUs; nowUs += everyUs) {
    exchange.playTo(nowUs);
    const from = heard;
    while (heard < messages && (localUs[byLocal?.[heard] ?? heard] as number) <= nowUs) heard++;
    local.applyLocal(tape, from, heard);
    for (const { answers } = exchange; answers.nextUs <= nowUs; ) {
      const over = answers.take();
      (over.side === "BUY" ? buys : sells).over(over);
    }
    buys.quote(local.bids.bestTicks, nowUs);
    sells.quote(local.asks.bestTicks, nowUs);
  }
  // The last messages come after the last step, and may fill open orders.
  exchange.playTo(endUs);
  return exchange.fills;
}

/** The replayed exchange behind its latencies. */
class ScriptExchange implements MatchListener {
  readonly fills: ScriptFill[] = [];
  /** Closed orders, on their way to the sender. */
  readonly answers = new DelayLine<ReplayOrder>();
  readonly #requests = new DelayLine<{ readonly order: ReplayOrder; readonly isCancel: boolean }>();
  readonly #latency: LatencyModel;
  readonly #matcher: BookMatcher;
  #orders = 0;

  constructor(tape: Tape, { latency }: Script) {
    this.#latency = latency;
    this.#matcher = new BookMatcher({
      tape,
      listener: this,
      queue: riskAverseQueue,
      partialFills: false,
    });
  }

  place(side: Side, ticks: Ticks, lots: Lots, nowUs: number): ReplayOrder {
    this.#orders += 1;
    const order: ReplayOrder = {
      id: this.#orders,
      side,
      type: "LIMIT",
      ticks,
      lots,
      timeInForce: "POST_ONLY",
      expirationUs: Number.POSITIVE_INFINITY,
      openLots: lots,
    };
    this.#requests.push({ order, isCancel: false }, nowUs + this.#latency.entryUs(nowUs));
    return order;
  }

  cancel(order: ReplayOrder, nowUs: number): void {
    this.#requests.push({ order, isCancel: true }, nowUs + this.#latency.entryUs(nowUs));
  }

  playTo(untilUs: number): void {
    const requests = this.#requests;
    for (let atUs = requests.nextUs; atUs <= untilUs; atUs = requests.nextUs) {
      this.#advance(atUs);
      const { order, isCancel } = requests.take();
      if (isCancel) this.#matcher.cancel(order.id, atUs);
      else this.#matcher.place(order, atUs);
    }
    this.#advance(untilUs);
  }

  accepted(): void {}

  filled(order: ReplayOrder, ticks: Ticks, _lots: Lots, _cause: unknown, atUs: number): void {
    this.fills.push({ side: order.side, ticks, exchangeUs: atUs });
    this.#answer(order, atUs);
  }

  ended(order: ReplayOrder, _how: unknown, atUs: number): void {
    this.#answer(order, atUs);
  }

  #advance(untilUs: number): void {
    while (this.#matcher.nextUs <= untilUs) this.#matcher.advance(untilUs, true);
  }

  #answer(order: ReplayOrder, atUs: number): void {
    this.answers.push(order, atUs + this.#latency.responseUs(atUs));
  }
}

/** The script's one order of a side, as it is known locally. */
class ScriptSide {
  readonly #side: Side;
  readonly #exchange: ScriptExchange;
  readonly #lots: Lots;
  #order: ReplayOrder | undefined;

  constructor(side: Side, exchange: ScriptExchange, lots: Lots) {
    this.#side = side;
    this.#exchange = exchange;
    this.#lots = lots;
  }

  over(order: ReplayOrder): void {
    if (order === this.#order) this.#order = undefined;
  }

  quote(touchTicks: Ticks, nowUs: number): void {
    if (Number.isNaN(touchTicks) || this.#order?.ticks === touchTicks) return;
    if (this.#order !== undefined) this.#exchange.cancel(this.#order, nowUs);
    this.#order = this.#exchange.place(this.#side, touchTicks, this.#lots, nowUs);
  }
}
