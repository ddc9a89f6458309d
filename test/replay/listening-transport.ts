import type {
  HttpRequest,
  HttpResult,
  Socket,
  SocketHandlers,
  Transport,
} from "#exchange/transport.js";

/**
 * Receives every text on its way to a bot: just before the bot takes it, and when the bot has done
 * with it.
 */
export interface TextListener {
  /** @param from path of the request that it answers, or of the stream. */
  before(from: string, text: string): void;
  after(): void;
}

/** A transport that reports its traffic to a listener and changes nothing. */
export class ListeningTransport implements Transport {
  readonly #inner: Transport;
  readonly #listener: TextListener;

  constructor(inner: Transport, listener: TextListener) {
    this.#inner = inner;
    this.#listener = listener;
  }

  request(request: HttpRequest, done: (result: HttpResult) => void): void {
    this.#inner.request(request, (result) => {
      this.#listener.before(request.path, result.ok ? result.body : "");
      done(result);
      this.#listener.after();
    });
  }

  open(path: string, handlers: SocketHandlers): Socket {
    return this.#inner.open(path, {
      onOpen: () => handlers.onOpen(),
      onPing: () => handlers.onPing(),
      onClose: (reason) => handlers.onClose(reason),
      onMessage: (text) => {
        this.#listener.before(path, text);
        handlers.onMessage(text);
        this.#listener.after();
      },
    });
  }

  close(): void {
    this.#inner.close();
  }
}
