import type { Clock } from "../core/seam.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import type { VenueOrder } from "../exchange/records.js";
import type { RestClient } from "../exchange/rest-client.js";
import { isBotsOrder } from "./own-order.js";

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
  /** The last look is this long after the first. */
  readonly untilMs: Ms;
}

const PAUSE_MS = 250;

/**
 * Cancels every open order of the account in the markets at the exchange itself, manual ones too, and looks until none is
 * left. @throws VenueRequestError when the exchange cannot be reached.
 */
export async function cancelEverything(options: CancelEverything): Promise<CancelReport> {
  const { client, clock, markets, untilMs } = options;
  const found = new Map<string, FoundOrder>();
  const end = clock.monotonicMs() + untilMs;
  for (;;) {
    const open = await openOrders(options);
    for (const order of open) found.set(`${order.marketId} ${order.orderId}`, order);
    const last = clock.monotonicMs() >= end;
    if (last || (open.length === 0 && found.size > 0)) return { found: [...found.values()], left: open };
    // The first round cancels where nothing is seen too: a place may be under way.
    for (const marketId of found.size === 0 ? markets : new Set(open.map((order) => order.marketId))) await client.cancelAllOpenOrders(marketId);
    if (open.length === 0) return { found: [], left: await openOrders(options) };
    await pause(clock, PAUSE_MS);
  }
}

async function openOrders({ client, account, markets, notedHashes }: CancelEverything): Promise<FoundOrder[]> {
  const rules = await client.exchangeInfo(markets);
  const lists = await Promise.all(markets.map((marketId) => client.openOrders(marketId)));
  return lists.flat().map((order) => ({
    marketId: order.marketId,
    orderId: order.id,
    side: order.side,
    ...amountsOf(order, rules.markets[order.marketId]),
    placedBy: isBotsOrder(order, account, notedHashes) ? "bot" : "somebody else",
  }));
}
