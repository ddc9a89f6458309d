import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import type {
  HttpRequest,
  HttpResult,
  Socket,
  SocketHandlers,
  Transport,
} from "../exchange/rest/transport.js";
import { answerAt, type ExchangeDoor } from "./exchange-door.js";
import type { FaultKind, FaultSource, StrikingFault } from "./faults.js";
import { plainReader } from "./plain-reader.js";

/**
 * Receives the events of a network: books that reached the bot, and places that the exchange
 * accepted or refused.
 */
export interface NetworkWitness {
  readonly bookSeenAtMs: Map<string, Ms>;
  /** A place with this `info` is decided: accepted, refused, or it will never arrive. */
  delivered(info: string): void;
  /** A request was refused before a byte was sent. */
  refused?(request: HttpRequest): void;
  /** A stream's frame, or an answer of REST, reached the client. */
  received?(text: string): void;
}

/** The fault of a kind that strikes one request or frame now. */
type Striking = (kind: FaultKind) => StrikingFault | undefined;

/** The name of a frame's stream is within its first characters. */
const NAME_WITHIN = 200;

interface OpenSocket {
  close(reason: string): void;
}

/**
 * A transport to the real exchange in this process, in virtual time. By the seed it loses, delays,
 * repeats and reorders messages. Each process (the bot, the guard) has its own instance.
 */
export class FaultyNetwork implements Transport {
  /**
   * While true every request fails before a byte is sent, and no websocket opens: the exchange is
   * stopped.
   */
  down = false;
  readonly #door: ExchangeDoor;
  readonly #clock: Clock;
  readonly #faults: FaultSource;
  readonly #ip: string;
  readonly #sockets = new Set<OpenSocket>();
  #cut = false;

  readonly #witness: NetworkWitness | undefined;

  constructor(
    door: ExchangeDoor,
    clock: Clock,
    faults: FaultSource,
    ip: string,
    witness?: NetworkWitness,
  ) {
    this.#witness = witness;
    this.#door = door;
    this.#clock = clock;
    this.#faults = faults;
    this.#ip = ip;
  }

  /** The process of this network has died: its requests get no answer, its sockets close. */
  cut(): void {
    this.#cut = true;
    for (const socket of [...this.#sockets]) socket.close("process gone");
  }

  dropStreams(reason: string): void {
    for (const socket of [...this.#sockets]) socket.close(reason);
  }

  request(request: HttpRequest, done: (result: HttpResult) => void): void {
    let answered = false;
    let timeout: Timer | undefined;
    const answer = (result: HttpResult): void => {
      if (answered || this.#cut) return;
      answered = true;
      timeout?.cancel();
      if (result.ok) this.#witness?.received?.(result.body);
      done(result);
    };
    if (this.down) {
      this.#noteDecided(request);
      this.#witness?.refused?.(request);
      this.#clock.setTimer(1, () =>
        answer({ ok: false, cause: "connection-lost", sent: false, message: "connection refused" }),
      );
      return;
    }
    timeout = this.#clock.setTimer(request.timeoutMs, () =>
      answer({
        ok: false,
        cause: "timeout",
        sent: true,
        message: `no answer within ${request.timeoutMs} ms`,
      }),
    );
    const faults = this.#faults;
    const subject = `${request.method} ${request.path.replace(/^\/v\d+(?=\/)/, "")}`;
    const nth = faults.pass(subject);
    const strike: Striking = (kind) => faults.strike(kind, this.#clock.nowMs(), subject, nth);
    const reset = strike("connection-lost");
    if (reset !== undefined) {
      const arrives = reset.half();
      this.#clock.setTimer(3, () => {
        if (arrives) this.#deliver(request);
        answer({ ok: false, cause: "connection-lost", sent: true, message: "connection reset" });
      });
      return;
    }
    if (strike("request-lost") !== undefined) return;
    const upMs = strike("request-delayed")?.delayMs(50, 9_000) ?? faults.delayMs(1, 12);
    const repetition = strike("request-duplicated");
    this.#clock.setTimer(upMs, () => {
      const storm = stormIn(strike);
      if (storm !== undefined) {
        this.#clock.setTimer(faults.delayMs(1, 12), () => answer(storm.result));
        if (storm.processed) this.#deliver(request);
        else if (storm.isRefusal) this.#noteDecided(request);
        return;
      }
      const first = this.#deliver(request);
      const answerLater = (result: HttpResult): void => this.#answerLater(result, strike, answer);
      if (repetition !== undefined) this.#repeat(request, first, repetition, answerLater);
      else answerLater(first);
    });
  }

  open(path: string, handlers: SocketHandlers): Socket {
    let closed = false;
    let opened = false;
    let held: string | undefined;
    let lateSnapshots: string[] = [];
    let connection: { receive(text: string): void; pong(): void; closed(): void } | undefined;
    const finish = (reason: string): void => {
      if (closed) return;
      closed = true;
      this.#sockets.delete(self);
      connection?.closed();
      if (!this.#cut) this.#clock.setTimer(1, () => handlers.onClose(reason));
    };
    const self: OpenSocket = { close: finish };
    this.#sockets.add(self);
    const deliver = (text: string): void => {
      this.#clock.setTimer(3, () => {
        if (closed || this.#cut) return;
        this.#noteBook(text);
        this.#witness?.received?.(text);
        handlers.onMessage(text);
      });
    };
    const send = (text: string): void => {
      if (closed || this.#cut) return;
      if (text === "ping" || text === "pong") return deliver(text);
      const subject = /"stream":"([^"]*)"/.exec(text.slice(0, NAME_WITHIN))?.[1] ?? path;
      const nth = this.#faults.pass(subject);
      const strike: Striking = (kind) =>
        this.#faults.strike(kind, this.#clock.nowMs(), subject, nth);
      if (strike("stream-dropped") !== undefined) return finish("connection reset");
      if (strike("stream-stalled") !== undefined || strike("frame-lost") !== undefined) return;
      const late = text.includes('"snapshot"') ? strike("snapshot-late") : undefined;
      if (late !== undefined) {
        lateSnapshots.push(text);
        this.#clock.setTimer(late.delayMs(20, 400), () => {
          for (const held of lateSnapshots) deliver(held);
          lateSnapshots = [];
        });
        return;
      }
      if (held !== undefined) {
        const earlier = held;
        held = undefined;
        deliver(text);
        deliver(earlier);
        return;
      }
      if (strike("frames-swapped") !== undefined) {
        held = text;
        return;
      }
      deliver(text);
      if (strike("frame-repeated") !== undefined) deliver(text);
    };
    this.#clock.setTimer(this.#faults.delayMs(2, 30), () => {
      if (closed || this.#cut) return;
      if (this.down) return finish("connection refused");
      const answer = this.#door.connect(
        path,
        plainReader({
          send,
          ping: () => {
            this.#clock.setTimer(2, () => {
              if (closed || this.#cut) return;
              handlers.onPing();
              connection?.pong();
            });
          },
          close: (code, reason) => finish(`closed by the exchange: ${code} ${reason}`),
        }),
      );
      if ("refused" in answer)
        return finish(`refused: ${answer.refused.status} ${answer.refused.body}`);
      connection = answer;
      opened = true;
      handlers.onOpen();
    });
    return {
      send: (text) => {
        if (closed || !opened) return;
        this.#clock.setTimer(2, () => {
          if (!closed && !this.down) connection?.receive(text);
        });
      },
      close: finish,
    };
  }

  close(): void {
    this.dropStreams("closed by the client");
  }

  #noteBook(text: string): void {
    const match =
      this.#witness === undefined ? null : /"stream":"([a-z0-9]+)@orderbook"/.exec(text);
    if (match?.[1] !== undefined) this.#witness?.bookSeenAtMs.set(match[1], this.#clock.nowMs());
  }

  #deliver(request: HttpRequest): HttpResult {
    if (this.down)
      return { ok: false, cause: "connection-lost", sent: true, message: "connection reset" };
    const answer = answerAt(this.#door, request, this.#ip);
    this.#noteDecided(request);
    if (answer.status === 200 && request.path === "/v1/orderbook") {
      const market = /marketId=([a-z0-9]+)/.exec(request.params)?.[1];
      if (market !== undefined) this.#witness?.bookSeenAtMs.set(market, this.#clock.nowMs());
    }
    return answer;
  }

  /** Notes a place that the exchange has decided, or that will certainly never arrive. */
  #noteDecided(request: HttpRequest): void {
    if (this.#witness === undefined || request.path !== "/v1/order" || request.method !== "POST")
      return;
    const info = /(?:^|&)info=(0x[0-9a-f]+)/.exec(request.params)?.[1];
    if (info !== undefined) this.#witness.delivered(info);
  }

  /**
   * Delivers a request a second time, as a repeating proxy does. The client gets the first answer,
   * or the second one if it shows that the exchange knows the request.
   */
  #repeat(
    request: HttpRequest,
    first: HttpResult,
    repetition: StrikingFault,
    answerLater: (result: HttpResult) => void,
  ): void {
    // A request that the rate limit refused was not examined and is not repeated: a client may rely
    // on a 429.
    if (first.ok && (first.status === 429 || first.status === 418)) return answerLater(first);
    const secondAnswers = repetition.half();
    if (!secondAnswers) answerLater(first);
    this.#clock.setTimer(repetition.delayMs(1, 1_500), () => {
      const second = this.#deliver(request);
      if (!secondAnswers) return;
      const known = second.ok && (second.status < 400 || /"code":(2016|2011)\b/.test(second.body));
      answerLater(known ? second : first);
    });
  }

  #answerLater(result: HttpResult, strike: Striking, answer: (result: HttpResult) => void): void {
    if (strike("answer-lost") !== undefined) return;
    const downMs = strike("answer-delayed")?.delayMs(50, 6_000) ?? this.#faults.delayMs(1, 12);
    this.#clock.setTimer(downMs, () => answer(result));
  }
}

function stormIn(
  strike: Striking,
):
  | { readonly result: HttpResult; readonly processed: boolean; readonly isRefusal: boolean }
  | undefined {
  if (strike("storm-429") !== undefined)
    return { result: refusal(429, 1_000), processed: false, isRefusal: true };
  if (strike("storm-418") !== undefined)
    return { result: refusal(418, 3_000), processed: false, isRefusal: true };
  const error = strike("storm-5xx");
  return error && { result: refusal(503, undefined), processed: error.half(), isRefusal: false };
}

function refusal(status: number, retryAfterMs: Ms | undefined): HttpResult {
  return { ok: true, status, body: "", retryAfterMs };
}
