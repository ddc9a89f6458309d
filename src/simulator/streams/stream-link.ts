import type { Seam, Timer } from "../../core/seam.js";
import type { ExchangeConfig } from "../config.js";
import type { StreamConnection, StreamSink } from "./stream-sink.js";

/** Close codes (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const POLICY = 1008;
const SECOND_MS = 1000;

/** What a link reports to. */
export interface LinkOwner {
  onMessage(link: StreamLink, text: string): void;
  onGone(link: StreamLink): void;
}

/** One websocket from the server's side: pings, its 12 hours, its message limit, and the end of a reader that is too slow. */
export class StreamLink implements StreamConnection {
  /** Names of the streams that it follows. */
  readonly streams = new Set<string>();
  /** Whether events are wrapped with the name of their stream. */
  readonly wraps: boolean;
  readonly #seam: Seam;
  readonly #config: ExchangeConfig["streams"];
  readonly #sink: StreamSink;
  readonly #owner: LinkOwner;
  #timers: Timer[] = [];
  #lastPongMs: number;
  #arrivalsMs: number[] = [];
  #isGone = false;

  constructor(seam: Seam, config: ExchangeConfig["streams"], sink: StreamSink, wraps: boolean, owner: LinkOwner) {
    this.#seam = seam;
    this.#config = config;
    this.#sink = sink;
    this.wraps = wraps;
    this.#owner = owner;
    this.#lastPongMs = seam.clock.monotonicMs();
    this.#timers = [
      seam.clock.setTimer(config.pingIntervalMs, () => this.#ping()),
      seam.clock.setTimer(config.maxAgeMs, () => this.end(GOING_AWAY, "the connection has reached its greatest age")),
    ];
  }

  /** Sends a text, unless the connection is gone; a reader that does not keep up is disconnected. */
  send(text: string): void {
    if (this.#isGone) {
      return;
    }
    this.#sink.send(text);
    if (this.#sink.bufferedBytes() > this.#config.maxBufferedBytes) {
      this.end(POLICY, "the reader is too slow");
    }
  }

  receive(text: string): void {
    if (this.#isGone) {
      return;
    }
    const nowMs = this.#seam.clock.monotonicMs();
    while ((this.#arrivalsMs[0] ?? nowMs) <= nowMs - SECOND_MS) {
      this.#arrivalsMs.shift();
    }
    this.#arrivalsMs.push(nowMs);
    if (this.#arrivalsMs.length > this.#config.messagesPerSecond) {
      this.end(POLICY, `more than ${this.#config.messagesPerSecond} messages a second`);
    } else if (text === "pong") {
      this.pong();
    } else if (text === "ping") {
      this.send("pong");
    } else {
      this.#owner.onMessage(this, text);
    }
  }

  pong(): void {
    this.#lastPongMs = this.#seam.clock.monotonicMs();
  }

  closed(): void {
    if (!this.#isGone) {
      this.#isGone = true;
      for (const timer of this.#timers) {
        timer.cancel();
      }
      this.#timers = [];
      this.#owner.onGone(this);
    }
  }

  /** Closes from the server's side. */
  end(code: number, reason: string): void {
    if (!this.#isGone) {
      this.closed();
      this.#sink.close(code, reason);
    }
  }

  #ping(): void {
    const silentMs = this.#seam.clock.monotonicMs() - this.#lastPongMs;
    if (silentMs >= this.#config.pongTimeoutMs) {
      this.end(POLICY, `no pong for ${this.#config.pongTimeoutMs} ms`);
      return;
    }
    this.#timers[0] = this.#seam.clock.setTimer(this.#config.pingIntervalMs, () => this.#ping());
    if (this.#config.pings !== "text") {
      this.#sink.ping();
    }
    if (this.#config.pings !== "protocol") {
      this.send("ping");
    }
  }
}
