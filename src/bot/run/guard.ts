import { MarketwrightError } from "../../core/errors.js";
import { RateBudget } from "../../core/rate-budget.js";
import type { Clock, Timer } from "../../core/seam.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest-client.js";
import { BUILT_FILE } from "../answers.js";
import { isBotsOrder } from "../own-order.js";
import { HEARTBEAT_FILE, type Heartbeat, parseHeartbeat } from "../state/heartbeat.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";

/** What the guard tells whoever watches it. */
export type GuardNotice =
  | { readonly kind: "watching"; readonly markets: readonly MarketId[] }
  | { readonly kind: "bot-back" }
  | { readonly kind: "bot-stopped" }
  /** The heartbeat has stopped: orders are being cancelled from now on. */
  | { readonly kind: "acting"; readonly silentMs: Ms }
  | {
      readonly kind: "cancelling";
      readonly marketId: MarketId;
      readonly orderIds: readonly string[];
      readonly manualIds: readonly string[];
    }
  | { readonly kind: "failed"; readonly what: string; readonly message: string }
  /** Nothing of the account is open in the bot's markets, and nothing that the bot signed can still arrive. */
  | { readonly kind: "safe" };

/** What a guard is made of. */
export interface GuardOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  /** The bot's state directory: only its heartbeat and the hashes that it noted are read. */
  readonly store: Pick<StateStore, "read">;
  readonly account: Hex;
  readonly markets: readonly MarketId[];
  readonly deadAfterMs: Ms;
  readonly heartbeatMs: Ms;
  readonly signatureWindowMs: Ms;
  /** ORDER tokens that the bot leaves to the guard, and their window. */
  readonly tokens: number;
  readonly tokensIntervalMs: Ms;
  readonly notify: (notice: GuardNotice) => void;
}

/** Between two looks while it acts. */
const ACT_EVERY_MS = 500;

/**
 * The dead-man switch of POST_ONLY and GTC quotes (design, rules 7 and 10), in a process of its own: when the bot's
 * heartbeat stops it cancels everything in the bot's markets, and goes on until no request that the bot may have signed
 * can still be taken and nothing is open.
 */
export class Guard {
  readonly #options: GuardOptions;
  #budget: RateBudget;
  #timer: Timer | undefined;
  #seen: string | undefined;
  #seenAtMs: Ms = 0;
  #settledFor: string | undefined;
  #acting = false;
  #stopped = false;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#budget = RateBudget.create(options.tokens, options.tokensIntervalMs);
  }

  start(): void {
    this.#options.notify({ kind: "watching", markets: this.#options.markets });
    this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #look(): void {
    if (this.#stopped) return;
    const { clock, heartbeatMs, deadAfterMs, notify } = this.#options;
    this.#timer = clock.setTimer(heartbeatMs, () => this.#look());
    const beat = this.#newestBeat();
    if (beat === undefined || this.#acting) return;
    const silentMs = clock.monotonicMs() - this.#seenAtMs;
    if (beat.state === "stopped" || silentMs <= deadAfterMs || this.#settledFor === this.#seen) return;
    this.#acting = true;
    notify({ kind: "acting", silentMs });
    void this.#act(beat);
  }

  /** The heartbeat as it is now; when it was first seen so decides how old it is, since wall clocks step. */
  #newestBeat(): Heartbeat | undefined {
    const { clock, store, notify } = this.#options;
    try {
      const text = store.read(HEARTBEAT_FILE);
      if (text === undefined) return undefined;
      const beat = parseHeartbeat(text);
      if (text === this.#seen) return beat;
      const isFirst = this.#seen === undefined;
      this.#seen = text;
      // One that was there before the guard may be as old as its own stamp says.
      this.#seenAtMs = clock.monotonicMs() - (isFirst ? Math.max(0, clock.nowMs() - beat.atMs) : 0);
      if (beat.state === "stopped") notify({ kind: "bot-stopped" });
      return beat;
    } catch (error) {
      notify({ kind: "failed", what: HEARTBEAT_FILE, message: messageOf(error) });
      return undefined;
    }
  }

  async #act(beat: Heartbeat): Promise<void> {
    const { clock, client, markets, signatureWindowMs, notify } = this.#options;
    const watched = [...new Set([...markets, ...beat.markets])];
    const cause = this.#seen;
    const untouched = new Set(watched);
    const unsafe = new Set(watched);
    while (!this.#stopped) {
      if (this.#newestBeat()?.state === "running" && this.#seen !== cause) {
        notify({ kind: "bot-back" });
        break;
      }
      try {
        // Asked before the sweep: what is signed to be taken until later than this is not in it.
        const exchangeMs = await client.time();
        const canArrive = exchangeMs <= beat.lastRequestMs + signatureWindowMs;
        for (const marketId of [...unsafe]) {
          const wasClean = await this.#sweep(marketId, untouched);
          // Whoever trades there by hand from now on is left alone, however long another market takes.
          if (wasClean && !canArrive) unsafe.delete(marketId);
        }
        if (unsafe.size === 0) {
          this.#settledFor = cause;
          notify({ kind: "safe" });
          break;
        }
      } catch (error) {
        notify({ kind: "failed", what: "exchange", message: messageOf(error) });
      }
      await pause(clock, ACT_EVERY_MS);
    }
    this.#acting = false;
  }

  /** Cancels what is open in a market; true when nothing was. One that fails is told, and keeps nobody from the markets after it. */
  async #sweep(marketId: MarketId, untouched: Set<MarketId>): Promise<boolean> {
    try {
      const wasClean = await this.#cancel(marketId, untouched.has(marketId));
      untouched.delete(marketId);
      return wasClean;
    } catch (error) {
      this.#options.notify({ kind: "failed", what: marketId, message: messageOf(error) });
      return false;
    }
  }

  async #cancel(marketId: MarketId, evenIfEmpty: boolean): Promise<boolean> {
    const { client, notify } = this.#options;
    // One that is wholly matched waits for its settlement alone: there is nothing of it to cancel.
    const open = (await client.openOrders(marketId)).filter(({ availableLots }) => availableLots > 0);
    if (open.length === 0 && !evenIfEmpty) return true;
    if (open.length > 0) {
      const { account } = this.#options;
      const noted = this.#notedHashes();
      const manual = open.filter((order: VenueOrder) => !isBotsOrder(order, account, noted));
      notify({ kind: "cancelling", marketId, orderIds: open.map(({ id }) => id), manualIds: manual.map(({ id }) => id) });
    }
    await this.#token();
    await client.cancelAllOpenOrders(marketId);
    return open.length === 0;
  }

  /** Hashes of server-built orders, which carry no tag of the bot's: only to name whose orders are cancelled. */
  #notedHashes(): ReadonlySet<string> {
    const { store, notify } = this.#options;
    try {
      return new Set((readJsonState(store, BUILT_FILE, (value) => value as readonly string[]) ?? []).map((hash) => hash.toLowerCase()));
    } catch (error) {
      notify({ kind: "failed", what: BUILT_FILE, message: messageOf(error) });
      return new Set();
    }
  }

  async #token(): Promise<void> {
    const { clock } = this.#options;
    while (this.#budget.available(clock.monotonicMs()) < 1) {
      await pause(clock, Math.max(1, this.#budget.earliestMs(clock.monotonicMs(), 1) - clock.monotonicMs()));
    }
    this.#budget = this.#budget.spend(clock.monotonicMs(), 1);
  }
}

function pause(clock: Clock, delayMs: Ms): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(delayMs, resolve);
  });
}

function messageOf(error: unknown): string {
  return error instanceof MarketwrightError || error instanceof Error ? error.message : String(error);
}
