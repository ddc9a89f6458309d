import type { Instrument } from "#core/instrument.js";
import type { Int64Id, MarketId, Ms } from "#core/units.js";
import type { VenueTrade } from "#exchange/records.js";
import type { RestClient } from "#exchange/rest-client.js";

/**
 * A profit worked out from nothing but the exchange's records and the mids of the time; credit
 * units.
 */
export interface RecordedProfit {
  readonly positionLots: bigint;
  readonly spread: bigint;
  readonly inventory: bigint;
  readonly fees: bigint;
  readonly funding: bigint;
  readonly basis: bigint;
}

/** Every trade of an account in a market, as REST lists them, over all pages. */
export async function everyTrade(
  client: RestClient,
  marketId: MarketId,
): Promise<readonly VenueTrade[]> {
  const trades: VenueTrade[] = [];
  let fromId: Int64Id = "1";
  for (;;) {
    const page = await client.userTrades(marketId, fromId);
    const last = page.at(-1);
    if (last === undefined) return trades;
    trades.push(...page);
    fromId = (BigInt(last.id) + 1n).toString();
  }
}

/**
 * The parts of the profit of an account that began flat. Every fill brings the mid just before its
 * match less its price, and is worth the move of the mid from then to the end; what the contract
 * says the position is worth beyond its mid is basis.
 * @param mids changes of best bid plus best ask, in order of time.
 * @param mark credit units for one whole base unit.
 */
export function profitFromRecords(
  instrument: Instrument,
  trades: readonly VenueTrade[],
  fundings: readonly bigint[],
  mids: readonly { readonly atMs: Ms; readonly midHalfTicks: number }[],
  midAtEnd: number,
  mark: bigint,
): RecordedProfit {
  const lotsPerBase = BigInt(Math.round(1 / instrument.lotBase));
  const creditPerTick = BigInt(Math.round(instrument.tickQuote * 10 ** instrument.creditDecimals));
  // Of half a tick of one lot, which is a whole number of credit units on this grid.
  const unit = creditPerTick / (2n * lotsPerBase);
  if (unit * 2n * lotsPerBase !== creditPerTick)
    throw new Error("half a tick of one lot is no whole number of credit units");
  let positionLots = 0n;
  let spread = 0n;
  let inventory = 0n;
  let fees = 0n;
  for (const trade of trades) {
    const midThen = mids.findLast(({ atMs }) => atMs < trade.timeMs)?.midHalfTicks;
    if (midThen === undefined) throw new Error(`the bot had no book before trade ${trade.id}`);
    const sign = trade.side === "BUY" ? 1n : -1n;
    const lots = sign * BigInt(trade.lots);
    positionLots += lots;
    spread += lots * BigInt(midThen) * unit - sign * trade.quote;
    inventory += lots * BigInt(midAtEnd - midThen) * unit;
    fees -= trade.commission;
  }
  return {
    positionLots,
    spread,
    inventory,
    fees,
    funding: fundings.reduce((sum, amount) => sum + amount, 0n),
    basis: (positionLots * mark) / lotsPerBase - positionLots * BigInt(midAtEnd) * unit,
  };
}
