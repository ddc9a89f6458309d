import { FormatError } from "../core/errors.js";
import { Instrument } from "../core/instrument.js";
import type { MarketId } from "../core/units.js";
import type { VenueRules } from "../exchange/records.js";

/** A market's names and units, as an export stores them. */
export interface StoredMarket {
  readonly tickSize: string;
  readonly stepSize: string;
  readonly baseAsset: string;
}

/** The units of an exchange, as an export stores them. */
export interface StoredUnits {
  readonly creditAsset: string;
  readonly creditDecimals: number;
  readonly paperDecimals: number;
  readonly markets: Readonly<Record<MarketId, StoredMarket>>;
}

/** Names and units of the exchange's credit and of its markets. */
export class MarketUnits {
  readonly creditAsset: string;
  readonly creditDecimals: number;
  readonly paperDecimals: number;
  readonly #stored: StoredUnits;
  readonly #instruments = new Map<MarketId, Instrument>();

  constructor(stored: StoredUnits) {
    this.#stored = stored;
    this.creditAsset = stored.creditAsset;
    this.creditDecimals = stored.creditDecimals;
    this.paperDecimals = stored.paperDecimals;
    for (const [marketId, { tickSize, stepSize }] of Object.entries(stored.markets)) {
      const { creditDecimals, paperDecimals } = stored;
      const grid = { marketId, tickSize, stepSize, creditDecimals, paperDecimals };
      this.#instruments.set(marketId, new Instrument(grid));
    }
  }

  /** The units that `exchangeInfo` states. */
  static fromRules({ creditDecimals, paperDecimals, markets }: VenueRules): MarketUnits {
    const all = Object.values(markets);
    return new MarketUnits({
      creditAsset: all.find(({ quoteAsset }) => quoteAsset !== undefined)?.quoteAsset ?? "credit",
      creditDecimals,
      paperDecimals,
      markets: Object.fromEntries(
        all.map(({ marketId, tickSize, stepSize, baseAsset = marketId }) => [
          marketId,
          { tickSize, stepSize, baseAsset },
        ]),
      ),
    });
  }

  /** The form in which an export stores them. */
  get stored(): StoredUnits {
    return this.#stored;
  }

  get marketIds(): readonly MarketId[] {
    return [...this.#instruments.keys()];
  }

  /** The base asset; the market's id if the exchange does not name it. */
  baseAsset(marketId: MarketId): string {
    return this.#stored.markets[marketId]?.baseAsset ?? marketId;
  }

  /** @throws FormatError for a market whose grid is not known. */
  instrument(marketId: MarketId): Instrument {
    const instrument = this.#instruments.get(marketId);
    if (instrument !== undefined) return instrument;
    throw new FormatError("the grid of this market is not known", {
      field: "marketId",
      value: marketId,
      expected: `one of ${this.marketIds.join(", ")}`,
    });
  }
}
