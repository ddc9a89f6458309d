import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId } from "../core/units.js";
import type { OwnOrders } from "./own-orders.js";

/** What may still trade in a market in the worst case, at full size. */
export interface WorstCase {
  /** Own orders: what may still fill, and what may have filled without our having been told. */
  readonly buyLots: Lots;
  readonly sellLots: Lots;
  /** The same at each order's own price, in credit units, rounded up. */
  readonly buyCredit: CreditUnits;
  readonly sellCredit: CreditUnits;
  /** Own orders that may still fill. */
  readonly count: number;
  /** Orders of the account that are not the bot's. */
  readonly foreignBuyLots: Lots;
  readonly foreignSellLots: Lots;
  readonly foreignCount: number;
  /** What `OwnOrders.unseenLots` says of each side. */
  readonly unseenBuyLots: Lots;
  readonly unseenSellLots: Lots;
}

/** Adds up what of a market's known orders may still trade. @param exceptHash an order to leave out. */
export function worstCaseOf(
  orders: Pick<OwnOrders, "exposed" | "foreign" | "unseenLots">,
  marketId: MarketId,
  instrument: Instrument | undefined,
  exceptHash: Hex | undefined,
): WorstCase {
  const lots = { BUY: 0, SELL: 0 };
  const credit = { BUY: 0n, SELL: 0n };
  let count = 0;
  for (const order of orders.exposed(marketId)) {
    if (order.hash === exceptHash) continue;
    const open = order.mayFillLots + order.untoldLots;
    lots[order.side] += open;
    if (order.mayFillLots > 0) count += 1;
    // An adopted order may lie between the ticks of today's grid.
    if (instrument !== undefined) credit[order.side] += instrument.creditCeil(Math.ceil(order.ticks), open);
  }
  const foreign = { BUY: 0, SELL: 0 };
  const others = orders.foreign(marketId);
  for (const order of others) foreign[order.side] += order.availableLots;
  return {
    buyLots: lots.BUY,
    sellLots: lots.SELL,
    buyCredit: credit.BUY,
    sellCredit: credit.SELL,
    count,
    foreignBuyLots: foreign.BUY,
    foreignSellLots: foreign.SELL,
    foreignCount: others.length,
    unseenBuyLots: orders.unseenLots(marketId, "BUY"),
    unseenSellLots: orders.unseenLots(marketId, "SELL"),
  };
}
