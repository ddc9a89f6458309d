import type { Clock, Timer } from "#core/runtime.js";
import type { Ms } from "#core/units.js";
import type {
  HttpRequest,
  HttpResult,
  Socket,
  SocketHandlers,
  Transport,
} from "#exchange/transport.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";

/** Latency of the network in either direction. */
const WAY_MS: Ms = 1;
const IP = "127.0.0.1";

/** The points at which a benchmark may observe or replace traffic. */
export interface MemoryTransportOptions {
  /** Called inside {@link Transport.request}, just after the signed bytes have been handed over. */
  readonly onRequest?: (request: HttpRequest) => void;
  /** Called when a stream is opened, with the handlers of its messages. */
  readonly onOpen?: (path: string, handlers: SocketHandlers) => void;
  /** Decides if a message of the exchange's streams reaches the client. */
  readonly passes?: (text: string) => boolean;
}

/** The embedded exchange reached through memory, on one clock, over a network without faults. */
export class MemoryTransport implements Transport {
  readonly #exchange: EmbeddedExchange;
  readonly #clock: Clock;
  readonly #hooks: MemoryTransportOptions;
  readonly #closers = new Set<(reason: string) => void>();

  constructor(exchange: EmbeddedExchange, clock: Clock, hooks: MemoryTransportOptions = {}) {
    this.#exchange = exchange;
    this.#clock = clock;
    this.#hooks = hooks;
  }

  request(request: HttpRequest, done: (result: HttpResult) => void): void {
    this.#hooks.onRequest?.(request);
    this.#after(() => {
      const result = this.#deliver(request);
      this.#after(() => done(result));
    });
  }

  open(path: string, handlers: SocketHandlers): Socket {
    this.#hooks.onOpen?.(path, handlers);
    let connection: { receive(text: string): void; pong(): void; closed(): void } | undefined;
    let isClosed = false;
    const close = (reason: string): void => {
      if (isClosed) return;
      isClosed = true;
      this.#closers.delete(close);
      connection?.closed();
      this.#after(() => handlers.onClose(reason));
    };
    this.#closers.add(close);
    const whileOpen = (run: () => void): void => {
      this.#after(() => {
        if (!isClosed) run();
      });
    };
    whileOpen(() => {
      const answer = this.#exchange.connect(
        path,
        {
          send: (text) => {
            if (this.#hooks.passes?.(text) !== false) whileOpen(() => handlers.onMessage(text));
          },
          ping: () =>
            whileOpen(() => {
              handlers.onPing();
              connection?.pong();
            }),
          // The bot's streams do not request compression.
          sendBytes: () => {},
          close: (code, reason) => close(`${code} ${reason}`),
          terminate: () => close("cut off"),
          bufferedBytes: () => 0,
        },
        IP,
      );
      if ("refused" in answer)
        return close(`refused: ${answer.refused.status} ${answer.refused.body}`);
      connection = answer;
      handlers.onOpen();
    });
    return { send: (text) => whileOpen(() => connection?.receive(text)), close };
  }

  close(): void {
    for (const close of [...this.#closers]) close("closed by the client");
  }

  #after(run: () => void): Timer {
    return this.#clock.setTimer(WAY_MS, run);
  }

  #deliver({ method, path, params }: HttpRequest): HttpResult {
    const isPost = method === "POST";
    const answer = this.#exchange.handle({
      method,
      path,
      query: isPost ? "" : params,
      body: isPost ? params : "",
      ...(isPost ? { contentType: "application/x-www-form-urlencoded" } : {}),
      ip: IP,
    });
    return { ok: true, status: answer.status, body: answer.body, retryAfterMs: undefined };
  }
}
