import type { ApiResponse } from "../rest/api-error.js";

/** The socket under a stream. The exchange may call it before `connect` has returned. */
export interface StreamSink {
  /** @param stream its name, where the text may not contain it: faults select frames by it. */
  send(text: string, stream?: string): void;
  /** A compressed message, as a binary frame. */
  sendBytes(bytes: Uint8Array): void;
  /** Sends a protocol ping. */
  ping(): void;
  close(code: number, reason: string): void;
  /**
   * Closes the connection at once and drops unsent data. For a reader that receives nothing, a
   * normal close would wait behind that data.
   */
  terminate(): void;
  /** Bytes that were passed on and not sent yet. */
  bufferedBytes(): number;
}

/** The events that a socket reports to its stream. */
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

/** The HTTP response in place of a stream that was refused. */
export interface StreamRefusal {
  readonly refused: ApiResponse;
}
