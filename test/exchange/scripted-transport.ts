import type { Clock } from "#core/runtime.js";
import type {
  HttpRequest,
  HttpResult,
  Socket,
  SocketHandlers,
  Transport,
} from "#exchange/transport.js";

/** One socket of a {@link ScriptedTransport}, seen from the server's side. */
export class ScriptedSocket implements Socket {
  readonly path: string;
  readonly received: { readonly atMs: number; readonly text: string }[] = [];
  closedBecause: string | undefined;
  readonly #handlers: SocketHandlers;
  readonly #clock: Clock;

  constructor(path: string, handlers: SocketHandlers, clock: Clock) {
    this.path = path;
    this.#handlers = handlers;
    this.#clock = clock;
  }

  send(text: string): void {
    this.received.push({ atMs: this.#clock.nowMs(), text });
  }

  close(reason: string): void {
    this.closedBecause = reason;
    this.#clock.setTimer(0, () => this.#handlers.onClose(reason));
  }

  accept(): void {
    this.#handlers.onOpen();
  }

  deliver(text: string): void {
    this.#handlers.onMessage(text);
  }

  ping(): void {
    this.#handlers.onPing();
  }

  drop(reason: string): void {
    this.#handlers.onClose(reason);
  }
}

/** A network of which the test is the other end, in virtual time. */
export class ScriptedTransport implements Transport {
  readonly sockets: ScriptedSocket[] = [];
  readonly requests: HttpRequest[] = [];
  /** Accepts each connection after so many milliseconds; undefined leaves them hanging. */
  acceptAfterMs: number | undefined = 1;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  request(request: HttpRequest, done: (result: HttpResult) => void): void {
    this.requests.push(request);
    this.#clock.setTimer(1, () =>
      done({ ok: false, cause: "connection-lost", sent: false, message: "nobody there" }),
    );
  }

  open(path: string, handlers: SocketHandlers): Socket {
    const socket = new ScriptedSocket(path, handlers, this.#clock);
    this.sockets.push(socket);
    if (this.acceptAfterMs !== undefined)
      this.#clock.setTimer(this.acceptAfterMs, () => socket.accept());
    return socket;
  }

  close(): void {}

  /** The newest socket. */
  get socket(): ScriptedSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error("no socket was opened");
    return socket;
  }
}
