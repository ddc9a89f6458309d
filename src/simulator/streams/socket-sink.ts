import type { WebSocket } from "ws";
import type { StreamConnection, StreamSink } from "./stream-sink.js";

/** A stream's sink over a real websocket. Messages before the end of the handshake are queued. */
export class SocketSink implements StreamSink {
  #socket: WebSocket | null = null;
  #waiting: (string | Uint8Array)[] = [];
  #closing: { readonly code: number; readonly reason: string } | null = null;

  /** Attaches the opened socket and reports its events to the stream. */
  attach(socket: WebSocket, connection: StreamConnection): void {
    this.#socket = socket;
    socket.on("message", (data) => connection.receive(data.toString()));
    socket.on("ping", () => connection.pinged());
    socket.on("pong", () => connection.pong());
    socket.on("close", () => connection.closed());
    // ws closes the socket after an error, so handling the close is enough; without a listener the
    // error would be thrown.
    socket.on("error", () => {});
    for (const message of this.#waiting) {
      socket.send(message);
    }
    this.#waiting = [];
    if (this.#closing !== null) {
      socket.close(this.#closing.code, this.#closing.reason);
    }
  }

  send(text: string): void {
    this.#sendOrQueue(text);
  }

  sendBytes(bytes: Uint8Array): void {
    this.#sendOrQueue(bytes);
  }

  ping(): void {
    if (this.#socket?.readyState === this.#socket?.OPEN) {
      this.#socket?.ping();
    }
  }

  close(code: number, reason: string): void {
    this.#closing = { code, reason };
    this.#socket?.close(code, reason);
  }

  terminate(): void {
    this.#waiting = [];
    this.#socket?.terminate();
  }

  bufferedBytes(): number {
    return (
      this.#socket?.bufferedAmount ??
      this.#waiting.reduce((sum, message) => sum + message.length, 0)
    );
  }

  #sendOrQueue(message: string | Uint8Array): void {
    if (this.#socket === null) {
      this.#waiting.push(message);
    } else if (this.#socket.readyState === this.#socket.OPEN) {
      this.#socket.send(message);
    }
  }
}
