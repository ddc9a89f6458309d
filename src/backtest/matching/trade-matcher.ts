import { ConfigError } from "../../core/errors.js";
import { riskAverseQueue } from "../../core/queue/queue-models.js";
import type { Lots, Ticks } from "../../core/units.js";
import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import type { ExchangeTouch, MatchListener, ReplayOrder, TouchListener } from "./matcher.js";
import { applySlippage, requireSlippage } from "./slippage.js";
import { TapeMatcher } from "./tape-matcher.js";

/** Options of a {@link TradeMatcher}. */
export interface TradeMatcherOptions {
  /** Trades of the market; everything else in it is ignored. */
  readonly tape: Tape;
  readonly listener: MatchListener;
  /**
   * The assumed queue ahead of an order at its price: this size must trade there before the order
   * is filled. Default: Infinity, so that only a trade beyond its price fills it.
   */
  readonly queueAheadLots?: Lots;
  /**
   * How much worse than the last price on its side a taker is filled, as far as its limit allows.
   */
  readonly slippageTicks: Ticks;
  readonly onTouch?: TouchListener;
}

/**
 * Matches our orders against recorded trades alone, on the exchange's clock. A resting order is
 * filled completely, at its own price, by a trade beyond that price on either side. Trades at its
 * price fill it once they have used up the assumed queue ahead. A price that is only reached does
 * not fill it. The liquidity is not known, so a taker is filled completely at the last price of a
 * taker on its side, plus slippage.
 */
export class TradeMatcher extends TapeMatcher {
  readonly touch: ExchangeTouch;
  readonly #queueAheadLots: Lots;
  readonly #slippageTicks: Ticks;
  readonly #onTouch: TouchListener | undefined;
  /**
   * Message up to which the last prices are up to date: they are read far less often than trades
   * arrive.
   */
  #known = 0;
  #bidTicks = Number.NaN;
  #askTicks = Number.NaN;
  /**
   * The last two instants of trades before the part that is being played, the newer first: a part
   * may begin within an instant.
   */
  #stretchBeforeUs: readonly [number, number] = [
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];

  /** @throws ConfigError when an amount or the slippage is not valid */
  constructor({
    tape,
    listener,
    queueAheadLots = Number.POSITIVE_INFINITY,
    slippageTicks,
    onTouch,
  }: TradeMatcherOptions) {
    super(tape, listener);
    if (
      !(
        queueAheadLots === Number.POSITIVE_INFINITY ||
        (Number.isSafeInteger(queueAheadLots) && queueAheadLots >= 0)
      )
    ) {
      throw new ConfigError("is out of range", {
        field: "queueAheadLots",
        value: queueAheadLots,
        expected: "whole lots, or Infinity",
      });
    }
    this.#onTouch = onTouch;
    this.#queueAheadLots = queueAheadLots;
    this.#slippageTicks = requireSlippage(slippageTicks);
    const bidTicks = (): Ticks => this.#learnPrices().#bidTicks;
    const askTicks = (): Ticks => this.#learnPrices().#askTicks;
    this.touch = {
      get bidTicks() {
        return bidTicks();
      },
      get askTicks() {
        return askTicks();
      },
    };
  }

  protected playStretch(untilUs: number, inclusive: boolean): number {
    const { messages, exchangeUs, kind, rowEnd, signedTicks, lots } = this.tape;
    const { own } = this;
    const watched = this.#onTouch !== undefined;
    let bidKey = own.bids.bestKey;
    let askKey = own.asks.bestKey;
    let message = this.next;
    for (
      const end = firstAfter(exchangeUs, message, messages, untilUs, inclusive);
      message < end;
    ) {
      const row = rowEnd[message] - 1;
      const ticks = Math.abs(signedTicks[row]);
      message++;
      if (!watched && ticks > bidKey && -ticks > askKey) continue;
      if (kind[message - 1] !== TapeKind.trade) continue;
      const atUs = exchangeUs[message - 1];
      if (ticks <= bidKey || -ticks <= askKey) {
        // A listener that is called at a fill sees the prices from before the trade.
        this.next = message - 1;
        this.#print(ticks, signedTicks[row] > 0, lots[row], atUs);
        bidKey = own.bids.bestKey;
        askKey = own.asks.bestKey;
      }
      if (watched) this.#tellTouch(message, atUs);
      if (own.hasNotified) break;
    }
    this.next = message;
    return message === 0 ? Number.NEGATIVE_INFINITY : exchangeUs[message - 1];
  }

  protected wouldTake(order: ReplayOrder): boolean {
    this.#learnPrices();
    if (Number.isNaN(order.ticks))
      return !Number.isNaN(order.side === "BUY" ? this.#askTicks : this.#bidTicks);
    return order.side === "BUY" ? order.ticks >= this.#askTicks : order.ticks <= this.#bidTicks;
  }

  protected take(order: ReplayOrder, atUs: number): void {
    const touch = order.side === "BUY" ? this.#askTicks : this.#bidTicks;
    this.own.fill(
      order,
      applySlippage(order, touch, this.#slippageTicks),
      order.openLots,
      "taker",
      atUs,
    );
  }

  protected rest(order: ReplayOrder, arrivedUs: number): void {
    // Before the first taker of its side the liquidity is unknown.
    const isUntold = Number.isNaN(order.side === "BUY" ? this.#askTicks : this.#bidTicks);
    this.own.rest(
      order,
      { frontLots: this.#queueAheadLots, tradedLots: 0 },
      0,
      isUntold ? Number.POSITIVE_INFINITY : arrivedUs,
    );
  }

  /** Handles a trade at one of our best prices or beyond. */
  #print(ticks: Ticks, takerBought: boolean, lots: Lots, atUs: number): void {
    const { own } = this;
    const { bids, asks } = own;
    if (bids.bestKey > ticks || asks.bestKey > -ticks) {
      const beforeUs = this.#tradedBeforeUs(atUs);
      own.fillDownTo(bids, ticks + 1, "through", atUs, beforeUs);
      own.fillDownTo(asks, 1 - ticks, "through", atUs, beforeUs);
    }
    const reached = takerBought ? asks : bids;
    if (reached.bestKey === (takerBought ? -ticks : ticks))
      own.fillByQueue(reached.levels[0], lots, riskAverseQueue, atUs);
  }

  /**
   * Time of the last trade before an instant that is being played: between the two no price is
   * known.
   */
  #tradedBeforeUs(atUs: number): number {
    const { tape, next } = this;
    return this.#lastTradeUs(tape, next, atUs);
  }

  /**
   * Stamp of the last trade before an instant among the first messages of a tape and everything
   * before the tape.
   */
  #lastTradeUs({ kind, exchangeUs }: Tape, messages: number, us: number): number {
    for (let message = messages - 1; message >= 0; message--) {
      if (kind[message] === TapeKind.trade && exchangeUs[message] < us) return exchangeUs[message];
    }
    return this.#stretchBeforeUs.find((before) => before < us) ?? Number.NEGATIVE_INFINITY;
  }

  #tellTouch(message: number, atUs: number): void {
    this.next = message - 1;
    const { bidTicks, askTicks } = this.touch;
    this.next = message;
    this.#learnPrices();
    if (!Object.is(bidTicks, this.#bidTicks) || !Object.is(askTicks, this.#askTicks))
      this.#onTouch?.(atUs, this.#bidTicks, this.#askTicks);
  }

  protected override turn(): boolean {
    this.#learnPrices();
    const { tape } = this;
    if (!super.turn()) return false;
    const lastUs = this.#lastTradeUs(tape, tape.messages, Number.POSITIVE_INFINITY);
    this.#stretchBeforeUs = [lastUs, this.#lastTradeUs(tape, tape.messages, lastUs)];
    this.#known = 0;
    return true;
  }

  /**
   * Where the last prices of both sides meet or cross, the newer one stays and the other is one
   * tick from it.
   */
  #learnPrices(): this {
    const { tape, next } = this;
    const { kind, rowEnd, signedTicks } = tape;
    for (; this.#known < next; this.#known++) {
      if (kind[this.#known] !== TapeKind.trade) continue;
      const signed = signedTicks[rowEnd[this.#known] - 1];
      if (signed > 0) {
        this.#askTicks = signed;
        if (this.#bidTicks >= signed) this.#bidTicks = signed - 1;
      } else {
        this.#bidTicks = -signed;
        if (this.#askTicks <= -signed) this.#askTicks = -signed + 1;
      }
    }
    return this;
  }
}

/**
 * The first message from `from` on that lies after an instant, or at it where the instant is not
 * included.
 */
function firstAfter(
  exchangeUs: Float64Array,
  from: number,
  messages: number,
  untilUs: number,
  inclusive: boolean,
): number {
  const isPlayed = (message: number): boolean =>
    exchangeUs[message] < untilUs || (inclusive && exchangeUs[message] === untilUs);
  // Most steps are short: the search doubles its range before halving it.
  let low = from;
  let reach = 1;
  while (low + reach < messages && isPlayed(low + reach - 1)) {
    low += reach;
    reach *= 2;
  }
  let high = Math.min(low + reach, messages);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPlayed(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
