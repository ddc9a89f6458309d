import type { Timer } from "../../../../core/runtime/runtime.js";
import type { Ms } from "../../../../core/units.js";
import type { ExchangeState } from "../../../engine/exchange-state.js";
import { barEnd, type CandleInterval } from "../../../markets/candle-interval.js";
import type { Candle } from "../../../markets/candles.js";
import type { Market } from "../../../markets/market.js";
import { usdmPrice } from "../records/usdm-decimals.js";
import { usdmKline } from "../records/usdm-market-records.js";
import { symbolOf } from "../usdm-symbols.js";

/** The interval over which changes of a bar are gathered. */
const INTERVAL_MS = 250;

/** A kline stream of a market: the bar in progress after its changes, and once when it closed. */
export class UsdmKlineStream {
  readonly #state: ExchangeState;
  readonly #market: Market;
  readonly #interval: CandleInterval;
  readonly #name: string;
  readonly #publish: (text: string) => void;
  #timer: Timer | null = null;
  /** The start of the newest bar that was sent as closed. */
  #closedMs: Ms;

  /** @param name the interval's name on the wire */
  constructor(
    state: ExchangeState,
    market: Market,
    interval: CandleInterval,
    name: string,
    publish: (text: string) => void,
  ) {
    this.#state = state;
    this.#market = market;
    this.#interval = interval;
    this.#name = name;
    this.#publish = publish;
    this.#closedMs = this.#finished()?.timeMs ?? -1;
  }

  onTrade(): void {
    this.#timer ??= this.#state.runtime.clock.setTimer(INTERVAL_MS, () => {
      this.#timer = null;
      this.#sendClosed();
      const nowMs = this.#state.nowMs();
      const bar = this.#market.candles.newest(this.#interval, nowMs);
      if (bar !== undefined && barEnd(this.#interval, bar.timeMs) > nowMs) this.#send(bar, false);
    });
  }

  /** Called once a second: the bar may have ended without another trade. */
  onSample(): void {
    this.#sendClosed();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #sendClosed(): void {
    const bar = this.#finished();
    if (bar === undefined || bar.timeMs <= this.#closedMs) return;
    this.#closedMs = bar.timeMs;
    this.#send(bar, true);
  }

  /** The newest bar whose end has passed. */
  #finished(): Candle | undefined {
    const nowMs = this.#state.nowMs();
    return this.#market.candles
      .page(this.#interval, { limit: 2 }, nowMs)
      .findLast(({ timeMs }) => barEnd(this.#interval, timeMs) <= nowMs);
  }

  #send(bar: Candle, isClosed: boolean): void {
    const { instrument } = this.#market;
    const [t, o, h, l, c, v, T, q, n, V, Q, B] = usdmKline(
      this.#market,
      this.#interval,
      bar,
      (ticks) => usdmPrice(instrument, Number(ticks)),
    );
    const s = symbolOf(this.#market);
    const kline = {
      t,
      T,
      s,
      i: this.#name,
      f: -1,
      L: -1,
      o,
      c,
      h,
      l,
      v,
      n,
      x: isClosed,
      q,
      V,
      Q,
      B,
    };
    this.#publish(JSON.stringify({ e: "kline", E: this.#state.nowMs(), s, k: kline }));
  }
}
