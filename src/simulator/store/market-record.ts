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

/** A market's figures; its lists and bars have records of their own. */
export interface MarketRecord {
  readonly market: WrittenFields;
  readonly configuredStatus: MarketStatus;
  /**
   * The rules that it was given while it ran, and what the configuration said then; left out where
   * there are none.
   */
  readonly changed?: { readonly rules: ChangeableRules; readonly configured: ChangeableRules };
  readonly sequence: number;
  /** Whether the house had anything in the book, which is not there after a restart. */
  readonly houseRests: boolean;
  readonly prices: WrittenFields;
  readonly premium: WrittenFields;
  readonly basis: WrittenFields;
  readonly before: WrittenFields;
}

/** What 24-hour windows are made of: trades, or marks. */
export type MarketSource = "trades" | "marks";

/** What bars are made of. Stores of before there were any of the off-chain mark have none of it. */
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
 * Gives a market the figures of a record. A status and rules that the configuration has been given
 * since stand; and the book without the house's part is one step of its sequence later.
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
  // What came due while nobody ran the exchange is charged once, and an interval may have been made
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
