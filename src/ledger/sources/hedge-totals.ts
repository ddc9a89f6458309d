import type { MarketId, Ms } from "../../core/units.js";
import { HEDGE_DECIMALS } from "../../hedge/hedge-venue.js";
import type { StoredHedge } from "../../hedge/stored-hedge.js";
import type { OutsideEvent } from "../ledger-event.js";

/**
 * The other leg of a market as lines of its venue. The bot keeps sums, not single fills: each line
 * is a total since the hedge began, dated at the newest fill or payment that it has.
 */
export function hedgeEvents(marketId: MarketId, stored: StoredHedge): readonly OutsideEvent[] {
  const { venue, symbol, cash, fees, funding, fillsToMs, fundingToMs } = stored;
  const line = (
    entry: "hedge-cash" | "hedge-fee" | "hedge-funding",
    asset: string,
    amount: bigint,
    timeMs: Ms,
  ): OutsideEvent[] =>
    amount === 0n
      ? []
      : [
          {
            kind: "outside",
            entry,
            venue,
            timeMs,
            marketId,
            asset,
            decimals: HEDGE_DECIMALS,
            amount,
            id: `${venue}.${symbol}.${entry}.${asset}`,
            hash: undefined,
            detail: `total of ${symbol} since the hedge began`,
          },
        ];
  return [
    ...line("hedge-cash", quoteAsset(symbol), cash, fillsToMs),
    ...Object.entries(fees).flatMap(([asset, paid]) => line("hedge-fee", asset, -paid, fillsToMs)),
    ...Object.entries(funding).flatMap(([asset, received]) =>
      line("hedge-funding", asset, received, fundingToMs),
    ),
  ];
}

/** The asset in which a symbol such as `BTC/USDT:USDT` is priced. */
function quoteAsset(symbol: string): string {
  return /\/([^:]+)/.exec(symbol)?.[1] ?? symbol;
}
