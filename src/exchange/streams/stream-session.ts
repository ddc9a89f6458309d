import { ReconnectPauses } from "../../core/runtime/reconnect-pauses.js";
import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { Socket, SocketHandlers, Transport } from "../rest/transport.js";
import { type FormerRuntimeOption, withRuntime } from "../runtime-option.js";

/** Timeouts of a stream: silence, renewal, and reconnect. */
export interface StreamTimings {
  /**
   * Silence after which a connection counts as dead, pings included. The server pings every 5 s.
   */
  readonly silenceMs: Ms;
  /** Age at which a connection is renewed; the server ends it at 12 h. */
  readonly rotateAfterMs: Ms;
  /** The first reconnect pause. It doubles with each failure; its upper half is random. */
  readonly reconnectMinMs: Ms;
  /** The longest pause before opening again. */
  readonly reconnectMaxMs: Ms;
  /** Age of a connection after which the pauses start over. */
  readonly stableAfterMs: Ms;
  /** Messages per second that the server accepts on one connection. */
  readonly messagesPerSecond: number;
}

/** The protocol's values, with a margin. */
export const DEFAULT_STREAM_TIMINGS: StreamTimings = {
  silenceMs: 15_000,
  rotateAfterMs: 11.5 * 3_600_000,
  reconnectMinMs: 250,
  reconnectMaxMs: 20_000,
  stableAfterMs: 10_000,
  messagesPerSecond: 10,
};

/** Options of a session. */
export interface StreamSessionOptions {
  readonly transport: Pick<Transport, "open">;
  readonly runtime: Runtime;
  /** Path and query, computed at every connect: a signed one carries its own timestamp. */
  readonly path: () => string;
  readonly onUp: () => void;
  /** The stream went down, or could not be opened; a reconnect is in progress. */
  readonly onDown: (reason: string) => void;
  readonly onText: (text: string) => void;
  readonly timings?: Partial<StreamTimings>;
}

const SECOND_MS = 1000;
/** Messages per second that are reserved for pongs. */
const PONG_SHARE = 2;

interface Waiting {
  readonly text: string;
  readonly onSent: (() => void) | undefined;
}

/**
 * One websocket that is kept open: pings answered, silence noticed, renewed before the server's
 * 12-hour end, opened again with growing random pauses. Each interruption is told as down and up,
 * so that what was built from the stream is built anew.
 * @example
 * ```ts
 * import { createLiveRuntime, NetworkTransport, StreamSession } from "marketwright/exchange";
 *
 * const restUrl = process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1";
 * const runtime = createLiveRuntime();
 * const transport = new NetworkTransport({
 *   restUrl,
 *   streamUrl: restUrl.replace("http", "ws"),
 *   clock: runtime.clock,
 * });
 * const states: string[] = [];
 * await new Promise<void>((resolve) => {
 *   const session = new StreamSession({
 *     transport,
 *     runtime,
 *     path: () => "/v1/multiple?streams=btcusdc@trades",
 *     onUp: () => {
 *       states.push("up");
 *       session.close("the example is over");
 *       resolve();
 *     },
 *     onDown: (reason) => states.push(reason),
 *     onText: () => undefined,
 *   });
 *   session.start();
 * });
 * transport.close();
 * states; // => ["up"]
 * ```
 */
export class StreamSession {
  readonly #options: StreamSessionOptions;
  readonly #timings: StreamTimings;
  readonly #pauses: ReconnectPauses;
  /** Callbacks of an earlier connection are late, and ignored. */
  #connection = 0;
  #socket: Socket | undefined;
  #isUp = false;
  #isClosed = false;
  #lastArrivalMs = 0;
  #timers: Timer[] = [];
  #outbox: Waiting[] = [];
  #outboxTimer: Timer | undefined;
  #sentAtMs: number[] = [];

  constructor(given: StreamSessionOptions | FormerRuntimeOption<StreamSessionOptions>) {
    const options = withRuntime(given);
    this.#options = options;
    this.#timings = { ...DEFAULT_STREAM_TIMINGS, ...options.timings };
    this.#pauses = new ReconnectPauses(this.#timings, options.runtime);
  }

  /** True while the connection is open. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Opens the stream. Call it once. */
  start(): void {
    this.#open();
  }

  /**
   * Sends a message as soon as the server's message limit allows; false when the stream is down.
   * @param onSent called when it is handed to the socket; never if the connection is lost before.
   */
  send(text: string, onSent?: () => void): boolean {
    if (!this.#isUp) return false;
    this.#outbox.push({ text, onSent });
    this.#drain();
    return true;
  }

  /** Drops the connection and opens a new one at once. */
  renew(reason: string): void {
    if (this.#isClosed || this.#socket === undefined) return;
    this.#pauses.reset();
    this.#drop(reason);
    this.#reopenAfter(0);
  }

  /** Closes the stream for good; no callback follows. */
  close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leave(reason);
  }

  #open(): void {
    this.#connection += 1;
    const connection = this.#connection;
    const whenCurrent =
      <Args extends unknown[]>(handle: (...args: Args) => void) =>
      (...args: Args): void => {
        if (connection === this.#connection && !this.#isClosed) handle(...args);
      };
    const handlers: SocketHandlers = {
      onOpen: whenCurrent(() => this.#opened()),
      onMessage: whenCurrent((text: string) => this.#received(text)),
      onPing: whenCurrent(() => {
        this.#lastArrivalMs = this.#monotonicMs();
      }),
      onClose: whenCurrent((reason: string) => this.#lost(reason)),
    };
    this.#lastArrivalMs = this.#monotonicMs();
    this.#socket = this.#options.transport.open(this.#options.path(), handlers);
    this.#watchSilence(this.#timings.silenceMs);
  }

  #opened(): void {
    this.#isUp = true;
    this.#lastArrivalMs = this.#monotonicMs();
    this.#pauses.onUp();
    // Randomised, so that several streams of one process are not renewed together.
    const rotateAfterMs =
      this.#timings.rotateAfterMs * (1 - 0.02 * this.#options.runtime.random.uniform());
    this.#timers.push(
      this.#options.runtime.clock.setTimer(Math.floor(rotateAfterMs), () =>
        this.renew("renewed before the server's 12-hour end"),
      ),
    );
    this.#options.onUp();
  }

  #received(text: string): void {
    this.#lastArrivalMs = this.#monotonicMs();
    if (text === "ping") {
      this.#pong();
    } else if (text !== "pong") {
      this.#options.onText(text);
    }
  }

  #lost(reason: string): void {
    this.#socket = undefined;
    this.#pauses.onFailure();
    this.#drop(reason);
    this.#reopenAfter(this.#pauses.nextMs());
  }

  #drop(reason: string): void {
    this.#leave(reason);
    this.#options.onDown(reason);
  }

  #leave(reason: string): void {
    // From here on the old connection's callbacks are late.
    this.#connection += 1;
    this.#isUp = false;
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
    this.#outboxTimer?.cancel();
    this.#outboxTimer = undefined;
    this.#outbox = [];
    this.#sentAtMs = [];
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(reason);
  }

  #reopenAfter(delayMs: Ms): void {
    // A callback may have closed the session.
    if (!this.#isClosed)
      this.#timers.push(this.#options.runtime.clock.setTimer(delayMs, () => this.#open()));
  }

  /** One timer, set again for the remaining time, instead of one per message. */
  #watchSilence(delayMs: Ms): void {
    const timer = this.#options.runtime.clock.setTimer(delayMs, () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
      const leftMs = this.#timings.silenceMs - (this.#monotonicMs() - this.#lastArrivalMs);
      if (leftMs > 0) {
        this.#watchSilence(Math.ceil(leftMs));
      } else {
        const state = this.#isUp ? "nothing arrived" : "no connection";
        this.#socketDied(`${state} for ${this.#timings.silenceMs} ms`);
      }
    });
    this.#timers.push(timer);
  }

  #socketDied(reason: string): void {
    const socket = this.#socket;
    this.#lost(reason);
    socket?.close(reason);
  }

  #pong(): void {
    // A pong beyond the limit is skipped: an earlier one within the same second has the same
    // effect.
    if (this.#recentlySent() < this.#timings.messagesPerSecond) this.#sendNow("pong");
  }

  #drain(): void {
    this.#outboxTimer?.cancel();
    this.#outboxTimer = undefined;
    const limit = Math.max(1, this.#timings.messagesPerSecond - PONG_SHARE);
    while (this.#outbox.length > 0 && this.#recentlySent() < limit) {
      const next = this.#outbox.shift() as Waiting;
      this.#sendNow(next.text);
      next.onSent?.();
    }
    if (this.#outbox.length === 0) return;
    const oldestMs = this.#sentAtMs[0] ?? this.#monotonicMs();
    const waitMs = Math.max(1, Math.ceil(oldestMs + SECOND_MS - this.#monotonicMs()));
    this.#outboxTimer = this.#options.runtime.clock.setTimer(waitMs, () => this.#drain());
  }

  #sendNow(text: string): void {
    this.#sentAtMs.push(this.#monotonicMs());
    this.#socket?.send(text);
  }

  #recentlySent(): number {
    const sinceMs = this.#monotonicMs() - SECOND_MS;
    while ((this.#sentAtMs[0] ?? Number.POSITIVE_INFINITY) <= sinceMs) this.#sentAtMs.shift();
    return this.#sentAtMs.length;
  }

  #monotonicMs(): number {
    return this.#options.runtime.clock.monotonicMs();
  }
}
