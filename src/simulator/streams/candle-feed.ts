import type { Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { CandleInterval } from "../markets/candle-interval.js";
import type { Market } from "../markets/market.js";
import { tradeBarRecord } from "../rest/records/market-records.js";
import type { StreamLink } from "./stream-link.js";

/** The number of bars in one REST page. */
const MOST_BARS = 500;

/** The followers of one spelling of a stream's name. */
interface Topic {
  readonly interval: CandleInterval;
  readonly links: Set<StreamLink>;
  /** The newest bar that was sent; it may have changed since. Null before the first. */
  newestMs: Ms | null;
}

/**
 * A market's kline streams (docs/reference/protocol.md#market-streams): the newest bar at the
 * subscription, then every changed bar, with a bar's final values before the next bar's first.
 */
export class CandleFeed {
  readonly #state: ExchangeState;
  readonly #market: Market;
  /** By the stream's name as the client spelled it, since events are wrapped under that name. */
  readonly #topics = new Map<string, Topic>();
  #isPending = false;
  #timer: Timer | null = null;

  constructor(state: ExchangeState, market: Market) {
    this.#state = state;
    this.#market = market;
  }

  subscribe(name: string, interval: CandleInterval, link: StreamLink): void {
    const topic = this.#topics.get(name) ?? { interval, links: new Set(), newestMs: null };
    this.#topics.set(name, topic);
    const newest = this.#market.candles.newest(interval, this.#state.nowMs());
    topic.newestMs ??= newest?.timeMs ?? null;
    topic.links.add(link);
    const bars =
      newest === undefined
        ? []
        : [tradeBarRecord(this.#market, newest, this.#state.config.choices)];
    link.send(wrapped(name, link, JSON.stringify(bars)));
  }

  unsubscribe(name: string, link: StreamLink): void {
    const topic = this.#topics.get(name);
    if (topic?.links.delete(link) && topic.links.size === 0) {
      this.#topics.delete(name);
      if (this.#topics.size === 0) {
        this.stop();
      }
    }
  }

  /**
   * Schedules an update after a trade, after the configured interval, if the stream has followers.
   */
  onTrade(): void {
    if (this.#topics.size === 0) {
      return;
    }
    this.#isPending = true;
    const { klineIntervalMs } = this.#state.config.streams;
    if (klineIntervalMs > 0 && this.#timer === null) {
      this.#timer = this.#state.runtime.clock.setTimer(klineIntervalMs, () => {
        this.#timer = null;
        this.publish();
      });
    }
  }

  /** Called as time passes: where empty bars are shown, a new one may have begun. */
  onSample(): void {
    if (this.#state.config.choices.emptyBars === "omit") {
      return;
    }
    for (const [name, topic] of this.#topics) {
      const newest = this.#market.candles.newest(topic.interval, this.#state.nowMs());
      if (newest !== undefined && newest.timeMs !== topic.newestMs) {
        this.#send(name, topic);
      }
    }
  }

  /** Sends the changes since the last time. */
  publish(): void {
    if (!this.#isPending) {
      return;
    }
    this.#isPending = false;
    for (const [name, topic] of this.#topics) {
      this.#send(name, topic);
    }
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isPending = false;
  }

  #send(name: string, topic: Topic): void {
    const nowMs = this.#state.nowMs();
    const { candles } = this.#market;
    const startMs = topic.newestMs ?? candles.newest(topic.interval, nowMs)?.timeMs;
    const bars = candles.page(topic.interval, { startMs, limit: MOST_BARS }, nowMs);
    topic.newestMs = bars.at(-1)?.timeMs ?? null;
    const payload = JSON.stringify(
      bars.map((bar) => tradeBarRecord(this.#market, bar, this.#state.config.choices)),
    );
    for (const link of [...topic.links]) {
      link.send(wrapped(name, link, payload));
    }
  }
}

function wrapped(name: string, link: StreamLink, payload: string): string {
  return link.options.wrapsEvents ? `{"stream":"${name}","data":${payload}}` : payload;
}
