import type { ApiResponse } from "../rest/api-error.js";

/**
 * The socket under a stream, as the exchange uses it. It may be called before `connect` has
 * returned.
 */
export interface StreamSink {
  send(text: string): void;
  /** A compressed message, as a binary frame. */
  sendBytes(bytes: Uint8Array): void;
  /** A protocol ping. */
  ping(): void;
  close(code: number, reason: string): void;
  /**
   * Cuts the connection at once and forgets what has not left: of a reader that takes nothing, a
   * close would wait behind it.
   */
  terminate(): void;
  /** Bytes handed over that have not left yet. */
  bufferedBytes(): number;
}

/** A stream, as its socket reports to it. */
export interface StreamConnection {
  /** A text message arrived. */
  receive(text: string): void;
  /** A protocol ping arrived; the socket itself has answered it. */
  pinged(): void;
  /** A protocol pong arrived. */
  pong(): void;
  /** The socket is gone. Calling it again does nothing. */
  closed(): void;
}

/** A stream that was not opened, and the HTTP answer in its place. */
export interface StreamRefusal {
  readonly refused: ApiResponse;
}
