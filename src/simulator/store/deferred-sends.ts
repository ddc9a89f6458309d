import type { StreamSink } from "../streams/stream-sink.js";

/** Keeps what streams send during an event until the event has been made to last. */
export class DeferredSends {
  #isHolding = false;
  #deferred: (() => void)[] = [];

  /** From now on nothing leaves. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Lets everything leave, in the order in which it was sent. */
  release(): void {
    this.#isHolding = false;
    const held = this.#deferred;
    this.#deferred = [];
    for (const send of held) {
      send();
    }
  }

  /** Forgets what was held: it told of something that will not have been. */
  discard(): void {
    this.#isHolding = false;
    this.#deferred = [];
  }

  /** A sink that sends when it may. */
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
      send: (text) => when(text.length, () => sink.send(text)),
      sendBytes: (bytes) => when(bytes.length, () => sink.sendBytes(bytes)),
      ping: () => when(0, () => sink.ping()),
      close: (code, reason) => when(0, () => sink.close(code, reason)),
      terminate: () => sink.terminate(),
      bufferedBytes: () => sink.bufferedBytes() + heldBytes,
    };
  }
}
