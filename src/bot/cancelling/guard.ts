import { MarketwrightError } from "../../core/errors.js";
import type { Clock, Timer } from "../../core/runtime/seam.js";
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

/** What the guard tells whoever watches it. */
export type GuardEvent =
  | { readonly kind: "watching"; readonly markets: readonly MarketId[] }
  | { readonly kind: "bot-back" }
  | { readonly kind: "bot-stopped" }
  /** A bot of the account runs, and no heartbeat of it comes to where the guard looks. */
  | { readonly kind: "bot-unseen" }
  /** The heartbeat has stopped: orders are being cancelled from now on. */
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
  /** Nothing of the account is open in the bot's markets, and nothing that the bot signed can still arrive. */
  | { readonly kind: "safe" };

/** What a guard is made of. */
export interface GuardOptions {
  readonly client: Pick<RestClient, "time" | "exchangeInfo" | "openOrders" | "cancelAllOpenOrders">;
  readonly clock: Clock;
  /**
   * Reads the exchange's clock for what is signed from then on, within the budget: asked where a request was refused as one of another time, since this
   * machine's clock may have been set.
   */
  readonly syncClock: () => void;
  /** Tokens that the bot leaves to the guard. */
  readonly budget: CancelBudget;
  /** The bot's state directory: only its heartbeat and the hashes that it noted are read. */
  readonly store: Pick<StateStore, "read">;
  readonly account: Hex;
  readonly markets: readonly MarketId[];
  readonly deadAfterMs: Ms;
  readonly heartbeatMs: Ms;
  readonly signatureWindowMs: Ms;
  readonly notify: (notice: GuardEvent) => void;
}

/** Between two looks while it acts. */
const ACT_EVERY_MS = 500;

/** What is known of the bot's last heartbeat. */
type LastHeartbeat = Pick<Heartbeat, "state" | "markets"> & {
  readonly lastRequestMs: Ms | undefined;
};

/** A heartbeat that could never be read: some bot ran, nobody knows until when. */
const UNREAD: LastHeartbeat = { state: "running", markets: [], lastRequestMs: undefined };

/**
 * The dead-man switch of POST_ONLY and GTC quotes (docs/ideas/design.md#order-identity and
 * docs/ideas/design.md#time-in-force), in a process of its own: when the bot's heartbeat stops it
 * cancels everything in the bot's markets, and goes on until no request that the bot may have
 * signed can still be taken and nothing is open.
 */
export class Guard {
  readonly #options: GuardOptions;
  #timer: Timer | undefined;
  #lastText: string | undefined;
  /** The newest heartbeat that could be read, or {@link UNREAD} where none could. */
  #lastHeartbeat: LastHeartbeat | undefined;
  #lastChangeAtMs: Ms = 0;
  #settledFor: LastHeartbeat | undefined;
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
    const silentMs = clock.monotonicMs() - this.#lastChangeAtMs;
    if (beat.state === "stopped" || silentMs <= deadAfterMs || this.#settledFor === beat) return;
    this.#acting = true;
    notify({ kind: "acting", silentMs });
    void this.#act(beat);
  }

  /**
   * The heartbeat as it is now; when it was first seen so decides how old it is, since wall clocks step. One that cannot be read is no sign of life: the one
   * before it grows older, and where there was none, as a guard that is started beside it has none, it does itself.
   */
  #readHeartbeat(): LastHeartbeat | undefined {
    const { clock, store, notify } = this.#options;
    try {
      const text = store.read(HEARTBEAT_FILE);
      if (text === undefined) return undefined;
      if (text === this.#lastText) return this.#lastHeartbeat;
      const beat = parseHeartbeat(text);
      const isFirst = this.#lastText === undefined;
      this.#lastText = text;
      this.#lastHeartbeat = beat;
      // One that was there before the guard may be as old as its own stamp says.
      this.#lastChangeAtMs =
        clock.monotonicMs() - (isFirst ? Math.max(0, clock.nowMs() - beat.atMs) : 0);
      if (beat.state === "stopped") notify({ kind: "bot-stopped" });
      return beat;
    } catch (error) {
      notify({ kind: "failed", what: HEARTBEAT_FILE, message: messageOf(error) });
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
    // Once a bot has shown that it lives, the markets are its own or a person's, whatever becomes of it.
    const isOver = (): boolean => {
      hasBeaten ||= this.#stateSince(cause) !== undefined;
      return hasBeaten || this.#stopped;
    };
    const exchangeTime = new ExchangeTimeLowerBound(clock, async () => {
      const asked = await budget.call("time", { kept: watched.length, isOver }, () =>
        client.time(),
      );
      return asked?.answer;
    });
    let { lastRequestMs } = beat;
    await cancelUntilNoneOpen({
      client,
      clock,
      budget,
      markets: watched,
      everyMs: ACT_EVERY_MS,
      // Asked before each look: what is signed to be taken until later than this is not in it.
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
   * What a bot has shown since a heartbeat: that it lives, or that it has left in order, which it says when nothing of the account's bots is open or can
   * come. A file that cannot be read shows nothing, and is told of at the next look.
   */
  #stateSince(cause: string | undefined): Heartbeat["state"] | undefined {
    try {
      const text = this.#options.store.read(HEARTBEAT_FILE);
      return text === undefined || text === cause ? undefined : parseHeartbeat(text).state;
    } catch {
      return undefined;
    }
  }

  #onProgress(news: CancelProgressEvent): void {
    const { account, notify, syncClock: readClock } = this.#options;
    if (news.kind === "not-seen" || news.kind === "not-cancelled") {
      const { marketId, error } = news;
      notify({ kind: "failed", what: marketId, message: messageOf(error) });
      if (classifyTransientFailure(error)?.cause === "other-time") readClock();
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

  /** Hashes of server-built orders, which carry no tag of the bot's: only to name whose orders are cancelled. */
  #readServerBuiltHashes(): ReadonlySet<string> {
    const { store, notify } = this.#options;
    try {
      return new Set(readBuiltHashes(store));
    } catch (error) {
      notify({ kind: "failed", what: BUILT_FILE, message: messageOf(error) });
      return new Set();
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof MarketwrightError || error instanceof Error
    ? error.message
    : String(error);
}
