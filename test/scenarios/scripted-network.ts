import type { Clock, Timer } from "#core/runtime.js";
import type { Ms } from "#core/units.js";
import { OPERATIONS, type OperationName } from "#exchange/operations.js";
import type {
  HttpRequest,
  HttpResult,
  Socket,
  SocketHandlers,
  Transport,
} from "#exchange/transport.js";
import { answerAt, type ExchangeDoor } from "#simulation/exchange-door.js";
import { plainReader } from "#simulation/plain-reader.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { Fate, SentRequest } from "./fates.js";

/** The two kinds of stream that a bot keeps open. */
export type StreamKind = "market" | "account";

interface Scripted {
  readonly what: OperationName;
  readonly fate: Fate;
  readonly once: boolean;
  /** Of this market alone; of all when undefined. */
  readonly marketId: string | undefined;
}

interface OpenStream {
  readonly kind: StreamKind;
  readonly hand: (text: string, delayMs: Ms) => void;
  readonly close: (reason: string) => void;
}

const HOP_MS = 2;
const MOST_FRAMES = 300;

/** A network that does what the story says, and is perfect otherwise: two milliseconds each way. */
export class ScriptedNetwork implements Transport {
  readonly sent: SentRequest[] = [];
  /**
   * The newest frames that the exchange sent, as they were: at most a few hundred of each stream.
   */
  readonly frames: Record<StreamKind, string[]> = { market: [], account: [] };
  /** No connection at all. */
  down = false;
  /** Called after the exchange has worked on a request or a frame was handed over. */
  afterEvent: () => void = () => {};
  readonly #exchange: EmbeddedExchange;
  readonly #clock: Clock;
  readonly #ip: string;
  #script: Scripted[] = [];
  readonly #streams = new Set<OpenStream>();
  readonly #stalled = new Set<StreamKind>();
  readonly #closedKinds = new Set<StreamKind>();
  #framesToLose: RegExp[] = [];
  #snapshotDelayMs: Ms = 0;
  readonly #late: Record<StreamKind, { byMs: Ms; lastAtMs: Ms }> = {
    market: { byMs: 0, lastAtMs: 0 },
    account: { byMs: 0, lastAtMs: 0 },
  };
  #rewrite: (text: string) => string = (text) => text;
  #swapping: RegExp | undefined;
  #swapped: string | undefined;
  #cut = false;

  constructor(exchange: EmbeddedExchange, clock: Clock, ip: string) {
    this.#exchange = exchange;
    this.#clock = clock;
    this.#ip = ip;
  }

  /** Sets the fate of the next request of a kind. */
  next(what: OperationName, fate: Fate): void {
    this.#script.push({ what, fate, once: true, marketId: undefined });
  }

  /**
   * Sets the fate of every request of a kind, in one market or in all, until the returned function
   * ends it.
   */
  every(what: OperationName, fate: Fate, marketId?: string): () => void {
    const scripted = { what, fate, once: false, marketId };
    this.#script.push(scripted);
    return () => {
      this.#script = this.#script.filter((other) => other !== scripted);
    };
  }

  /** Connections of a kind break; they may be opened again at once. */
  drop(kind: StreamKind, reason = "connection reset"): void {
    for (const stream of [...this.#streams]) if (stream.kind === kind) stream.close(reason);
  }

  /** Connections of a kind break and none opens until {@link restore}. */
  keepDown(kind: StreamKind): void {
    this.#closedKinds.add(kind);
    this.drop(kind);
  }

  restore(kind: StreamKind): void {
    this.#closedKinds.delete(kind);
    this.#stalled.delete(kind);
  }

  /** The connection stays open and pings go on; no data arrives. */
  stall(kind: StreamKind): void {
    this.#stalled.add(kind);
  }

  /** The next frame that looks like this is lost. */
  loseFrame(looksLike: RegExp): void {
    this.#framesToLose.push(looksLike);
  }

  /** Book snapshots come so much later than what follows them; 0 ends it. */
  delaySnapshots(byMs: Ms): void {
    this.#snapshotDelayMs = byMs;
  }

  /**
   * Everything of a kind of stream comes so much later, in order, as on a line that is full; 0 ends
   * it.
   */
  delayStream(kind: StreamKind, byMs: Ms): void {
    this.#late[kind].byMs = byMs;
  }

  /** The next two frames that look like this change places. */
  swapFrames(looksLike: RegExp): void {
    this.#swapping = looksLike;
  }

  /** The market streams' frames come changed from now on. */
  rewriteFrames(rewrite: (text: string) => string): void {
    this.#rewrite = rewrite;
  }

  /** A frame that the exchange never sent. False when no such stream is open. */
  inject(kind: StreamKind, text: string): boolean {
    const stream = [...this.#streams].find((open) => open.kind === kind);
    stream?.hand(text, 1);
    return stream !== undefined;
  }

  /** Requests of a kind, oldest first. */
  sentOf(what: OperationName): readonly SentRequest[] {
    return this.sent.filter((request) => request.what === what);
  }

  /** The process behind this network is gone: nothing that it began is answered. */
  cut(): void {
    this.#cut = true;
    for (const stream of [...this.#streams]) stream.close("process gone");
  }

  close(): void {
    for (const stream of [...this.#streams]) stream.close("closed by the client");
  }

  /** The exchange as this network shows it, for what is read before a bot runs. */
  get door(): ExchangeDoor {
    return {
      connect: (path, sink, ip) => this.#exchange.connect(path, sink, ip),
      handle: (request) => {
        const answer = this.#exchange.handle(request);
        const rewritten = this.#script.find(
          ({ what, fate }) => OPERATIONS[what].path === request.path && fate.is === "rewritten",
        )?.fate;
        return rewritten?.is === "rewritten"
          ? { ...answer, body: rewritten.body(answer.body) }
          : answer;
      },
    };
  }

  request(request: HttpRequest, done: (result: HttpResult) => void): void {
    const what = operationOf(request);
    const record: SentRequest = {
      atMs: this.#clock.nowMs(),
      what,
      params: new URLSearchParams(request.params),
      status: undefined,
    };
    this.sent.push(record);
    let answered = false;
    let timeout: Timer | undefined;
    const answer = (result: HttpResult, delayMs: Ms): void => {
      this.#clock.setTimer(delayMs, () => {
        if (answered || this.#cut) return;
        answered = true;
        timeout?.cancel();
        done(result);
        this.afterEvent();
      });
    };
    if (this.down)
      return answer(
        { ok: false, cause: "connection-lost", sent: false, message: "connection refused" },
        1,
      );
    timeout = this.#clock.setTimer(request.timeoutMs, () =>
      answer(
        {
          ok: false,
          cause: "timeout",
          sent: true,
          message: `no answer within ${request.timeoutMs} ms`,
        },
        0,
      ),
    );
    const fate = this.#fateOf(what, record.params.get("marketId"));
    if (fate?.is === "request lost") return;
    this.#clock.setTimer(fate?.is === "request late" ? fate.byMs : HOP_MS, () =>
      this.#arrive(request, record, fate, answer),
    );
  }

  open(path: string, handlers: SocketHandlers): Socket {
    const kind: StreamKind = path.startsWith("/v1/multiple") ? "market" : "account";
    let closed = false;
    let connection: { receive(text: string): void; pong(): void; closed(): void } | undefined;
    const close = (reason: string): void => {
      if (closed) return;
      closed = true;
      this.#streams.delete(stream);
      connection?.closed();
      if (!this.#cut) this.#clock.setTimer(1, () => handlers.onClose(reason));
    };
    const hand = (text: string, delayMs: Ms): void => {
      const late = this.#late[kind];
      const nowMs = this.#clock.monotonicMs();
      if (late.byMs > 0 || nowMs + delayMs < late.lastAtMs)
        late.lastAtMs = Math.max(late.lastAtMs, nowMs + delayMs + late.byMs);
      this.#clock.setTimer(Math.max(delayMs, late.lastAtMs - nowMs), () => {
        if (closed) return;
        handlers.onMessage(kind === "market" ? this.#rewrite(text) : text);
        this.afterEvent();
      });
    };
    const stream: OpenStream = { kind, hand, close };
    this.#clock.setTimer(HOP_MS, () => {
      if (closed || this.#cut) return;
      if (this.down || this.#closedKinds.has(kind)) return close("connection refused");
      const answer = this.#exchange.connect(
        path,
        plainReader({
          send: (text) => {
            if (!closed) this.#frame(stream, text);
          },
          ping: () => {
            this.#clock.setTimer(HOP_MS, () => {
              if (closed) return;
              handlers.onPing();
              connection?.pong();
            });
          },
          close: (code, reason) => close(`closed by the exchange: ${code} ${reason}`),
        }),
      );
      if ("refused" in answer)
        return close(`refused: ${answer.refused.status} ${answer.refused.body}`);
      connection = answer;
      this.#streams.add(stream);
      handlers.onOpen();
    });
    return {
      send: (text) => {
        this.#clock.setTimer(HOP_MS, () => {
          if (!closed) connection?.receive(text);
        });
      },
      close,
    };
  }

  #frame(stream: OpenStream, text: string): void {
    if (text === "ping" || text === "pong") return stream.hand(text, HOP_MS);
    this.frames[stream.kind].push(text);
    if (this.frames[stream.kind].length > MOST_FRAMES) this.frames[stream.kind].shift();
    if (this.#stalled.has(stream.kind)) return;
    const lost = this.#framesToLose.findIndex((looksLike) => looksLike.test(text));
    if (lost >= 0) {
      this.#framesToLose.splice(lost, 1);
      return;
    }
    if (this.#swapping?.test(text)) {
      if (this.#swapped === undefined) {
        this.#swapped = text;
        return;
      }
      stream.hand(text, HOP_MS);
      stream.hand(this.#swapped, HOP_MS);
      this.#swapping = undefined;
      this.#swapped = undefined;
      return;
    }
    stream.hand(text, HOP_MS + (text.includes('"event":"snapshot"') ? this.#snapshotDelayMs : 0));
  }

  #fateOf(what: OperationName, marketId: string | null): Fate | undefined {
    const found = this.#script.find(
      (scripted) => scripted.what === what && (scripted.marketId ?? marketId) === marketId,
    );
    if (found?.once) this.#script.splice(this.#script.indexOf(found), 1);
    return found?.fate;
  }

  #arrive(
    request: HttpRequest,
    record: SentRequest,
    fate: Fate | undefined,
    answer: (result: HttpResult, delayMs: Ms) => void,
  ): void {
    if (fate?.is === "answered by a wall") {
      const { status, body, retryAfterMs, arrives } = fate;
      if (arrives === true) this.#ask(request, record);
      return answer({ ok: true, status, body, retryAfterMs }, HOP_MS);
    }
    const result = this.#ask(request, record);
    switch (fate?.is) {
      case "answer lost":
        return;
      case "answer late":
        return answer(result, fate.byMs);
      case "sent twice":
        return answer(this.#ask(request, record), HOP_MS);
      case "rewritten":
        return answer({ ...result, body: fate.body(result.body) }, HOP_MS);
      default:
        return answer(result, HOP_MS);
    }
  }

  #ask(request: HttpRequest, record: SentRequest): Extract<HttpResult, { ok: true }> {
    const answer = answerAt(this.#exchange, request, this.#ip);
    record.status = answer.status;
    this.afterEvent();
    return answer;
  }
}

function operationOf({ method, path }: HttpRequest): OperationName {
  const found = Object.values(OPERATIONS).find(
    (operation) => operation.method === method && operation.path === path,
  );
  if (found === undefined) throw new Error(`no operation is ${method} ${path}`);
  return found.name;
}
