import { isDeepStrictEqual } from "node:util";
import type { CreditUnits } from "../../core/units.js";
import type { ExchangeConfig } from "../config/config.js";
import type { CandleSeries } from "../markets/candles.js";
import type { DayWindow } from "../markets/day-window.js";
import type { Market, MarketStatus } from "../markets/market.js";
import type { PremiumState } from "../markets/premium-meter.js";
import type { ReferencePriceState } from "../markets/reference-price.js";
import { type ChangeableRules, changeableRules, changedRules } from "../markets/rule-change.js";
import { readFields, type WrittenFields, writeFields } from "./plain-fields.js";

/** A market's figures; its lists and bars have separate records. */
export interface MarketRecord {
  readonly market: WrittenFields;
  readonly configuredStatus: MarketStatus;
  /**
   * The rules that were changed while it ran, with the configuration at that time; left out if
   * there are none.
   */
  readonly changed?: { readonly rules: ChangeableRules; readonly configured: ChangeableRules };
  readonly sequence: number;
  /** True if the house had orders in the book, which are gone after a restart. */
  readonly houseRests: boolean;
  readonly prices: WrittenFields;
  readonly premium: WrittenFields;
  readonly basis: WrittenFields;
  readonly before: WrittenFields;
}

/** The source of a 24-hour window: trades, or marks. */
export type MarketSource = "trades" | "marks";

/** The source of bars. Older stores have no bars of the off-chain mark. */
export type BarSource = MarketSource | "offchain";

/** The bars that change with each source. */
export const BAR_SOURCES: Readonly<Record<MarketSource, readonly BarSource[]>> = {
  trades: ["trades"],
  marks: ["marks", "offchain"],
};

export function candleSeriesFor(market: Market, source: BarSource): CandleSeries {
  return { trades: market.candles, marks: market.markCandles, offchain: market.offchainCandles }[
    source
  ];
}

export function dayWindowFor(market: Market, source: MarketSource): DayWindow {
  return source === "trades" ? market.day : market.offchainDay;
}

export function writeMarket(market: Market): MarketRecord {
  return {
    market: writeFields(market),
    configuredStatus: market.configured.status,
    ...(market.rules.config !== market.configured && {
      changed: {
        rules: changeableRules(market.rules.config),
        configured: changeableRules(market.configured),
      },
    }),
    sequence: market.depth.sequence,
    houseRests: market.houseRests,
    prices: writeFields(market.prices.snapshot()),
    premium: writeFields(market.premium.snapshot()),
    basis: writeFields(market.basis.snapshot()),
    before: writeFields({ trades: market.day.before, marks: market.offchainDay.before }),
  };
}

/**
 * Sets a market's figures from a record. A status and rules that were configured since the record
 * take precedence. The house's orders are gone, so the book's sequence is one step later.
 */
export function assignMarket(
  market: Market,
  record: MarketRecord,
  config: ExchangeConfig,
  nowMs: number,
): void {
  const { status } = market;
  Object.assign(market, readFields<Partial<Market>>(record.market));
  if (record.configuredStatus !== status) {
    market.status = status;
    market.statusChangedMs = nowMs;
  }
  const { changed } = record;
  if (
    changed !== undefined &&
    isDeepStrictEqual(changed.configured, changeableRules(market.configured))
  ) {
    market.rules = changedRules(market, config, changed.rules);
  }
  // Funding that fell due while no process ran is charged once, and the interval may have become
  // shorter.
  const { intervalMs } = market.rules.config.funding;
  const passedMs = Math.floor(nowMs / intervalMs) * intervalMs;
  if (market.nextFundingMs !== 0) {
    market.nextFundingMs = Math.min(
      Math.max(market.nextFundingMs, passedMs),
      passedMs + intervalMs,
    );
  }
  market.depth.restore(record.sequence + (record.houseRests ? 1 : 0));
  market.prices.restore(readFields<ReferencePriceState>(record.prices));
  market.premium.restore(readFields<PremiumState>(record.premium));
  market.basis.restore(Object.values(readFields<Record<string, CreditUnits>>(record.basis)));
}
