import type { Instrument } from "../../core/instrument.js";
import type { Clock } from "../../core/seam.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { instrumentsOf } from "../../exchange/decode-rules.js";
import type { RestClient } from "../../exchange/rest-client.js";
import { isBotsOrder } from "../own-order.js";

/** An open order that was to be cancelled, and whose it was. */
export interface FoundOrder {
  readonly marketId: MarketId;
  readonly orderId: string;
  readonly side: string;
  readonly price: string;
  /** Base amount that was still open. */
  readonly availableBase: string;
  readonly placedBy: "bot" | "somebody else";
}

/** What cancelling everything came to. */
export interface CancelReport {
  readonly found: readonly FoundOrder[];
  /** What was open still when it gave up; empty when all is well. */
  readonly left: readonly FoundOrder[];
}

/** Whose orders, where, and for how long to go on. */
export interface CancelEverything {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly account: Hex;
  readonly markets: readonly MarketId[];
  readonly notedHashes: ReadonlySet<string>;
  /** How long it goes on cancelling what is still seen. */
  readonly untilMs: Ms;
}

const PAUSE_MS = 250;

/**
 * Cancels every open order of the account in the markets at the exchange itself, manual ones too, and looks until none is
 * left. @throws VenueRequestError when the exchange cannot be reached.
 */
export async function cancelEverything(options: CancelEverything): Promise<CancelReport> {
  const { client, clock, markets, untilMs } = options;
  const instruments = instrumentsOf(await client.exchangeInfo(markets));
  const found = new Map<string, FoundOrder>();
  const look = async (): Promise<FoundOrder[]> => {
    const open = await openOrders(options, instruments);
    for (const order of open) found.set(`${order.marketId} ${order.orderId}`, order);
    return open;
  };
  const end = clock.monotonicMs() + untilMs;
  await look();
  // Every market once, also where nothing is open: a place may be under way.
  for (const marketId of markets) await client.cancelAllOpenOrders(marketId);
  for (;;) {
    const left = await look();
    if (left.length === 0 || clock.monotonicMs() >= end) return { found: [...found.values()], left };
    for (const marketId of new Set(left.map((order) => order.marketId))) await client.cancelAllOpenOrders(marketId);
    await new Promise<void>((resolve) => clock.setTimer(PAUSE_MS, resolve));
  }
}

async function openOrders(
  { client, account, markets, notedHashes }: CancelEverything,
  instruments: ReadonlyMap<MarketId, Instrument>,
): Promise<FoundOrder[]> {
  const lists = await Promise.all(markets.map((marketId) => client.openOrders(marketId)));
  return lists.flat().map((order) => ({
    marketId: order.marketId,
    orderId: order.id,
    side: order.side,
    price: instruments.get(order.marketId)?.priceOf(order.ticks) ?? "",
    availableBase: instruments.get(order.marketId)?.amountOf(order.availableLots) ?? "",
    placedBy: isBotsOrder(order, account, notedHashes) ? "bot" : "somebody else",
  }));
}
