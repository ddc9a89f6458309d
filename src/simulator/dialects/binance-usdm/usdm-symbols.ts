import { ConfigError } from "../../../core/errors.js";
import type { MarketConfig } from "../../config/config.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { Market } from "../../markets/market.js";
import { UsdmError } from "./usdm-error.js";

/** The names of the markets in the dialect: base and quote asset in capitals, `BTCUSDC`. */
export class UsdmSymbols {
  readonly #markets = new Map<string, Market>();

  /** @throws ConfigError when two markets have the same assets, or markets have two quote assets */
  constructor({ markets }: ExchangeState) {
    const [first] = markets.values();
    for (const market of markets.values()) {
      const symbol = symbolOf(market);
      const other = this.#markets.get(symbol);
      if (other !== undefined) {
        throw new ConfigError("has the assets of another market, so they would share a symbol", {
          field: `markets.${market.id}`,
          value: symbol,
          expected: `other assets than those of ${other.id}, or no dialect binance-usdm`,
        });
      }
      if (quoteAssetOf(market) !== quoteAssetOf(first ?? market)) {
        throw new ConfigError("is not the quote asset of the other markets", {
          field: `markets.${market.id}.quoteAsset`,
          value: market.rules.config.quoteAsset,
          expected: "one quote asset in all markets, or no dialect binance-usdm",
        });
      }
      this.#markets.set(symbol, market);
    }
  }

  /** Every market by its symbol. */
  get all(): ReadonlyMap<string, Market> {
    return this.#markets;
  }

  /** The asset of every balance. */
  get asset(): string {
    const [market] = this.#markets.values();
    return market === undefined ? "USDC" : quoteAssetOf(market);
  }

  /**
   * The market of a symbol.
   * @throws UsdmError -1121
   */
  market(symbol: string): Market {
    const market = this.#markets.get(symbol);
    if (market === undefined) throw new UsdmError("-1121");
    return market;
  }
}

/** The symbol of two assets. */
export function toSymbol({
  baseAsset,
  quoteAsset,
}: Pick<MarketConfig, "baseAsset" | "quoteAsset">): string {
  return `${baseAsset}${quoteAsset}`.toUpperCase();
}

/** The symbol of a market. */
export function symbolOf({ rules }: Market): string {
  return toSymbol(rules.config);
}

function quoteAssetOf({ rules }: Market): string {
  return rules.config.quoteAsset.toUpperCase();
}
