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
 * left. A market that the exchange refuses, as one that it lists no more, keeps nobody from the others, and at an exchange that is slow none waits for
 * another.
 * @throws what was wrong in the first market where all of them failed: VenueRequestError when the exchange cannot be reached, ConfigError for one that
 * the exchange does not list.
 */
export async function cancelEverything(options: CancelEverything): Promise<CancelReport> {
  const { client, clock, markets, untilMs } = options;
  const found = new Map<string, FoundOrder>();
  const failed = new Map<MarketId, unknown>();
  let read: Promise<ReadonlyMap<MarketId, Instrument>> | undefined;
  const instruments = (): Promise<ReadonlyMap<MarketId, Instrument>> => {
    read ??= client
      .exchangeInfo()
      .then(instrumentsOf)
      .catch((error: unknown) => {
        read = undefined;
        throw error;
      });
    return read;
  };
  const tried = async <Value>(marketId: MarketId, work: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!failed.has(marketId)) failed.set(marketId, error);
      return undefined;
    }
  };
  const look = async (marketId: MarketId): Promise<readonly FoundOrder[]> => {
    const open = await tried(marketId, async () => openOrders(options, await instruments(), marketId));
    if (open?.length === 0) failed.delete(marketId);
    for (const order of open ?? []) found.set(`${order.marketId} ${order.orderId}`, order);
    return open ?? [];
  };
  const cancel = (marketId: MarketId) => tried(marketId, () => client.cancelAllOpenOrders(marketId));
  const byMarket = <Told extends { readonly marketId: MarketId }>(told: readonly Told[]): Told[] =>
    markets.flatMap((marketId) => told.filter((one) => one.marketId === marketId));
  const end = clock.monotonicMs() + untilMs;
  // It is cancelled also where nothing is open, or nobody can see it: a place may be under way.
  await Promise.all(markets.map((marketId) => look(marketId).then(() => cancel(marketId))));
  const [first = ""] = markets;
  if (failed.size === markets.length) throw failed.get(first);
  const atFirst = found.size;
  for (;;) {
    const left = (await Promise.all(markets.map(look))).flat();
    if ((left.length === 0 && failed.size === 0) || clock.monotonicMs() >= end) {
      const whys = [...failed].map(([marketId, error]) => ({ marketId, why: error instanceof Error ? error.message : String(error) }));
      return { found: byMarket([...found.values()]), foundLater: found.size - atFirst, left, failed: byMarket(whys) };
    }
    await Promise.all([...new Set([...left.map((order) => order.marketId), ...failed.keys()])].map(cancel));
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
