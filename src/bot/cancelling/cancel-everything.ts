import type { Instrument } from "../../core/instrument.js";
import type { Clock } from "../../core/runtime/seam.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import { classifyTransientFailure } from "../../exchange/rest/transient-failure.js";
import { isBotOrder } from "../execution/is-bot-order.js";
import { type CancelBudget, isRateLimited } from "./cancel-budget.js";
import {
  type CancelProgressEvent,
  cancelUntilNoneOpen,
  isTimestampRejected,
} from "./cancel-until-none-open.js";
import { ExchangeTimeLowerBound } from "./exchange-time-lower-bound.js";
import { SharedRead } from "./shared-read.js";

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
  /** How many of these came to a market after everything was cancelled there: they were under way, or a bot that runs places again. */
  readonly foundLater: number;
  /** What was open still when it gave up; empty when all is well. */
  readonly left: readonly FoundOrder[];
  /** Where orders may be left that nobody could see or cancel; empty when all is well. */
  readonly failed: readonly FailedMarket[];
}

/** Whose orders, where, and for how long to go on. */
export interface CancelEverythingDeps {
  readonly client: Pick<RestClient, "time" | "exchangeInfo" | "openOrders" | "cancelAllOpenOrders">;
  readonly clock: Clock;
  /** Reads the exchange's clock for what is signed from then on: asked where a request was refused as one of another time. */
  readonly syncClock: () => Promise<unknown>;
  /** What may be spent; all that the exchange allows, unless others need some of it. */
  readonly budget: CancelBudget;
  readonly account: Hex;
  readonly markets: readonly MarketId[];
  readonly serverBuiltHashes: ReadonlySet<string>;
  /** How long it goes on in a market after its first answer there; what waits for its place on the wire has not begun yet. */
  readonly giveUpAfterMs: Ms;
  /** Exchange time until which a request of a bot that runs no more may arrive: it is waited for within `giveUpAfterMs`, and cancelled. */
  readonly mayArriveUntilMs?: Ms | undefined;
}

const PAUSE_MS: Ms = 250;
/** A place on the wire is waited for so long: two windows of the exchange's usual minute. */
const MOST_WAIT_MS: Ms = 120_000;

/**
 * Cancels every open order of the account in the markets at the exchange itself, manual ones too, and looks until none is left.
 * @throws what was wrong in the first market where nobody could look in any, and to ask again will not help: VenueRequestError when the exchange
 * cannot be reached, ConfigError for a market that it does not list.
 */
export async function cancelEverything(options: CancelEverythingDeps): Promise<CancelReport> {
  const { client, clock, budget, markets, giveUpAfterMs: untilMs, mayArriveUntilMs } = options;
  const standing = new CancelProgress(options);
  const exchangeTime = new ExchangeTimeLowerBound(clock, async () => {
    const asked = await budget.call(
      "time",
      { kept: markets.length, isOver: () => standing.hasFailedPermanently },
      () => client.time(),
    );
    return asked?.answer;
  });
  const clockRead = new SharedRead(options.syncClock);
  const giveUpMs = clock.monotonicMs() + MOST_WAIT_MS;
  const done = cancelUntilNoneOpen({
    client,
    clock,
    budget,
    markets,
    everyMs: PAUSE_MS,
    mayOrderStillArrive: async () =>
      mayArriveUntilMs !== undefined && (await exchangeTime.nowMs()) <= mayArriveUntilMs,
    shouldStop: (marketId) =>
      standing.hasFailedPermanently ||
      clock.monotonicMs() >= (standing.startedMs(marketId) ?? giveUpMs) + untilMs,
    onProgress: (news) => {
      standing.onProgress(news);
      // Where it cannot be read, the market's own failure says it.
      if (isTimestampRejected(news)) clockRead.again().catch(() => {});
    },
  });
  await Promise.race([done, standing.permanentFailure]);
  return standing.report();
}

/** What is known of the markets while everything is cancelled. */
class CancelProgress {
  /** Rejects when nobody could look in any market and to ask again will not help. */
  readonly permanentFailure: Promise<never>;
  readonly #options: CancelEverythingDeps;
  readonly #found = new Map<string, FoundOrder>();
  /** By the last look, where nothing was done since. */
  readonly #open = new Map<MarketId, readonly FoundOrder[]>();
  readonly #failed = new Map<MarketId, unknown>();
  /** Where no look has succeeded yet. */
  readonly #readFailures = new Map<MarketId, unknown>();
  readonly #tried = new Set<MarketId>();
  readonly #begun = new Map<MarketId, Ms>();
  #foundLater = 0;
  #wasAnyMarketRead = false;
  #isHopeless = false;
  #reject: (error: unknown) => void = () => {};

  constructor(options: CancelEverythingDeps) {
    this.#options = options;
    this.permanentFailure = new Promise((_, reject) => {
      this.#reject = reject;
    });
  }

  get hasFailedPermanently(): boolean {
    return this.#isHopeless;
  }

  /** When a market's first cancel was answered, or was not; undefined while the exchange says that it is asked too often. */
  startedMs(marketId: MarketId): Ms | undefined {
    return this.#begun.get(marketId);
  }

  onProgress(news: CancelProgressEvent): void {
    const { marketId } = news;
    switch (news.kind) {
      case "seen":
        return this.#onOrdersRead(news);
      case "not-seen":
        this.#open.delete(marketId);
        this.#failed.set(marketId, news.error);
        this.#readFailures.set(marketId, news.error);
        return;
      case "cancelled":
        this.#failed.delete(marketId);
        return this.#cancelTried(marketId);
      case "not-cancelled":
        this.#failed.set(marketId, news.error);
        return this.#cancelTried(marketId, news.error);
    }
  }

  report(): CancelReport {
    const { markets } = this.#options;
    const found = [...this.#found.values()];
    const whyOf = (marketId: MarketId): string | undefined => {
      const error = this.#failed.get(marketId);
      if (error !== undefined) return error instanceof Error ? error.message : String(error);
      return this.#open.has(marketId)
        ? undefined
        : "the exchange's rate limit left no room to look in time";
    };
    return {
      found: markets.flatMap((marketId) => found.filter((order) => order.marketId === marketId)),
      foundLater: this.#foundLater,
      left: markets.flatMap((marketId) => this.#open.get(marketId) ?? []),
      failed: markets.flatMap((marketId) => {
        const why = whyOf(marketId);
        return why === undefined ? [] : [{ marketId, why }];
      }),
    };
  }

  #onOrdersRead({
    marketId,
    open,
    instrument,
    isAfterCancel,
  }: Extract<CancelProgressEvent, { kind: "seen" }>): void {
    const orders = open.map((order) => this.#describe(order, instrument));
    this.#wasAnyMarketRead = true;
    this.#open.set(marketId, orders);
    if (orders.length === 0) this.#failed.delete(marketId);
    for (const order of orders) {
      const key = `${marketId} ${order.orderId}`;
      if (isAfterCancel && !this.#found.has(key)) this.#foundLater++;
      this.#found.set(key, order);
    }
  }

  #describe(order: VenueOrder, instrument: Instrument): FoundOrder {
    const { account, serverBuiltHashes: notedHashes } = this.#options;
    return {
      marketId: order.marketId,
      orderId: order.id,
      side: order.side,
      price: instrument.toldPriceOf(order.ticks),
      availableBase: instrument.toldAmountOf(order.availableLots),
      placedBy: isBotOrder(order, account, notedHashes) ? "bot" : "somebody else",
    };
  }

  #cancelTried(marketId: MarketId, error?: unknown): void {
    const { clock, markets } = this.#options;
    if (error === undefined) this.#open.delete(marketId);
    if (!isRateLimited(error) && !this.#begun.has(marketId))
      this.#begun.set(marketId, clock.monotonicMs());
    this.#tried.add(marketId);
    // Once a cancel was tried everywhere: whoever waits is told at once that nothing can be seen, not after the time.
    const isSeenNowhere = !this.#wasAnyMarketRead && this.#readFailures.size === markets.length;
    if (
      !isSeenNowhere ||
      this.#tried.size < markets.length ||
      [...this.#readFailures.values()].some(isAnswered)
    )
      return;
    this.#isHopeless = true;
    this.#reject(this.#readFailures.get(markets[0] ?? ""));
  }
}

/** The exchange is there, and may answer otherwise in a moment, after a ban, or once its clock is read. Who waits is told at once of one that is silent. */
function isAnswered(error: unknown): boolean {
  const cause = classifyTransientFailure(error)?.cause;
  return cause === "not-now" || cause === "banned" || cause === "other-time";
}
