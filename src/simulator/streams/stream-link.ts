import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import type { ExchangeConfig } from "../config/config.js";
import type { StreamConnection, StreamSink } from "./stream-sink.js";
import type { TextCompressor } from "./text-compressor.js";

/** Close codes (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const POLICY = 1008;
const SECOND_MS = 1000;
const PING = "ping";
const PONG = "pong";

/** The events of a link. */
export interface StreamLinkListener {
  onMessage(link: StreamLink, text: string): void;
  onClosed(link: StreamLink): void;
}

/** Options of a link. */
export interface StreamLinkOptions {
  /** True if events are wrapped with the name of their stream. */
  readonly wrapsEvents: boolean;
  /** Compresses everything except the text ping; null to send plain texts. */
  readonly zip: TextCompressor | null;
  /** The address by which connections are counted. */
  readonly ip: string;
}

/**
 * The server's side of one websocket: pings, its 12-hour limit, its message limit, and the
 * disconnection of a reader that is too slow.
 */
export class StreamLink implements StreamConnection {
  /** Names of its streams. */
  readonly streams = new Set<string>();
  readonly options: StreamLinkOptions;
  readonly #runtime: Runtime;
  readonly #config: ExchangeConfig["streams"];
  readonly #sink: StreamSink;
  readonly #owner: StreamLinkListener;
  #timers: Timer[] = [];
  #lastPongMs: number;
  #arrivalsMs: number[] = [];
  #isClosed = false;

  constructor(
    runtime: Runtime,
    config: ExchangeConfig["streams"],
    sink: StreamSink,
    options: StreamLinkOptions,
    owner: StreamLinkListener,
  ) {
    this.#runtime = runtime;
    this.#config = config;
    this.#sink = sink;
    this.options = options;
    this.#owner = owner;
    this.#lastPongMs = runtime.clock.monotonicMs();
    this.#timers = [
      runtime.clock.setTimer(config.pingIntervalMs, () => this.#ping()),
      runtime.clock.setTimer(config.maxAgeMs, () =>
        this.end(GOING_AWAY, "the connection has reached its maximum age"),
      ),
    ];
  }

  /**
   * Sends a text, unless the connection is closed. A reader that does not keep up is disconnected.
   * @param stream as in {@link StreamSink.send}.
   */
  send(text: string, stream?: string): void {
    if (this.#isClosed) {
      return;
    }
    const { zip } = this.options;
    if (zip === null || text === PING) {
      this.#sink.send(text, stream);
    } else {
      this.#sink.sendBytes(zip.compress(text));
    }
    if (this.#sink.bufferedBytes() > this.#config.maxBufferedBytes) {
      this.end(POLICY, "the reader is too slow");
      this.#sink.terminate();
    }
  }

  receive(text: string): void {
    if (!this.#counts()) {
      return;
    }
    if (text === PONG) {
      this.#recordPong();
    } else if (text === PING) {
      this.send(PONG);
    } else {
      this.#owner.onMessage(this, text);
    }
  }

  pinged(): void {
    this.#counts();
  }

  pong(): void {
    if (this.#counts()) {
      this.#recordPong();
    }
  }

  closed(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      for (const timer of this.#timers) {
        timer.cancel();
      }
      this.#timers = [];
      this.#owner.onClosed(this);
    }
  }

  /** Closes from the server's side. */
  end(code: number, reason: string): void {
    if (!this.#isClosed) {
      this.closed();
      this.#sink.close(code, reason);
    }
  }

  #recordPong(): void {
    this.#lastPongMs = this.#runtime.clock.monotonicMs();
  }

  /**
   * Counts a received message.
   * @returns true if the connection stays open.
   */
  #counts(): boolean {
    if (this.#isClosed) {
      return false;
    }
    if (this.#arrivedInSecond() > this.#config.messagesPerSecond) {
      this.end(POLICY, `more than ${this.#config.messagesPerSecond} messages a second`);
      return false;
    }
    return true;
  }

  /**
   * Records an arrival.
   * @returns the number of arrivals in the second that ends with it.
   */
  #arrivedInSecond(): number {
    const nowMs = this.#runtime.clock.monotonicMs();
    while ((this.#arrivalsMs[0] ?? nowMs) <= nowMs - SECOND_MS) {
      this.#arrivalsMs.shift();
    }
    this.#arrivalsMs.push(nowMs);
    return this.#arrivalsMs.length;
  }

  #ping(): void {
    const silentMs = this.#runtime.clock.monotonicMs() - this.#lastPongMs;
    if (silentMs >= this.#config.pongTimeoutMs) {
      this.end(POLICY, `no pong for ${this.#config.pongTimeoutMs} ms`);
      return;
    }
    this.#timers[0] = this.#runtime.clock.setTimer(this.#config.pingIntervalMs, () => this.#ping());
    if (this.#config.pings !== "text") {
      this.#sink.ping();
    }
    if (this.#config.pings !== "protocol") {
      this.send(PING);
    }
  }
}
