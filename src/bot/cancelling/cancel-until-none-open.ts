import { ConfigError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import { createInstruments } from "../../exchange/protocol/decode-rules.js";
import { INVALID_MARKET } from "../../exchange/protocol/errors.js";
import type { VenueOrder } from "../../exchange/records.js";
import { pause } from "../../exchange/rest/pause.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import { classifyTransientFailure } from "../../exchange/rest/transient-failure.js";
import { VenueError } from "../../exchange/venue-errors.js";
import type { CancelBudget } from "./cancel-budget.js";
import { SharedRead } from "./shared-read.js";

/** Result of a read of a market, or of a cancel there. */
export type CancelProgressEvent =
  /** `open` holds what can be cancelled. A fully matched order only waits for its settlement. */
  | {
      readonly kind: "seen";
      readonly marketId: MarketId;
      readonly open: readonly VenueOrder[];
      readonly instrument: Instrument;
      /** True if an earlier cancel-all was accepted there: these orders appeared after it. */
      readonly isAfterCancel: boolean;
    }
  | { readonly kind: "not-seen"; readonly marketId: MarketId; readonly error: unknown }
  | { readonly kind: "cancelled"; readonly marketId: MarketId }
  | { readonly kind: "not-cancelled"; readonly marketId: MarketId; readonly error: unknown }
  /**
   * Nothing is open there and no signed request can still be accepted. The market is not read
   * again, so that orders placed there from now on are left alone.
   */
  | { readonly kind: "clean"; readonly marketId: MarketId };

/**
 * True if a request was refused because of its timestamp: the exchange's clock has to be read
 * again.
 */
export function isTimestampRejected(news: CancelProgressEvent): boolean {
  return (
    (news.kind === "not-seen" || news.kind === "not-cancelled") &&
    classifyTransientFailure(news.error)?.cause === "other-time"
  );
}

/** Which markets to cancel in, and for how long. */
export interface CancelUntilNoneOpenDeps {
  readonly client: Pick<RestClient, "exchangeInfo" | "openOrders" | "cancelAllOpenOrders">;
  readonly clock: Clock;
  readonly budget: CancelBudget;
  readonly markets: readonly MarketId[];
  /**
   * Pause between two reads of a market. A market that fails is retried with doubling pauses of at
   * most two seconds, or as slowly as the limits sustain. A market that the exchange does not know
   * is retried every half minute.
   */
  readonly everyMs: Ms;
  /**
   * True if an order that is not open yet may still appear. An exception counts as a failed read.
   */
  readonly mayOrderStillArrive: () => boolean | Promise<boolean>;
  /**
   * True if a market is to be left as it is. Checked before each cancel, in pauses, and while a
   * call waits for the rate limit.
   */
  readonly shouldStop: (marketId: MarketId) => boolean;
  readonly onProgress: (news: CancelProgressEvent) => void;
}

const MOST_PAUSE_MS: Ms = 2_000;
/** Pause for a market that the exchange does not list and whose cancel it refuses as unknown. */
const UNKNOWN_PAUSE_MS: Ms = 30_000;
/** Calls per market: a read, a cancel, the last read, and a cancel of what that finds. */
const ROUNDS = 4;

/**
 * Cancels every open order of the account in all of the markets at once, until nothing is open
 * there and no signed request can still be accepted. A market that the exchange refuses, does not
 * list or does not answer for delays none of the others. It is cancelled also if nothing is open or
 * it cannot be read, since a place may be in flight. Resolves when every market is clean, or
 * stopped by {@link CancelUntilNoneOpenDeps.shouldStop}.
 */
export async function cancelUntilNoneOpen(options: CancelUntilNoneOpenDeps): Promise<void> {
  await new MarketCanceller(options).cancelEveryMarket();
}

/** Progress in one market. */
interface MarketProgress {
  readonly marketId: MarketId;
  isFirst: boolean;
  /** This round's read got as far as requesting the orders. */
  wereOrdersRequested: boolean;
  /** A cancel-all was accepted. */
  isCancelAccepted: boolean;
  /** A cancel-all was accepted or refused. */
  isCancelAnswered: boolean;
  /** The market is listed by the last rules that were read. */
  isListed: boolean;
  /** The exchange knows the market, by the last answer to a cancel. */
  isKnown: boolean;
  /** Consecutive rounds in which something went wrong, up to now. */
  failures: number;
}

class MarketCanceller {
  readonly #options: CancelUntilNoneOpenDeps;
  readonly #left: Set<MarketId>;
  readonly #instruments: SharedRead<ReadonlyMap<MarketId, Instrument>>;
  /**
   * True if the first cancel of a market waits for a read of it: there is room for {@link ROUNDS}
   * in every market.
   */
  #readsFirst: boolean;

  constructor(options: CancelUntilNoneOpenDeps) {
    const { budget, markets } = options;
    this.#options = options;
    this.#left = new Set(markets);
    this.#instruments = new SharedRead(() => this.#readInstruments());
    this.#readsFirst = budget.hasRoomFor("openOrders", ROUNDS * markets.length + 1);
  }

  async cancelEveryMarket(): Promise<void> {
    await Promise.all([...this.#left].map((marketId) => this.#takeDown(marketId)));
  }

  async #takeDown(marketId: MarketId): Promise<void> {
    const { everyMs, shouldStop } = this.#options;
    const progress: MarketProgress = {
      marketId,
      isFirst: true,
      wereOrdersRequested: false,
      isCancelAccepted: false,
      isCancelAnswered: false,
      isListed: true,
      isKnown: true,
      failures: 0,
    };
    for (;;) {
      const seen = await this.#readOrders(progress);
      if (seen === "clean" || shouldStop(marketId)) return;
      const cancelled =
        seen !== "none" || !progress.isCancelAnswered
          ? await this.#cancel(progress, seen)
          : "taken";
      if (shouldStop(marketId) && cancelled === "waits") return;
      const isWell = seen !== "failed" && cancelled === "taken";
      // The next read, without a pause, shows what appeared while the first cancel was in flight.
      if (!progress.isFirst || !isWell) {
        progress.failures = isWell ? 0 : progress.failures + 1;
        const mostMs = Math.max(
          progress.isListed || progress.isKnown ? MOST_PAUSE_MS : UNKNOWN_PAUSE_MS,
          this.#paceMs(progress, seen),
        );
        await this.#pause(
          marketId,
          Math.max(everyMs, Math.min(everyMs * 2 ** (progress.failures - 1), mostMs)),
        );
      }
      progress.isFirst = false;
    }
  }

  /** Ends early when the market is done, so that its caller does not wait for the pause. */
  async #pause(marketId: MarketId, forMs: Ms): Promise<void> {
    const { clock, shouldStop } = this.#options;
    const untilMs = clock.monotonicMs() + forMs;
    do await pause(clock, Math.min(MOST_PAUSE_MS, untilMs - clock.monotonicMs()));
    while (clock.monotonicMs() < untilMs && !shouldStop(marketId));
  }

  async #readOrders(
    progress: MarketProgress,
  ): Promise<"clean" | "none" | "orders" | "failed" | "skipped"> {
    const { budget, client, mayOrderStillArrive, onProgress } = this.#options;
    const { marketId, isCancelAccepted, isCancelAnswered } = progress;
    progress.wereOrdersRequested = false;
    if (progress.isFirst && !this.#readsFirst) return "skipped";
    try {
      const mayCome = !isCancelAnswered || (await mayOrderStillArrive());
      const instruments = await (progress.failures > 0
        ? this.#instruments.again()
        : this.#instruments.latest());
      if (instruments === undefined || (progress.isFirst && !this.#readsFirst)) return "skipped";
      const instrument = instruments.get(marketId);
      progress.isListed = instrument !== undefined;
      if (instrument === undefined) throw unlisted(marketId, instruments);
      // Further reads may wait for the last one, which must not wait for a rate-limit window to
      // pass.
      if (isCancelAnswered && mayCome && !budget.hasRoomFor("openOrders", 2 * this.#left.size + 1))
        return "none";
      progress.wereOrdersRequested = true;
      const looked = await budget.call("openOrders", this.#after(marketId), () =>
        client.openOrders(marketId),
      );
      if (looked === undefined) return "skipped";
      const open = looked.answer.filter(({ availableLots }) => availableLots > 0);
      onProgress({ kind: "seen", marketId, open, instrument, isAfterCancel: isCancelAccepted });
      if (open.length > 0) return "orders";
      if (mayCome) return "none";
      this.#left.delete(marketId);
      onProgress({ kind: "clean", marketId });
      return "clean";
    } catch (error) {
      onProgress({ kind: "not-seen", marketId, error });
      return "failed";
    }
  }

  /**
   * Cancels a market. If it cannot be read, the cancel is retried only with spare tokens: when the
   * exchange is back, all markets need theirs.
   */
  async #cancel(
    progress: MarketProgress,
    seen: "none" | "orders" | "failed" | "skipped",
  ): Promise<"taken" | "failed" | "waits"> {
    const { budget, client, shouldStop, onProgress } = this.#options;
    const { marketId } = progress;
    const isBlind = seen === "failed" && !progress.isFirst;
    const wait = isBlind
      ? { kept: ROUNDS * this.#left.size, isOver: () => true }
      : { kept: 0, isOver: () => shouldStop(marketId) };
    try {
      const called = await budget.call("cancelAllOpenOrders", wait, () =>
        client.cancelAllOpenOrders(marketId),
      );
      if (called === undefined) return "waits";
      progress.isCancelAccepted = true;
      progress.isCancelAnswered = true;
      progress.isKnown = true;
      onProgress({ kind: "cancelled", marketId });
      return "taken";
    } catch (error) {
      progress.isKnown = !(error instanceof VenueError && error.code === INVALID_MARKET);
      progress.isCancelAnswered ||= error instanceof VenueError && !error.mayHaveHappened;
      onProgress({ kind: "not-cancelled", marketId, error });
      return "failed";
    }
  }

  /**
   * Retrying a failing market until a limit is spent would make the first success wait for the
   * limit's whole window.
   */
  #paceMs(
    { wereOrdersRequested }: MarketProgress,
    seen: "none" | "orders" | "failed" | "skipped",
  ): Ms {
    const { budget } = this.#options;
    if (seen !== "failed") return budget.paceMs("cancelAllOpenOrders", this.#left.size);
    return wereOrdersRequested ? budget.paceMs("openOrders", 2 * this.#left.size + 1) : 0;
  }

  async #readInstruments(): Promise<ReadonlyMap<MarketId, Instrument> | undefined> {
    const { budget, client, shouldStop } = this.#options;
    const isOverEverywhere = (): boolean => [...this.#left].every(shouldStop);
    const wait = { kept: this.#left.size, isOver: isOverEverywhere };
    const read = await budget.call("exchangeInfo", wait, () => client.exchangeInfo());
    if (read === undefined) return undefined;
    budget.rulesRead(read.answer);
    this.#readsFirst &&= budget.hasRoomFor("openOrders", ROUNDS * this.#left.size);
    return createInstruments(read.answer);
  }

  /** A read leaves a cancel to every market. */
  #after(marketId: MarketId): { readonly kept: number; readonly isOver: () => boolean } {
    return { kept: this.#left.size, isOver: () => this.#options.shouldStop(marketId) };
  }
}

function unlisted(marketId: MarketId, instruments: ReadonlyMap<MarketId, Instrument>): ConfigError {
  return new ConfigError("the exchange has no such market", {
    field: `markets.${marketId}`,
    expected: `one of ${[...instruments.keys()].join(", ") || "none"}`,
  });
}
