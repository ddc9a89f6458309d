import type { IncomingMessage } from "node:http";
import { inflateSync } from "node:zlib";
import { type RawData, WebSocket } from "ws";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Socket, SocketHandlers } from "../rest/transport.js";

/** Parts of one websocket. */
export interface WebSocketLinkOptions {
  readonly url: string;
  readonly handlers: SocketHandlers;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly maxMessageBytes: number;
  readonly onClosed: () => void;
}

/** Time limit of an opening handshake. */
const OPENING_MS = 10_000;
/** Reported length of a response that is not a stream. */
const MOST_ANSWER_CHARACTERS = 200;
/** Rejections by an existing stream: its address is right. */
const REFUSALS: readonly number[] = [401, 403, 418, 429];
/** Expected value if nothing responds: the address itself may be right. */
const NOBODY = "an exchange that answers there";
/** Time limit of a closing handshake before the connection is cut. */
const CLOSING_MS = 1000;
/** The protocol's limit for a close reason. */
const LONGEST_REASON_BYTES = 123;

/**
 * A websocket of the `ws` package behind the transport's contract: `onClose` is called once, and
 * last. If it never opened, the reason contains the address without its query (which may be
 * signed), the received response, and the setting of the address.
 */
export class WebSocketLink implements Socket {
  readonly #options: WebSocketLinkOptions;
  readonly #socket: WebSocket;
  readonly #opening: Timer;
  #closing: Timer | undefined;
  #hasOpened = false;
  #isClosed = false;
  /** The cause of the end, if known before the close itself. */
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
    this.#opening = options.clock.setTimer(OPENING_MS, () =>
      this.#neverOpened(`no answer within ${OPENING_MS} ms`, NOBODY),
    );
    this.#socket.on("open", () => {
      this.#hasOpened = true;
      this.#opening.cancel();
      handlers.onOpen();
    });
    this.#socket.on("unexpected-response", (_request, response) => this.#refused(response));
    this.#socket.on("message", (data, isBinary) => this.#received(data, isBinary));
    this.#socket.on("ping", () => handlers.onPing());
    this.#socket.on("error", (error) => {
      this.#cause ??= this.#hasOpened ? messageOf(error) : this.#noStream(messageOf(error), NOBODY);
    });
    this.#socket.on("close", (code, reason) => this.#handleClose(code, reason.toString("utf8")));
  }

  /**
   * The exchange's compressed frames are binary (docs/reference/protocol.md#connections). Bytes
   * that cannot be unpacked are passed on unchanged, for the decoder to reject.
   */
  #received(data: RawData, isBinary: boolean): void {
    // After a rejected message no other may be passed on, or a gap would go unnoticed.
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const bytes = Array.isArray(data)
      ? Buffer.concat(data)
      : data instanceof ArrayBuffer
        ? Buffer.from(data)
        : data;
    const text = isBinary ? this.#unpacked(bytes) : bytes.toString("utf8");
    if (text !== undefined) this.#options.handlers.onMessage(text);
  }

  #unpacked(bytes: Buffer): string | undefined {
    const { maxMessageBytes } = this.#options;
    try {
      return inflateSync(bytes, { maxOutputLength: maxMessageBytes }).toString("utf8");
    } catch (error) {
      if (error instanceof RangeError) {
        this.terminate(`a compressed message of more than ${maxMessageBytes} bytes`);
        return undefined;
      }
      return bytes.toString("utf8");
    }
  }

  send(text: string): void {
    // A closing socket reports that by its close; messages sent meanwhile are lost with it.
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  close(reason: string): void {
    if (this.#isClosed || this.#closing !== undefined) return;
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

  /** The server responded in HTTP: returns its status, and the start of its body. */
  #refused(response: IncomingMessage): void {
    let body = "";
    const done = () => {
      const text = body.replace(/\s+/g, " ").trim().slice(0, MOST_ANSWER_CHARACTERS);
      const { statusCode = 0 } = response;
      const isRightAddress = REFUSALS.includes(statusCode) || statusCode >= 500;
      const { origin } = new URL(this.#options.url);
      const expected = isRightAddress
        ? undefined
        : `the streams' address with its version prefix, such as ${origin}/v1`;
      this.#neverOpened(`HTTP ${statusCode}${text === "" ? "" : ` ${text}`}`, expected);
    };
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      body += chunk;
      if (body.length > MOST_ANSWER_CHARACTERS) done();
    });
    response.on("end", done);
    response.on("error", done);
  }

  #neverOpened(what: string, expected: string | undefined): void {
    this.#cause ??= this.#noStream(what, expected);
    this.#socket.terminate();
  }

  #noStream(what: string, expected: string | undefined): string {
    const { origin, pathname } = new URL(this.#options.url);
    return `exchange.stream: no stream at ${origin}${pathname}: ${what}${expected === undefined ? "" : `; expected ${expected}`}`;
  }

  #handleClose(code: number, reason: string): void {
    this.#isClosed = true;
    this.#opening.cancel();
    this.#closing?.cancel();
    this.#options.onClosed();
    this.#options.handlers.onClose(
      this.#cause ?? `closed by the exchange: ${code}${reason === "" ? "" : ` ${reason}`}`,
    );
  }
}

function messageOf(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  // For a name with several addresses, Node reports a refused connection without a message.
  return error.message || code || error.name;
}
