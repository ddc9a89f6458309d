import type { Instrument } from "../../core/instrument.js";
import type { Clock } from "../../core/runtime/runtime.js";
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

/** An open order that was to be cancelled, and whether the bot placed it. */
export interface FoundOrder {
  readonly marketId: MarketId;
  readonly orderId: string;
  readonly side: string;
  readonly price: string;
  /** Base amount that was still open. */
  readonly availableBase: string;
  readonly placedBy: "bot" | "somebody else";
}

/** A market in which cancelling failed or could not be verified. */
export interface FailedMarket {
  readonly marketId: MarketId;
  readonly why: string;
}

/** Result of cancelling everything. */
export interface CancelReport {
  readonly found: readonly FoundOrder[];
  /**
   * How many of these appeared in a market after everything was cancelled there. They were in
   * flight, or a running bot places orders again.
   */
  readonly foundLater: number;
  /** Orders still open when it gave up; empty on success. */
  readonly left: readonly FoundOrder[];
  /** Markets where orders may remain that could not be read or cancelled; empty on success. */
  readonly failed: readonly FailedMarket[];
}

/** Which account and markets to cancel in, and for how long to continue. */
export interface CancelEverythingDeps {
  readonly client: Pick<RestClient, "time" | "exchangeInfo" | "openOrders" | "cancelAllOpenOrders">;
  readonly clock: Clock;
  /**
   * Synchronises the client's clock with the exchange's, for all later signatures. Called when a
   * request was refused because of its timestamp.
   */
  readonly syncClock: () => Promise<unknown>;
  /** Rate limiter; all that the exchange allows, unless other processes need a share. */
  readonly budget: CancelBudget;
  readonly account: Hex;
  readonly markets: readonly MarketId[];
  readonly serverBuiltHashes: ReadonlySet<string>;
  /**
   * How long cancelling continues in a market after the first response there. Waiting for the rate
   * limit does not count.
   */
  readonly giveUpAfterMs: Ms;
  /**
   * Exchange time until which a request of a bot that no longer runs may still be accepted. It is
   * waited for, within `giveUpAfterMs`, and its order is cancelled.
   */
  readonly mayArriveUntilMs?: Ms | undefined;
}

const PAUSE_MS: Ms = 250;
/** Longest wait for the rate limit: two windows of the exchange's usual minute. */
const MOST_WAIT_MS: Ms = 120_000;

/**
 * Cancels every open order of the account in the markets at the exchange itself, manual ones too,
 * and checks until none is left.
 * @throws the failure in the first market, if no market could be read and retrying will not help:
 * VenueRequestError if the exchange cannot be reached, ConfigError for a market that it does not
 * list.
 */
export async function cancelEverything(options: CancelEverythingDeps): Promise<CancelReport> {
  const { client, clock, budget, markets, giveUpAfterMs, mayArriveUntilMs } = options;
  const progress = new CancelProgress(options);
  const exchangeTime = new ExchangeTimeLowerBound(clock, async () => {
    const timed = await budget.call(
      "time",
      { kept: markets.length, isOver: () => progress.hasFailedPermanently },
      () => client.time(),
    );
    return timed?.answer;
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
      progress.hasFailedPermanently ||
      clock.monotonicMs() >= (progress.startedMs(marketId) ?? giveUpMs) + giveUpAfterMs,
    onProgress: (news) => {
      progress.onProgress(news);
      // If the clock cannot be read, the market's own failure reports it.
      if (isTimestampRejected(news)) clockRead.again().catch(() => {});
    },
  });
  await Promise.race([done, progress.permanentFailure]);
  return progress.report();
}

/** Progress in each market while everything is cancelled. */
class CancelProgress {
  /** Rejects when no market could be read and retrying will not help. */
  readonly permanentFailure: Promise<never>;
  readonly #options: CancelEverythingDeps;
  readonly #found = new Map<string, FoundOrder>();
  /** Open orders by the last read; absent once a cancel was sent since. */
  readonly #open = new Map<MarketId, readonly FoundOrder[]>();
  readonly #failed = new Map<MarketId, unknown>();
  /** Errors of the markets that have not been read successfully yet. */
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

  /**
   * When a market's first cancel was answered or failed. Undefined while the exchange answers that
   * the rate limit is exceeded.
   */
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
        : "the exchange's rate limit left no request to read the orders in time";
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
    const { account, serverBuiltHashes } = this.#options;
    return {
      marketId: order.marketId,
      orderId: order.id,
      side: order.side,
      price: instrument.formatReportedPrice(order.ticks),
      availableBase: instrument.formatReportedAmount(order.availableLots),
      placedBy: isBotOrder(order, account, serverBuiltHashes) ? "bot" : "somebody else",
    };
  }

  #cancelTried(marketId: MarketId, error?: unknown): void {
    const { clock, markets } = this.#options;
    if (error === undefined) this.#open.delete(marketId);
    if (!isRateLimited(error) && !this.#begun.has(marketId))
      this.#begun.set(marketId, clock.monotonicMs());
    this.#tried.add(marketId);
    // Once a cancel was tried everywhere, the caller learns at once that no market can be read, and
    // not only after the time limit.
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

/**
 * True if the exchange responded. Its next answer may differ: a moment later, after a ban, or once
 * its clock is read. An exchange that does not respond is reported to the caller at once.
 */
function isAnswered(error: unknown): boolean {
  const cause = classifyTransientFailure(error)?.cause;
  return cause === "not-now" || cause === "banned" || cause === "other-time";
}
