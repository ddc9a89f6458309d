import type { Runtime } from "#core/runtime.js";
import type {
  HttpRequest,
  HttpResult,
  Socket,
  SocketHandlers,
  Transport,
} from "#exchange/transport.js";

/** The faults that occurred, by name. */
export type Struck = Map<
  "answer lost" | "answer delayed" | "5xx" | "connection lost" | "frame lost" | "stream dropped",
  number
>;

/** A real network that loses, delays and breaks requests while `on` is true. */
export class TroubledTransport implements Transport {
  on = false;
  readonly struck: Struck = new Map();
  readonly #inner: Transport;
  readonly #runtime: Runtime;

  constructor(inner: Transport, runtime: Runtime) {
    this.#inner = inner;
    this.#runtime = runtime;
  }

  request(request: HttpRequest, done: (result: HttpResult) => void): void {
    const later = (delayMs: number, result: HttpResult): void => {
      this.#runtime.clock.setTimer(delayMs, () => done(result));
    };
    if (!this.on) return this.#inner.request(request, done);
    const die = this.#runtime.random.uniform();
    if (die < 0.04) {
      this.#note("connection lost");
      this.#inner.request(request, () =>
        later(1, { ok: false, cause: "connection-lost", sent: true, message: "connection reset" }),
      );
    } else if (die < 0.08) {
      this.#note("5xx");
      this.#inner.request(request, () =>
        later(1, { ok: true, status: 503, body: "", retryAfterMs: undefined }),
      );
    } else if (die < 0.12) {
      this.#note("answer lost");
      this.#inner.request(request, () =>
        later(request.timeoutMs, { ok: false, cause: "timeout", sent: true, message: "no answer" }),
      );
    } else if (die < 0.3) {
      this.#note("answer delayed");
      this.#inner.request(request, (result) =>
        later(20 + this.#runtime.random.uniform() * 600, result),
      );
    } else {
      this.#inner.request(request, done);
    }
  }

  open(path: string, handlers: SocketHandlers): Socket {
    const socket = this.#inner.open(path, {
      ...handlers,
      onMessage: (text) => {
        const die = this.on ? this.#runtime.random.uniform() : 1;
        if (die < 0.002) {
          this.#note("stream dropped");
          socket.close("the test drops it");
        } else if (die < 0.01) {
          this.#note("frame lost");
        } else {
          handlers.onMessage(text);
        }
      },
    });
    return socket;
  }

  close(): void {
    this.#inner.close();
  }

  #note(name: Parameters<Struck["set"]>[0]): void {
    this.struck.set(name, (this.struck.get(name) ?? 0) + 1);
  }
}
