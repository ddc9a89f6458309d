import type { Ms } from "../../core/units.js";

/** One HTTP request, already encoded and signed. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path with the version prefix and no query: `/v1/order`. */
  readonly path: string;
  /** Form-encoded parameters: the query of GET and DELETE, the body of POST. */
  readonly params: string;
  readonly timeoutMs: Ms;
}

/** The result of a request. */
export type HttpResult =
  | {
      readonly ok: true;
      /** The HTTP status. */
      readonly status: number;
      readonly body: string;
      readonly retryAfterMs: Ms | undefined;
    }
  /** `sent` is false only if certainly no byte of the request was sent. */
  | {
      readonly ok: false;
      readonly cause: "timeout" | "connection-lost";
      readonly sent: boolean;
      readonly message: string;
      /**
       * The system's or HTTP parser's name of the failure, such as `ECONNREFUSED`; absent if it has
       * none.
       */
      readonly code?: string | undefined;
    };

/** The network under the client: real HTTP and websockets, or memory in a simulation. */
export interface Transport {
  /** Never throws; `done` is called exactly once, never synchronously. */
  request(request: HttpRequest, done: (result: HttpResult) => void): void;
  /**
   * Opens a websocket. `path` starts at the version prefix and holds the query:
   * `/v1/multiple?streams=...`.
   */
  open(path: string, handlers: SocketHandlers): Socket;
  close(): void;
}

/**
 * Callbacks of a websocket, called one at a time, in order, never synchronously from `open` or
 * `send`.
 */
export interface SocketHandlers {
  onOpen(): void;
  /** A text message, unpacked if the server compressed it. */
  onMessage(text: string): void;
  /** A protocol ping; the transport itself has sent the pong. */
  onPing(): void;
  /** Called once, last. */
  onClose(reason: string): void;
}

/** An open websocket. */
export interface Socket {
  send(text: string): void;
  close(reason: string): void;
}
