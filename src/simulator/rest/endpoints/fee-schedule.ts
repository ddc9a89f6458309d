import { ConfigError } from "../../../core/errors.js";
import { decimalToScaled } from "../../../core/instrument.js";
import type { Hex, MarketId } from "../../../core/units.js";
import { ONE } from "../../../perpetual/fixed-point.js";
import type { ExchangeConfig } from "../../config/config.js";
import type { Market } from "../../markets/market.js";

/** Fee rates as an order's `info` carries them: signed, scaled by 10^18. */
export interface ScheduledFees {
  readonly makerRate: bigint;
  readonly takerRate: bigint;
}

/**
 * The fee rates of an account's orders: the market's, unless it has an agreement
 * (docs/reference/exchange-interface.md#fee-rates).
 */
export class FeeSchedule {
  readonly #agreements = new Map<string, ScheduledFees>();

  /**
   * @throws ConfigError for an agreement about an unknown market, or rates that are not fractions
   */
  constructor({ accounts, markets }: ExchangeConfig) {
    for (const [address, { feeRates }] of Object.entries(accounts)) {
      for (const [marketId, { makerFeeRate, takerFeeRate }] of Object.entries(feeRates)) {
        const field = `accounts.${address}.feeRates.${marketId}`;
        if (!Object.hasOwn(markets, marketId)) {
          throw new ConfigError("is not a market of this exchange", {
            field,
            value: marketId,
            expected: Object.keys(markets).join(" or "),
          });
        }
        this.#agreements.set(keyOf(address, marketId), {
          makerRate: rateOf(makerFeeRate, `${field}.makerFeeRate`),
          takerRate: rateOf(takerFeeRate, `${field}.takerFeeRate`),
        });
      }
    }
  }

  /** The rates of an account in a market, without gas. */
  ratesFor(address: Hex, market: Market): ScheduledFees {
    return this.#agreements.get(keyOf(address, market.id)) ?? market.rules;
  }
}

function keyOf(address: Hex, marketId: MarketId): string {
  return `${address.toLowerCase()} ${marketId}`;
}

function rateOf(text: string, field: string): bigint {
  try {
    const rate = decimalToScaled(text, 18);
    if (rate > -ONE && rate < ONE) {
      return rate;
    }
  } catch (cause) {
    throw new ConfigError("is not a valid fee rate", {
      field,
      value: text,
      expected: "a fraction of at most 18 decimals",
      cause,
    });
  }
  throw new ConfigError("is not a valid fee rate", {
    field,
    value: text,
    expected: "a fraction between -1 and 1",
  });
}
