import { decimalToScaled } from "../../core/instrument.js";
import { type CreditUnits, type Lots, type Ms, sideSign } from "../../core/units.js";
import { optimalLiquidation } from "../../strategies/models/almgren-chriss.js";
import type { UnwindConfig } from "../config/fields/unwind-fields.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { UnwindTerms } from "./takeover-registry.js";

/** How far beyond the touch the book's depth is measured, as a share of the allowed slippage. */
const DEPTH_SHARE = 1 / 4;

/**
 * Terms for unwinding a position of `lots` (signed) from `nowMs` on: the trajectory of Almgren and
 * Chriss over the present book and volatility. The temporary impact is that of a book with as many
 * lots per tick as there are near the touch now. Without a book or a significant risk it sells in
 * even parts.
 * @param sigmaTicks volatility of the mid, ticks per square root of a second.
 * @param credit of the takeover of the position.
 */
export function unwindTerms(
  trader: MarketTrader,
  { lots, credit }: { readonly lots: Lots; readonly credit: CreditUnits },
  config: UnwindConfig,
  sigmaTicks: number,
  nowMs: Ms,
): UnwindTerms {
  const { instrument, rules } = trader;
  const size = Math.abs(lots);
  const referenceTicks = boundTicks(trader, lots, credit);
  const slip = config.maxSlippageBps / 10_000;
  const worstTicks =
    lots > 0
      ? Math.min(rules.maxTicks, Math.max(rules.minTicks, Math.ceil(referenceTicks * (1 - slip))))
      : Math.max(rules.minTicks, Math.min(rules.maxTicks, Math.floor(referenceTicks * (1 + slip))));
  const stepMs = config.horizonMs / config.slices;
  const tauSeconds = stepMs / 1000;
  const reachTicks = Math.max(1, referenceTicks * slip * DEPTH_SHARE);
  const depthLots = depthOf(trader, lots, reachTicks);
  const holdings =
    depthLots === 0
      ? Array.from(
          { length: config.slices + 1 },
          (_, step) => (size * (config.slices - step)) / config.slices,
        )
      : optimalLiquidation({
          size: size * instrument.lotBase,
          horizon: config.horizonMs / 1000,
          intervals: config.slices,
          riskAversion: config.riskAversion,
          sigma: sigmaTicks * instrument.tickQuote,
          permanentImpact: 0,
          // Sweeping n lots of a book of D lots in R ticks moves its price by n R / D, half of it
          // on average.
          temporaryImpact:
            (tauSeconds * reachTicks * instrument.tickQuote) / (2 * depthLots * instrument.lotBase),
          fixedCost: 0,
        }).holdings.map((base) => base / instrument.lotBase);
  const holdLots = holdings.map((held, step) =>
    step === 0 ? size : step === config.slices ? 0 : Math.min(size, Math.round(held)),
  );
  const takingFromMs = nowMs + config.makerFirstMs;
  return {
    part: { takingFromMs, stepMs, holdLots },
    worstTicks,
    deadlineMs: takingFromMs + config.horizonMs,
  };
}

/** The largest remainder that is not worth an order, in lots. */
export function computeDustLots(trader: MarketTrader, { dustQuote }: UnwindConfig): Lots {
  const { mark } = trader.state;
  if (dustQuote === undefined || mark === undefined || mark <= 0n) return 0;
  const { creditDecimals, paperUnit, paperPerLot } = trader.instrument;
  const dust = decimalToScaled(dustQuote, creditDecimals);
  return Number((dust * paperUnit) / (paperPerLot * mark));
}

/**
 * Lots of other accounts within this many ticks of the touch, on the side that the position is sold
 * to.
 */
function depthOf({ book }: MarketTrader, lots: Lots, reachTicks: number): Lots {
  if (!book.isSynchronised) return 0;
  const side = lots > 0 ? book.bids : book.asks;
  const best = side.bestTicks;
  let depth = 0;
  side.walk((ticks, resting) => {
    if (Math.abs(best - ticks) > reachTicks) return false;
    depth += resting;
    return true;
  });
  return depth;
}

/**
 * Reference price of the allowed slippage: the mark or the price of the takeover, whichever is
 * worse to sell at. The chain's price is ahead of the mark that the exchange reports for it. After
 * a fall the known mark is no longer traded, and a bound by it alone would leave the position
 * unsold.
 */
function boundTicks(trader: MarketTrader, lots: Lots, credit: CreditUnits): number {
  const paid = priceTicks(trader, lots, credit);
  const { markTicks } = trader.state;
  if (!Number.isFinite(markTicks)) return paid;
  if (paid <= 0) return markTicks;
  return lots > 0 ? Math.min(markTicks, paid) : Math.max(markTicks, paid);
}

/** The price of a position's takeover, in ticks. */
function priceTicks({ instrument }: MarketTrader, lots: Lots, credit: CreditUnits): number {
  const paid = Number(-credit * instrument.creditDenominator) / Number(instrument.creditNumerator);
  return (sideSign(lots > 0 ? "BUY" : "SELL") * paid) / Math.abs(lots);
}
