import type { StreamSink } from "../streams/stream-sink.js";

/** Defers the sends of streams during an event until the event is committed. */
export class DeferredSends {
  #isHolding = false;
  #deferred: (() => void)[] = [];

  /** Starts deferring. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Sends everything deferred, in order. */
  release(): void {
    this.#isHolding = false;
    const held = this.#deferred;
    this.#deferred = [];
    for (const send of held) {
      send();
    }
  }

  /** Discards the deferred sends of an event that was not committed. */
  discard(): void {
    this.#isHolding = false;
    this.#deferred = [];
  }

  /** Wraps a sink so that it sends only when allowed. */
  wrapSink(sink: StreamSink): StreamSink {
    let heldBytes = 0;
    const when = (bytes: number, send: () => void): void => {
      if (!this.#isHolding) {
        send();
        return;
      }
      heldBytes += bytes;
      this.#deferred.push(() => {
        heldBytes -= bytes;
        send();
      });
    };
    return {
      send: (text, stream) => when(text.length, () => sink.send(text, stream)),
      sendBytes: (bytes) => when(bytes.length, () => sink.sendBytes(bytes)),
      ping: () => when(0, () => sink.ping()),
      close: (code, reason) => when(0, () => sink.close(code, reason)),
      terminate: () => sink.terminate(),
      bufferedBytes: () => sink.bufferedBytes() + heldBytes,
    };
  }
}
