import type { CreditUnits, Lots, MarketId, Ms } from "../../core/units.js";
import type { EmbeddedExchange } from "../../simulator/exchange.js";
import type { RunSample } from "./run-sample.js";

/** Silence of a reference beyond which a quote on it counts. */
const SILENT_MS: Ms = 5_000;

/** The state of the sources and the hedge that a market depends on. */
export interface MarketDependence {
  /** Time since enough of its sources have sent a price; undefined for a market without. */
  readonly referenceSilentMs: Ms | undefined;
  /** True if its position is beyond the band of its hedge. */
  readonly isBeyondBand: boolean;
  /** Longest time that the file allows it to be. */
  readonly maxUnhedgedMs: Ms;
}

/** Sums the times without quotes, with quotes on silent references, and without a hedge. */
export class ExposureMeter {
  unquotedMs: Ms = 0;
  quotesOnStaleReferenceMs: Ms = 0;
  unhedgedMs: Ms = 0;
  worstDrawdown: CreditUnits = 0n;
  readonly #largest = new Map<MarketId, Lots>();
  readonly #largestOrder = new Map<MarketId, Lots>();
  readonly #beyondSinceMs = new Map<MarketId, Ms>();
  readonly #exchange: EmbeddedExchange;
  readonly #quoted: readonly MarketId[];
  #peak: CreditUnits | undefined;

  constructor(exchange: EmbeddedExchange, quoted: readonly MarketId[]) {
    this.#exchange = exchange;
    this.#quoted = quoted;
  }

  get largestPositionLots(): Readonly<Record<MarketId, Lots>> {
    return Object.fromEntries(this.#quoted.map((id) => [id, this.#largest.get(id) ?? 0]));
  }

  get largestOrderLots(): Readonly<Record<MarketId, Lots>> {
    return Object.fromEntries(this.#quoted.map((id) => [id, this.#largestOrder.get(id) ?? 0]));
  }

  /** @param stepMs time since the last sample */
  sample(
    sample: RunSample,
    stepMs: Ms,
    dependenceOf: (marketId: MarketId) => MarketDependence,
  ): void {
    const { atMs, equity, openOrders, positions, isExchangeRunning } = sample;
    if (this.#peak === undefined || equity > this.#peak) this.#peak = equity;
    if (this.#peak - equity > this.worstDrawdown) this.worstDrawdown = this.#peak - equity;
    const withOrders = new Set(openOrders.map(({ terms }) => terms.market.id));
    for (const { terms } of openOrders) {
      const { market, lots } = terms;
      if (lots > (this.#largestOrder.get(market.id) ?? 0)) this.#largestOrder.set(market.id, lots);
    }
    for (const marketId of this.#quoted) {
      const lots = Math.abs(positions.get(marketId) ?? 0);
      if (lots > (this.#largest.get(marketId) ?? 0)) this.#largest.set(marketId, lots);
      const isOpen = isExchangeRunning && this.#exchange.market(marketId).status === "TRADING";
      const isQuoted = withOrders.has(marketId);
      if (isOpen && !isQuoted) this.unquotedMs += stepMs;
      const { referenceSilentMs = 0, isBeyondBand, maxUnhedgedMs } = dependenceOf(marketId);
      if (isQuoted && isOpen && referenceSilentMs > SILENT_MS)
        this.quotesOnStaleReferenceMs += stepMs;
      if (!isBeyondBand) this.#beyondSinceMs.delete(marketId);
      const sinceMs = this.#beyondSinceMs.get(marketId) ?? atMs;
      if (isBeyondBand) this.#beyondSinceMs.set(marketId, sinceMs);
      if (isBeyondBand && atMs - sinceMs > maxUnhedgedMs) this.unhedgedMs += stepMs;
    }
  }
}
