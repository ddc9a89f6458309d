import { ConfigError } from "../../core/errors.js";
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

/** A market in which it was not done, or not seen. */
export interface FailedMarket {
  readonly marketId: MarketId;
  readonly why: string;
}

/** What cancelling everything came to. */
export interface CancelReport {
  readonly found: readonly FoundOrder[];
  /** How many of these were found only after every market was cancelled once: a bot that runs places again. */
  readonly foundLater: number;
  /** What was open still when it gave up; empty when all is well. */
  readonly left: readonly FoundOrder[];
  /** Where orders may be left that nobody could see or cancel; empty when all is well. */
  readonly failed: readonly FailedMarket[];
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
 * left. A market that the exchange refuses, as one that it lists no more, keeps nobody from the others.
 * @throws what was wrong in the first market where all of them failed: VenueRequestError when the exchange cannot be reached, ConfigError for one that
 * the exchange does not list.
 */
export async function cancelEverything(options: CancelEverything): Promise<CancelReport> {
  const { client, clock, markets, untilMs } = options;
  const found = new Map<string, FoundOrder>();
  const failed = new Map<MarketId, unknown>();
  let instruments: ReadonlyMap<MarketId, Instrument> | undefined;
  const tried = async <Value>(marketId: MarketId, work: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!failed.has(marketId)) failed.set(marketId, error);
      return undefined;
    }
  };
  const look = async (marketId: MarketId): Promise<readonly FoundOrder[]> => {
    const open = await tried(marketId, async () => {
      instruments ??= instrumentsOf(await client.exchangeInfo());
      return openOrders(options, instruments, marketId);
    });
    if (open?.length === 0) failed.delete(marketId);
    for (const order of open ?? []) found.set(`${order.marketId} ${order.orderId}`, order);
    return open ?? [];
  };
  const cancel = (marketId: MarketId) => tried(marketId, () => client.cancelAllOpenOrders(marketId));
  const end = clock.monotonicMs() + untilMs;
  for (const marketId of markets) {
    await look(marketId);
    // Also where nothing is open, or nobody can see it: a place may be under way.
    await cancel(marketId);
  }
  if (failed.size === markets.length) throw [...failed.values()][0];
  const atFirst = found.size;
  for (;;) {
    const left: FoundOrder[] = [];
    for (const marketId of markets) left.push(...(await look(marketId)));
    if ((left.length === 0 && failed.size === 0) || clock.monotonicMs() >= end) {
      const whys = [...failed].map(([marketId, error]) => ({ marketId, why: error instanceof Error ? error.message : String(error) }));
      return { found: [...found.values()], foundLater: found.size - atFirst, left, failed: whys };
    }
    for (const marketId of new Set([...left.map((order) => order.marketId), ...failed.keys()])) await cancel(marketId);
    await new Promise<void>((resolve) => clock.setTimer(PAUSE_MS, resolve));
  }
}

/** What can be cancelled in a market: an order that is wholly matched waits for its settlement alone. */
async function openOrders(
  { client, account, notedHashes }: CancelEverything,
  instruments: ReadonlyMap<MarketId, Instrument>,
  marketId: MarketId,
): Promise<readonly FoundOrder[]> {
  const instrument = instruments.get(marketId);
  if (instrument === undefined) {
    throw new ConfigError("the exchange has no such market", {
      field: `markets.${marketId}`,
      expected: `one of ${[...instruments.keys()].join(", ") || "none"}`,
    });
  }
  return (await client.openOrders(marketId))
    .filter(({ availableLots }) => availableLots > 0)
    .map((order) => ({
      marketId,
      orderId: order.id,
      side: order.side,
      price: instrument.toldPriceOf(order.ticks),
      availableBase: instrument.toldAmountOf(order.availableLots),
      placedBy: isBotsOrder(order, account, notedHashes) ? "bot" : "somebody else",
    }));
}
