import { MarketwrightError } from "../../core/errors.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import { classifyTransientFailure } from "../../exchange/rest/transient-failure.js";
import { isBotOrder } from "../execution/is-bot-order.js";
import { HEARTBEAT_FILE, type Heartbeat, parseHeartbeat } from "../state/heartbeat.js";
import { BUILT_FILE, readBuiltHashes } from "../state/server-built-hashes.js";
import type { StateStore } from "../state/state-dir.js";
import type { CancelBudget } from "./cancel-budget.js";
import { type CancelProgressEvent, cancelUntilNoneOpen } from "./cancel-until-none-open.js";
import { ExchangeTimeLowerBound } from "./exchange-time-lower-bound.js";

/** Events that the guard emits. */
export type GuardEvent =
  | { readonly kind: "watching"; readonly markets: readonly MarketId[] }
  | { readonly kind: "bot-back" }
  | { readonly kind: "bot-stopped" }
  /** A bot of the account runs, but the guard finds no heartbeat of it. */
  | { readonly kind: "bot-unseen" }
  /** The heartbeat has stopped: the guard cancels orders from now on. */
  | { readonly kind: "acting"; readonly silentMs: Ms }
  | {
      readonly kind: "cancelling";
      readonly marketId: MarketId;
      readonly orderIds: readonly string[];
      readonly manualIds: readonly string[];
    }
  | {
      readonly kind: "failed";
      /** The market, or the file of the state directory. */
      readonly what: string;
      readonly message: string;
    }
  /**
   * Nothing of the account is open in the bot's markets, and no request that the bot signed can
   * still be accepted.
   */
  | { readonly kind: "safe" };

/** Options of a {@link Guard}. */
export interface GuardOptions {
  readonly client: Pick<RestClient, "time" | "exchangeInfo" | "openOrders" | "cancelAllOpenOrders">;
  readonly clock: Clock;
  /**
   * Synchronises the clock with the exchange's, for all later signatures, within the budget. Called
   * when a request was refused because of its timestamp, since this machine's clock may have been
   * set.
   */
  readonly syncClock: () => void;
  /** Tokens that the bot leaves to the guard. */
  readonly budget: CancelBudget;
  /**
   * The bot's state directory. The guard reads only its heartbeat and the hashes of server-built
   * orders.
   */
  readonly store: Pick<StateStore, "read">;
  readonly account: Hex;
  readonly markets: readonly MarketId[];
  readonly deadAfterMs: Ms;
  readonly heartbeatMs: Ms;
  readonly signatureWindowMs: Ms;
  readonly notify: (notice: GuardEvent) => void;
}

/** Pause between two reads while the guard cancels. */
const ACT_EVERY_MS = 500;
/** How long a failure that goes on in the same words is not notified again. */
const SAME_FAILURE_MS: Ms = 60_000;

/** The last known heartbeat of the bot. */
type LastHeartbeat = Pick<Heartbeat, "state" | "markets"> & {
  readonly lastRequestMs: Ms | undefined;
};

/** A heartbeat that could never be read: a bot ran, until an unknown time. */
const UNREAD: LastHeartbeat = { state: "running", markets: [], lastRequestMs: undefined };

/**
 * The dead-man switch of POST_ONLY and GTC quotes (docs/ideas/design.md#order-identity and
 * docs/ideas/design.md#time-in-force), in a process of its own. When the bot's heartbeat stops, it
 * cancels everything in the bot's markets. It continues until no request that the bot may have
 * signed can still be accepted and nothing is open.
 */
export class Guard {
  readonly #options: GuardOptions;
  #timer: Timer | undefined;
  #lastText: string | undefined;
  /** The newest heartbeat that could be read, or {@link UNREAD} if none could. */
  #lastHeartbeat: LastHeartbeat | undefined;
  #lastChangeAtMs: Ms = 0;
  #settledFor: LastHeartbeat | undefined;
  /** The failures of each step that were notified last, until it succeeds. */
  readonly #failures = new Map<string, { readonly message: string; readonly atMs: Ms }>();
  #acting = false;
  #stopped = false;

  constructor(options: GuardOptions) {
    this.#options = { ...options, notify: (notice) => !this.#stopped && options.notify(notice) };
  }

  start(): void {
    this.#options.notify({ kind: "watching", markets: this.#options.markets });
    this.#check();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #check(): void {
    if (this.#stopped) return;
    const { clock, heartbeatMs, deadAfterMs, notify } = this.#options;
    this.#timer = clock.setTimer(heartbeatMs, () => this.#check());
    const beat = this.#readHeartbeat();
    if (beat === undefined || this.#acting) return;
    if (this.#settledFor !== undefined && this.#settledFor !== beat) {
      this.#settledFor = undefined;
      if (beat.state === "running") notify({ kind: "bot-back" });
    }
    const silentMs = clock.monotonicMs() - this.#lastChangeAtMs;
    if (beat.state === "stopped" || silentMs <= deadAfterMs || this.#settledFor === beat) return;
    this.#acting = true;
    notify({ kind: "acting", silentMs: Math.round(silentMs) });
    void this.#act(beat);
  }

  /**
   * Reads the heartbeat. Its age counts from when it was first seen, since wall clocks step. A
   * heartbeat that cannot be read is not a sign of life: the one before it ages on. If there was
   * none, as for a guard that starts beside it, the unreadable one ages.
   */
  #readHeartbeat(): LastHeartbeat | undefined {
    const { clock, store, notify } = this.#options;
    try {
      const text = store.read(HEARTBEAT_FILE);
      if (text === undefined) return undefined;
      if (text === this.#lastText) return this.#lastHeartbeat;
      const beat = parseHeartbeat(text);
      const isFirst = this.#lastText === undefined;
      this.#failures.delete(HEARTBEAT_FILE);
      this.#lastText = text;
      this.#lastHeartbeat = beat;
      // A heartbeat written before the guard started may be as old as its own timestamp says.
      this.#lastChangeAtMs =
        clock.monotonicMs() - (isFirst ? Math.max(0, clock.nowMs() - beat.atMs) : 0);
      if (beat.state === "stopped") notify({ kind: "bot-stopped" });
      return beat;
    } catch (error) {
      this.#onFailure(HEARTBEAT_FILE, HEARTBEAT_FILE, error);
      if (this.#lastHeartbeat === undefined) this.#lastChangeAtMs = clock.monotonicMs();
      this.#lastHeartbeat ??= UNREAD;
      return this.#lastHeartbeat;
    }
  }

  async #act(beat: LastHeartbeat): Promise<void> {
    const { clock, client, budget, markets, signatureWindowMs, notify } = this.#options;
    const cause = this.#lastText;
    const watched = [...new Set([...markets, ...beat.markets])];
    let hasBeaten = false;
    // Once a bot has shown that it lives, the markets belong to it or to a person, even if it stops
    // again.
    const isOver = (): boolean => {
      hasBeaten ||= this.#stateSince(cause) !== undefined;
      return hasBeaten || this.#stopped;
    };
    const exchangeTime = new ExchangeTimeLowerBound(clock, async () => {
      const timed = await budget.call("time", { kept: watched.length, isOver }, () =>
        client.time(),
      );
      return timed?.answer;
    });
    let { lastRequestMs } = beat;
    await cancelUntilNoneOpen({
      client,
      clock,
      budget,
      markets: watched,
      everyMs: ACT_EVERY_MS,
      // Called before each read: a request that is valid beyond this time may not be in that read
      // yet.
      mayOrderStillArrive: async () => {
        const nowMs = await exchangeTime.nowMs();
        if (nowMs > Number.NEGATIVE_INFINITY) lastRequestMs ??= nowMs;
        return lastRequestMs === undefined || nowMs <= lastRequestMs + signatureWindowMs;
      },
      shouldStop: isOver,
      onProgress: (news) => this.#onProgress(news),
    });
    if (!isOver()) {
      this.#settledFor = beat;
      notify({ kind: "safe" });
    } else if (this.#stateSince(cause) === "running") {
      notify({ kind: "bot-back" });
    }
    this.#acting = false;
  }

  /**
   * The bot's state since a heartbeat: it is alive, or it has shut down cleanly, which it reports
   * only when none of its orders is open or can appear. A file that cannot be read shows nothing,
   * and the next check reports it.
   */
  #stateSince(cause: string | undefined): Heartbeat["state"] | undefined {
    try {
      const text = this.#options.store.read(HEARTBEAT_FILE);
      return text === undefined || text === cause ? undefined : parseHeartbeat(text).state;
    } catch {
      return undefined;
    }
  }

  /** Notifies of a failure when it begins, when its text changes, and once a minute. */
  #onFailure(step: string, what: string, error: unknown): void {
    const { clock, notify } = this.#options;
    const message = messageOf(error);
    const nowMs = clock.monotonicMs();
    const last = this.#failures.get(step);
    if (last?.message === message && nowMs < last.atMs + SAME_FAILURE_MS) return;
    this.#failures.set(step, { message, atMs: nowMs });
    notify({ kind: "failed", what, message });
  }

  #onProgress(news: CancelProgressEvent): void {
    const { account, notify, syncClock } = this.#options;
    if (news.kind === "seen") this.#failures.delete(`not-seen ${news.marketId}`);
    if (news.kind === "cancelled") this.#failures.delete(`not-cancelled ${news.marketId}`);
    if (news.kind === "not-seen" || news.kind === "not-cancelled") {
      const { kind, marketId, error } = news;
      this.#onFailure(`${kind} ${marketId}`, marketId, error);
      if (classifyTransientFailure(error)?.cause === "other-time") syncClock();
    } else if (news.kind === "seen" && news.open.length > 0) {
      const { marketId, open } = news;
      const noted = this.#readServerBuiltHashes();
      const manual = open.filter((order: VenueOrder) => !isBotOrder(order, account, noted));
      notify({
        kind: "cancelling",
        marketId,
        orderIds: open.map(({ id }) => id),
        manualIds: manual.map(({ id }) => id),
      });
    }
  }

  /**
   * Hashes of server-built orders, which do not carry the bot's tag. They only serve to name whose
   * orders are cancelled.
   */
  #readServerBuiltHashes(): ReadonlySet<string> {
    const { store } = this.#options;
    try {
      return new Set(readBuiltHashes(store));
    } catch (error) {
      this.#onFailure(BUILT_FILE, BUILT_FILE, error);
      return new Set();
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof MarketwrightError || error instanceof Error
    ? error.message
    : String(error);
}
