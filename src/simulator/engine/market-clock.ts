import type { Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { Clearing } from "../accounts/clearing.js";
import type { Market } from "../markets/market.js";
import { computePremium } from "../markets/premium.js";
import type { ExchangeState } from "./exchange-state.js";

/** The interval of mark and book samples. */
const READING_MS = 1000;

/** Callbacks of the market clock. */
export interface MarketClockDeps {
  readonly state: ExchangeState;
  readonly clearing: Clearing;
  /** Runs a change as one event of the exchange. */
  turn(run: () => void): void;
  /** The mark of a market has changed. */
  onMark(market: Market): void;
  /** Called once a second after every market's figures were sampled. */
  onSample(): void;
  /** Publishes every market's state. */
  publish(): void;
}

/**
 * The timed work of a market: samples of mark and basis, samples of the premium, funding,
 * publication.
 */
export class MarketClock {
  readonly #parts: MarketClockDeps;
  readonly #timers = new Map<string, Timer>();

  constructor(parts: MarketClockDeps) {
    this.#parts = parts;
  }

  start(): void {
    const { state, publish } = this.#parts;
    for (const market of state.markets.values()) {
      this.#awaitFunding(market);
    }
    this.#every("reading", READING_MS, () => this.#read());
    this.#every("publication", state.config.streams.marketIntervalMs, publish);
  }

  stop(): void {
    for (const timer of this.#timers.values()) {
      timer.cancel();
    }
    this.#timers.clear();
  }

  /** On boundaries since the epoch, so that a restart does not shift the sampling times. */
  #every(name: string, intervalMs: number, run: () => void): void {
    const { clock } = this.#parts.state.runtime;
    const nowMs = clock.nowMs();
    const timer = clock.setTimer(boundaryAfter(nowMs, intervalMs) - nowMs, () => {
      this.#parts.turn(run);
      this.#every(name, intervalMs, run);
    });
    this.#timers.set(name, timer);
  }

  #read(): void {
    const { state, onMark, onSample } = this.#parts;
    const nowMs = state.nowMs();
    for (const market of state.markets.values()) {
      if (market.prices.sample(nowMs)) {
        onMark(market);
      }
      market.noteMark(nowMs);
      const { midTicks, prices, basis } = market;
      if (prices.index > 0n) {
        if (!Number.isNaN(midTicks)) {
          basis.take(prices.toCreditPrice(midTicks), prices.index);
        }
        market.noteOffchainMark(nowMs);
      }
      state.listener.onMarket(market);
    }
    onSample();
  }

  /**
   * Sets the timer for a market's next sample or funding, whichever comes first, on boundaries
   * since the epoch.
   */
  #awaitFunding(market: Market): void {
    const { mode, intervalMs, sampleIntervalMs } = market.rules.config.funding;
    const { clock } = this.#parts.state.runtime;
    // Not the records' time, which does not advance while a wall clock that was stepped back
    // catches up.
    const nowMs = clock.nowMs();
    if (market.nextFundingMs === 0) {
      market.nextFundingMs = firstFundingMs(nowMs, intervalMs);
    }
    this.#beginFundings(market);
    if (market.nextSampleMs === 0) {
      market.nextSampleMs = boundaryAfter(nowMs, sampleIntervalMs);
      this.#parts.state.listener.onMarket(market);
    }
    const dueMs =
      mode === "premium"
        ? Math.min(market.nextFundingMs, market.nextSampleMs)
        : market.nextFundingMs;
    this.#timers.set(
      `funding ${market.id}`,
      clock.setTimer(Math.max(0, dueMs - nowMs), () => {
        this.#parts.turn(() => this.#fundIfDue(market));
        this.#awaitFunding(market);
      }),
    );
  }

  /**
   * Clients wait for a funding record before they trade. Until one is paid, a record of rate 0 at
   * the previous boundary serves.
   */
  #beginFundings(market: Market): void {
    const { state } = this.#parts;
    if (state.config.choices.firstFunding === "zero" && market.fundings.last() === undefined) {
      market.fundings.add({
        rate: 0n,
        timeMs: market.nextFundingMs - market.rules.config.funding.intervalMs,
      });
      state.listener.onMarket(market);
    }
  }

  #fundIfDue(market: Market): void {
    const { mode, intervalMs, sampleIntervalMs, premium: kind } = market.rules.config.funding;
    // The timer fires early if the wall clock was stepped back since.
    const nowMs = this.#parts.state.runtime.clock.nowMs();
    // A sample on a boundary belongs to the interval that ends there.
    if (mode === "premium" && nowMs >= market.nextSampleMs) {
      market.nextSampleMs = boundaryAfter(nowMs, sampleIntervalMs);
      const premium = computePremium(market, kind);
      if (premium !== null) {
        market.premium.take(premium);
      }
    }
    if (nowMs >= market.nextFundingMs) {
      market.nextFundingMs += intervalMs;
      this.#parts.clearing.credit.settleFunding(market);
    }
    this.#parts.state.listener.onMarket(market);
  }
}

/** The time of a market's first funding. */
function firstFundingMs(nowMs: Ms, intervalMs: Ms): Ms {
  return boundaryAfter(nowMs, intervalMs);
}

function boundaryAfter(nowMs: number, intervalMs: number): number {
  return (Math.floor(nowMs / intervalMs) + 1) * intervalMs;
}
