import type { Timer } from "../../core/runtime/runtime.js";
import type { Side } from "../../core/units.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market, Trade } from "../markets/market.js";
import { marketStateRecord, publicTradeFields } from "../rest/records/market-records.js";
import { writeRecord } from "../rest/records/write-json.js";
import { CandleFeed } from "./candle-feed.js";
import { LevelFormatter } from "./level-formatter.js";
import type { MarketStream } from "./stream-address.js";
import type { StreamLink } from "./stream-link.js";

/** The streams of which a market has one each. */
type MarketStreamKind = Exclude<MarketStream["kind"], "kline">;

/** One market's streams: its book, its state each second, its trades, and its klines. */
export class MarketFeed {
  readonly #state: ExchangeState;
  readonly #market: Market;
  readonly #text: LevelFormatter;
  readonly #links: Record<MarketStreamKind, Set<StreamLink>> = {
    orderbook: new Set(),
    market: new Set(),
    trades: new Set(),
  };
  readonly #klines: CandleFeed;
  #bookTimer: Timer | null = null;

  constructor(state: ExchangeState, market: Market) {
    this.#state = state;
    this.#market = market;
    this.#klines = new CandleFeed(state, market);
    this.#text = new LevelFormatter(market.instrument);
  }

  /**
   * Subscribes a link to a stream that it does not follow yet. A book starts with its snapshot, the
   * market's state and a bar with the present ones.
   */
  subscribe({ name, kind, interval }: MarketStream, link: StreamLink): void {
    if (kind === "kline") {
      if (interval !== null) {
        this.#klines.subscribe(name, interval, link);
      }
      return;
    }
    if (kind === "orderbook") {
      // The others' next update must begin after this snapshot's sequence too.
      this.publishBook();
      this.#market.depth.watched = true;
      link.send(this.#wrapped(kind, link, this.#snapshot()));
    } else if (kind === "market") {
      link.send(this.#wrapped(kind, link, this.#marketState()));
    }
    this.#links[kind].add(link);
  }

  unsubscribe({ name, kind }: MarketStream, link: StreamLink): void {
    if (kind === "kline") {
      this.#klines.unsubscribe(name, link);
    } else if (
      this.#links[kind].delete(link) &&
      kind === "orderbook" &&
      this.#links.orderbook.size === 0
    ) {
      this.#market.depth.watched = false;
      this.#stopBook();
    }
  }

  /** Schedules an update of the book, after the configured interval, if it has followers. */
  onBook(): void {
    const { bookIntervalMs } = this.#state.config.streams;
    if (this.#links.orderbook.size > 0 && bookIntervalMs > 0 && this.#bookTimer === null) {
      this.#bookTimer = this.#state.runtime.clock.setTimer(bookIntervalMs, () => {
        this.#bookTimer = null;
        this.publishBook();
      });
    }
  }

  /** Publishes the changes since the last time. */
  publishBook(): void {
    const { depth, engine } = this.#market;
    if (!depth.hasChanges) {
      return;
    }
    const { beginSequence, endSequence, bids, asks } = depth.take();
    if (this.#links.orderbook.size === 0) {
      return;
    }
    const levels = (side: Side, prices: readonly number[]) =>
      prices.map((ticks) => this.#text.level(ticks, engine.lotsAt(side, ticks))).join(",");
    this.#publish(
      "orderbook",
      `{"event":"update","beginSequence":${beginSequence},"endSequence":${endSequence},"bids":[${levels("BUY", bids)}],"asks":[${levels("SELL", asks)}]}`,
    );
  }

  publishTrade(trade: Trade): void {
    if (this.#links.trades.size > 0) {
      this.#publish("trades", writeRecord(publicTradeFields(trade, trade.status)));
    }
    this.#klines.onTrade();
  }

  /** Sends the changes that are collected until the end of an event and not for an interval. */
  flush(): void {
    const { bookIntervalMs, klineIntervalMs } = this.#state.config.streams;
    if (bookIntervalMs === 0) {
      this.publishBook();
    }
    if (klineIntervalMs === 0) {
      this.#klines.publish();
    }
  }

  /** Called once a second. */
  onSample(): void {
    this.#klines.onSample();
  }

  publishMarket(): void {
    if (this.#links.market.size > 0) {
      this.#publish("market", this.#marketState());
    }
  }

  stop(): void {
    this.#stopBook();
    this.#klines.stop();
  }

  #stopBook(): void {
    this.#bookTimer?.cancel();
    this.#bookTimer = null;
  }

  #snapshot(): string {
    const { depth, engine } = this.#market;
    const levels = (side: Side) => {
      const texts: string[] = [];
      engine.forEachLevel(side, (ticks, lots) => texts.push(this.#text.level(ticks, lots)) > 0);
      return texts.join(",");
    };
    return `{"event":"snapshot","sequence":${depth.sequence},"bids":[${levels("BUY")}],"asks":[${levels("SELL")}]}`;
  }

  #marketState(): string {
    return JSON.stringify(marketStateRecord(this.#market, this.#state.nowMs()));
  }

  #publish(kind: MarketStreamKind, payload: string): void {
    let wrapped: string | undefined;
    for (const link of [...this.#links[kind]]) {
      if (link.options.wrapsEvents) {
        wrapped ??= this.#wrapped(kind, link, payload);
        link.send(wrapped);
      } else {
        link.send(payload);
      }
    }
  }

  #wrapped(kind: MarketStreamKind, link: StreamLink, payload: string): string {
    return link.options.wrapsEvents
      ? `{"stream":"${this.#market.id}@${kind}","data":${payload}}`
      : payload;
  }
}
