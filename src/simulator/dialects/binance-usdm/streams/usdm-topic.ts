import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { Market, Trade } from "../../../markets/market.js";
import type { UsdmIds } from "../usdm-ids.js";
import { UsdmDepthStream } from "./usdm-depth-stream.js";
import { UsdmKlineStream } from "./usdm-kline-stream.js";
import {
  aggregateTradeEvent,
  bookTickerEvent,
  markPriceEvent,
  miniTickerEvent,
  tickerEvent,
  tradeEvent,
} from "./usdm-stream-events.js";
import type { UsdmStream } from "./usdm-stream-names.js";

/** One market stream, from its first follower to its last. */
export class UsdmTopic {
  readonly #state: ExchangeState;
  readonly #ids: UsdmIds;
  readonly #stream: UsdmStream;
  readonly #publish: (text: string) => void;
  readonly #depth: UsdmDepthStream | null = null;
  readonly #kline: UsdmKlineStream | null = null;
  /** The last touch that was sent, by market, without its times. */
  readonly #touches = new Map<Market, string>();
  readonly #changed = new Set<Market>();

  constructor(
    state: ExchangeState,
    ids: UsdmIds,
    stream: UsdmStream,
    publish: (text: string) => void,
  ) {
    this.#state = state;
    this.#ids = ids;
    this.#stream = stream;
    this.#publish = publish;
    const [market] = stream.markets as [Market, ...Market[]];
    if (stream.kind === "depth") {
      this.#depth = new UsdmDepthStream(state, market, stream, publish);
    } else if (stream.kind === "kline") {
      const { interval, intervalName } = stream;
      this.#kline = new UsdmKlineStream(state, market, interval, intervalName, publish);
    }
  }

  onTrade(trade: Trade): void {
    if (!this.#stream.markets.includes(trade.market)) return;
    const { kind } = this.#stream;
    const nowMs = this.#state.nowMs();
    if (kind === "aggTrade") this.#send(aggregateTradeEvent(trade, this.#ids, nowMs));
    else if (kind === "trade") this.#send(tradeEvent(trade, this.#ids, nowMs));
    else if (kind === "kline") this.#kline?.onTrade();
    else if (kind === "ticker" || kind === "miniTicker") this.#changed.add(trade.market);
  }

  onBook(market: Market): void {
    if (this.#stream.kind === "bookTicker" && this.#stream.markets.includes(market)) {
      this.#changed.add(market);
    }
  }

  /** Called at the end of an event: sends a changed touch. */
  flush(): void {
    if (this.#stream.kind !== "bookTicker" || this.#changed.size === 0) return;
    for (const market of this.#changed) {
      const event = bookTickerEvent(market, this.#state.nowMs());
      const touch = `${event.b} ${event.B} ${event.a} ${event.A}`;
      if (this.#touches.get(market) !== touch) {
        this.#touches.set(market, touch);
        this.#send(event);
      }
    }
    this.#changed.clear();
  }

  /**
   * Called once a second.
   * @param second counts the seconds
   */
  onSample(second: number): void {
    const { kind } = this.#stream;
    if (kind === "kline") this.#kline?.onSample();
    else if (kind === "markPrice") {
      if (second % this.#stream.everySeconds === 0) this.#sendAll(this.#stream.markets);
    } else if (kind === "ticker" || kind === "miniTicker") {
      const changed = this.#stream.markets.filter((market) => this.#changed.has(market));
      this.#changed.clear();
      this.#sendAll(changed);
    }
  }

  stop(): void {
    this.#depth?.stop();
    this.#kline?.stop();
  }

  #sendAll(markets: readonly Market[]): void {
    if (markets.length === 0) return;
    const nowMs = this.#state.nowMs();
    const { kind } = this.#stream;
    const events = markets.map((market) =>
      kind === "markPrice"
        ? markPriceEvent(market, nowMs)
        : kind === "ticker"
          ? tickerEvent(market, this.#ids, nowMs)
          : miniTickerEvent(market, this.#ids, nowMs),
    );
    if (this.#stream.isList) this.#send(events);
    else for (const event of events) this.#send(event);
  }

  #send(message: unknown): void {
    this.#publish(JSON.stringify(message));
  }
}
