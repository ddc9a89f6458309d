import type { Instrument } from "../../core/instrument.js";
import {
  type CreditUnits,
  type Lots,
  type MarketId,
  type Ms,
  type Side,
  sideSign,
  type Ticks,
} from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";

/** The cost of the fills against one price; positive is a cost. Fees are not in it. */
export interface BenchmarkCost {
  /** The price, quote for one base unit. */
  readonly priceQuote: string;
  /** Amount that the fills paid above it, or received below it. */
  readonly costQuote: string;
  /** The same in basis points of the price. */
  readonly costBps: number;
}

/** The result of a work on a position (docs/reference/work.md). Amounts are decimal strings. */
export interface WorkSummary {
  readonly marketId: MarketId;
  /** True at the target, also with a rest below the smallest order. */
  readonly isReached: boolean;
  /** Why the work ended, as a sentence without its full stop. */
  readonly reason: string;
  /** Null if the target was held from the start. */
  readonly side: Side | null;
  /** Signed positions. `endBase` is null if the exchange has not reported one. */
  readonly startBase: string;
  readonly targetBase: string;
  readonly endBase: string | null;
  /** Signed: what is still to be bought; below zero, to be sold. */
  readonly leftBase: string | null;
  /** Exchange time. `byMs` is the end that was asked for; null if the target was held already. */
  readonly startedAtMs: Ms;
  readonly endedAtMs: Ms;
  readonly byMs: Ms | null;
  /** No order was worse than this price; null if the target was held already. */
  readonly worstPriceQuote: string | null;
  /** Of the fills of the side, without sign. */
  readonly filledBase: string;
  readonly fills: number;
  /** Null without fills, as everything below. */
  readonly averagePriceQuote: string | null;
  /** Paid; below zero a rebate. */
  readonly feesQuote: string;
  readonly feesBps: number | null;
  /** Share of the filled amount that was filled as a maker, from 0 to 1. */
  readonly makerShare: number | null;
  /** Against the mid at the start. */
  readonly arrival: BenchmarkCost | null;
  /** Against the mid weighted by time, from the start to the end of the work. */
  readonly twap: BenchmarkCost | null;
  /** Against the public trades weighted by size in that time; null without any, too. */
  readonly vwap: BenchmarkCost | null;
  /** Name of the quote asset; null if the exchange names none. */
  readonly quoteAsset: string | null;
  /** Name of the base asset, likewise. */
  readonly baseAsset: string | null;
}

/** The facts of a work that a summary is computed from. */
export interface WorkFacts {
  readonly instrument: Instrument;
  readonly baseAsset: string | undefined;
  readonly quoteAsset: string | undefined;
  readonly isReached: boolean;
  readonly reason: string;
  readonly startLots: Lots;
  readonly targetLots: Lots;
  /** Undefined if not known. */
  readonly endLots: Lots | undefined;
  readonly startMs: Ms;
  readonly endMs: Ms;
  readonly byMs: Ms | undefined;
  readonly worstTicks: Ticks | undefined;
  /** Every trade of the account in the market since the start. */
  readonly trades: Iterable<VenueTrade>;
  /** Fractional ticks. */
  readonly arrivalTicks: number;
  readonly twapTicks: number;
  readonly vwapTicks: number | undefined;
}

/** Summarises a work. */
export function summariseWork(facts: WorkFacts): WorkSummary {
  const { instrument, startLots, targetLots, endLots } = facts;
  const side: Side | null =
    targetLots === startLots ? null : targetLots > startLots ? "BUY" : "SELL";
  const totals = { lots: 0, makerLots: 0, fills: 0, quote: 0n, fees: 0n };
  for (const trade of facts.trades) {
    if (trade.side !== side) continue;
    totals.fills += 1;
    totals.lots += trade.lots;
    if (trade.isMaker) totals.makerLots += trade.lots;
    totals.quote += trade.quote;
    totals.fees += trade.commission;
  }
  const { lots, makerLots, fills, quote, fees } = totals;
  const cost = (ticks: number | undefined): BenchmarkCost | null =>
    side === null || lots === 0 || ticks === undefined
      ? null
      : costAgainst(ticks, { side, lots, quote }, instrument);
  return {
    marketId: instrument.marketId,
    isReached: facts.isReached,
    reason: facts.reason,
    side,
    startBase: instrument.formatAmount(startLots),
    targetBase: instrument.formatAmount(targetLots),
    endBase: endLots === undefined ? null : instrument.formatAmount(endLots),
    leftBase: endLots === undefined ? null : instrument.formatAmount(targetLots - endLots),
    startedAtMs: facts.startMs,
    endedAtMs: facts.endMs,
    byMs: facts.byMs ?? null,
    worstPriceQuote:
      facts.worstTicks === undefined ? null : instrument.formatPrice(facts.worstTicks),
    filledBase: instrument.formatAmount(lots),
    fills,
    averagePriceQuote: lots === 0 ? null : priceText(toTicks(quote, lots, instrument), instrument),
    feesQuote: instrument.creditToDecimal(fees),
    feesBps: quote === 0n ? null : toBps(fees, quote),
    makerShare: lots === 0 ? null : makerLots / lots,
    arrival: cost(facts.arrivalTicks),
    twap: cost(facts.twapTicks),
    vwap: cost(facts.vwapTicks),
    quoteAsset: facts.quoteAsset ?? null,
    baseAsset: facts.baseAsset ?? null,
  };
}

function costAgainst(
  ticks: number,
  { side, lots, quote }: { readonly side: Side; readonly lots: Lots; readonly quote: CreditUnits },
  instrument: Instrument,
): BenchmarkCost {
  const { creditNumerator, creditDenominator } = instrument;
  const benchmark = BigInt(
    Math.round((ticks * lots * Number(creditNumerator)) / Number(creditDenominator)),
  );
  const cost = BigInt(sideSign(side)) * (quote - benchmark);
  return {
    priceQuote: priceText(ticks, instrument),
    costQuote: instrument.creditToDecimal(cost),
    costBps: toBps(cost, benchmark),
  };
}

function toTicks(quote: CreditUnits, lots: Lots, instrument: Instrument): number {
  const { creditNumerator, creditDenominator } = instrument;
  return (Number(quote) * Number(creditDenominator)) / (Number(creditNumerator) * lots);
}

/** An average price, to two digits more than the market's prices have. */
function priceText(ticks: number, { tickQuote, priceDecimals }: Instrument): string {
  return (ticks * tickQuote).toFixed(priceDecimals + 2);
}

/** To a thousandth. */
function toBps(part: CreditUnits, whole: CreditUnits): number {
  return Math.round((Number(part) / Number(whole)) * 1e7) / 1e3 || 0;
}
