import { WebSocket } from "ws";
import type { Clock, Timer } from "../core/seam.js";
import type { Socket, SocketHandlers } from "./transport.js";

/** One websocket on its way. */
export interface WebSocketLinkOptions {
  readonly url: string;
  readonly handlers: SocketHandlers;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly maxMessageBytes: number;
  readonly onGone: () => void;
}

/** How long a closing handshake may take before the connection is cut. */
const CLOSING_MS = 1000;
/** The protocol's limit for a close reason. */
const LONGEST_REASON_BYTES = 123;

/** A websocket of the `ws` package behind the transport's contract: `onClose` comes once, and last. */
export class WebSocketLink implements Socket {
  readonly #options: WebSocketLinkOptions;
  readonly #socket: WebSocket;
  #closing: Timer | undefined;
  #isGone = false;
  /** What ended it, when that was known before the close itself. */
  #cause: string | undefined;

  constructor(options: WebSocketLinkOptions) {
    this.#options = options;
    const { handlers } = options;
    this.#socket = new WebSocket(options.url, {
      perMessageDeflate: false,
      maxPayload: options.maxMessageBytes,
      followRedirects: false,
      headers: { "user-agent": options.userAgent },
    });
    this.#socket.on("open", () => handlers.onOpen());
    this.#socket.on("message", (data) => handlers.onMessage(data.toString()));
    this.#socket.on("ping", () => handlers.onPing());
    this.#socket.on("error", (error) => {
      this.#cause ??= error.message || error.name;
    });
    this.#socket.on("close", (code, reason) => this.#gone(code, reason.toString("utf8")));
  }

  send(text: string): void {
    // A socket that is closing says so by its close; what is sent meanwhile is lost like all else on it.
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  close(reason: string): void {
    if (this.#isGone || this.#closing !== undefined) return;
    this.#cause ??= reason;
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.close(1000, Buffer.from(reason).subarray(0, LONGEST_REASON_BYTES));
      this.#closing = this.#options.clock.setTimer(CLOSING_MS, () => this.#socket.terminate());
    } else {
      this.#socket.terminate();
    }
  }

  /** Cuts the connection without a handshake. */
  terminate(reason: string): void {
    this.#cause ??= reason;
    this.#socket.terminate();
  }

  #gone(code: number, reason: string): void {
    this.#isGone = true;
    this.#closing?.cancel();
    this.#options.onGone();
    this.#options.handlers.onClose(this.#cause ?? `closed by the exchange: ${code}${reason === "" ? "" : ` ${reason}`}`);
  }
}
