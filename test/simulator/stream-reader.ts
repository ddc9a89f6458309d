import { inflateSync } from "node:zlib";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { StreamConnection, StreamSink } from "#simulator/stream-sink.js";

/** A client's end of a stream without a network: the messages that arrived, and how it ended. */
export class StreamReader implements StreamSink {
  readonly texts: string[] = [];
  pings = 0;
  /** The number of texts that arrived compressed. */
  zipped = 0;
  closed: { code: number; reason: string } | undefined;
  isCut = false;
  backlog = 0;
  readonly connection: StreamConnection;

  /** @throws Error with status and body when the stream is refused */
  constructor(exchange: EmbeddedExchange, path: string) {
    const connection = exchange.connect(path, this, "10.0.0.9");
    if ("refused" in connection) {
      throw new Error(`${connection.refused.status} ${connection.refused.body}`);
    }
    this.connection = connection;
  }

  send(text: string): void {
    this.texts.push(text);
  }

  sendBytes(bytes: Uint8Array): void {
    this.zipped += 1;
    this.texts.push(inflateSync(bytes).toString("utf8"));
  }

  ping(): void {
    this.pings += 1;
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  terminate(): void {
    this.isCut = true;
  }

  bufferedBytes(): number {
    return this.backlog;
  }

  /** Everything that arrived and was not yet taken, parsed, pings left out. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
  take(): any[] {
    return this.texts
      .splice(0)
      .filter((text) => text !== "ping")
      .map((text) => JSON.parse(text));
  }
}
