import type { Runtime } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { Transport } from "../../exchange/rest/transport.js";

/**
 * Records when the message in progress was received, before it is decoded: the start of
 * tick-to-order.
 */
export class TimestampedTransport implements Transport {
  atMs: Ms | undefined;
  readonly #inner: Transport;
  readonly #runtime: Runtime;

  constructor(inner: Transport, runtime: Runtime) {
    this.#inner = inner;
    this.#runtime = runtime;
  }

  request(...args: Parameters<Transport["request"]>): void {
    this.#inner.request(...args);
  }

  open(path: string, handlers: Parameters<Transport["open"]>[1]): ReturnType<Transport["open"]> {
    return this.#inner.open(path, {
      onOpen: () => handlers.onOpen(),
      onPing: () => handlers.onPing(),
      onClose: (reason) => handlers.onClose(reason),
      onMessage: (text) => {
        this.atMs = this.#runtime.clock.monotonicMs();
        try {
          handlers.onMessage(text);
        } finally {
          this.atMs = undefined;
        }
      },
    });
  }

  close(): void {
    this.#inner.close();
  }
}
