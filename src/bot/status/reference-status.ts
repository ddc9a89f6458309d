import type { Ms } from "../../core/units.js";
import type { ReferenceReading, ReferenceState } from "../../reference/reference-snapshot.js";
import type { MarketReferenceConfig } from "../config/config.js";
import type { Bot } from "../engine/bot.js";
import type { MarketTrader } from "../market/market-trader.js";
import { referenceInstant } from "../market/used-reference.js";

/** A source of a market's reference price. Prices are in quote for one base. */
export interface ReferenceSourceStatus {
  /** Its name in `references`. */
  readonly name: string;
  readonly weight: number;
  /** Its mid; undefined without a price on both sides. */
  readonly price: string | undefined;
  /** Age of its newest price; undefined before the first one. */
  readonly ageMs: Ms | undefined;
  /** True if it counts in the combined price. */
  readonly counts: boolean;
  /** Why it does not count, as a phrase; undefined if it does. */
  readonly leftOut: string | undefined;
}

/** The reference price of a market. Prices are in quote for one base. */
export interface ReferenceStatus {
  readonly state: ReferenceState;
  /** Why it is not good; undefined if it is. */
  readonly why: string | undefined;
  /** The combined price of the sources that count; undefined unless it is good. */
  readonly price: string | undefined;
  /** The price plus the basis; undefined unless it is good. */
  readonly fairPrice: string | undefined;
  /** Age of the oldest price that counts; undefined unless it is good. */
  readonly ageMs: Ms | undefined;
  /** This exchange's price above the reference, in basis points; undefined without `basis`. */
  readonly basisBps: number | undefined;
  /** Why the basis is not estimated at present; undefined if it is. */
  readonly basisFrozen: string | undefined;
  /** Effect of too few sources. */
  readonly onStale: MarketReferenceConfig["onStale"];
  /** In the order of the file. */
  readonly sources: readonly ReferenceSourceStatus[];
}

/** The reference price of a market; undefined in a market without one. */
export function readReference(
  { context }: Pick<Bot, "context">,
  trader: MarketTrader,
): ReferenceStatus | undefined {
  const { marketId, reference, instrument } = trader;
  if (reference === undefined) return undefined;
  const reading = reference.price.reading(referenceInstant(context));
  const price = (ticks: number): string | undefined =>
    Number.isFinite(ticks)
      ? (ticks * instrument.tickQuote).toFixed(instrument.priceDecimals + 1)
      : undefined;
  const hasBasis = context.config.markets[marketId]?.reference?.basis !== undefined;
  return {
    state: reading.state,
    why: reading.why,
    price: price(reading.priceTicks),
    fairPrice: price(reading.fairTicks),
    ageMs: wholeMs(reading.ageMs),
    basisBps: hasBasis ? Math.round(reading.basisBps * 100) / 100 || 0 : undefined,
    basisFrozen: hasBasis ? whyFrozen(reading) : undefined,
    onStale: reference.onStale,
    sources: reading.readings.map(
      ({ source, weight, bidTicks, askTicks, ageMs, counts, leftOut }) => ({
        name: source,
        weight,
        price: price((bidTicks + askTicks) / 2),
        ageMs: wholeMs(ageMs),
        counts,
        leftOut,
      }),
    ),
  };
}

function whyFrozen({ isBasisFrozen, why }: ReferenceReading): string | undefined {
  if (!isBasisFrozen) return undefined;
  return why ?? "this market's book is stale, or has a side without orders of others";
}

function wholeMs(ageMs: Ms): Ms | undefined {
  return Number.isNaN(ageMs) ? undefined : Math.round(ageMs);
}
