import type { CcxtClient, CcxtExchange } from "../../ccxt/ccxt-exchange.js";
import { protectSecret } from "../../core/crypto/secrets.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { ReconnectPauses, type ReconnectTimings } from "../../core/runtime/reconnect-pauses.js";
import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import { MINUTE_MS, type Ms } from "../../core/units.js";
import type { SocketListener } from "./create-hedge-exchange.js";

/** Times of {@link HedgeStreams}. */
export interface HedgeStreamTimings extends ReconnectTimings {
  /** Time limit of opening both websockets. */
  readonly openingMs: Ms;
  /** How often each websocket is pinged. */
  readonly pingMs: Ms;
  /** Silence of a websocket, pongs included, after which it counts as dead. */
  readonly silenceMs: Ms;
  /** How often the life of the listen key is extended. */
  readonly listenKeyMs: Ms;
  /** How often a contract whose touch is silent is compared by REST. */
  readonly touchEveryMs: Ms;
  /** How long a touch that differs there may lack on the stream. */
  readonly touchGraceMs: Ms;
}

/** The exchange bans clients that reconnect in a hurry; a listen key lives for an hour. */
export const HEDGE_STREAM_TIMINGS: HedgeStreamTimings = {
  reconnectMinMs: 500,
  reconnectMaxMs: 30_000,
  stableAfterMs: 10_000,
  openingMs: 10_000,
  pingMs: 5_000,
  silenceMs: 15_000,
  listenKeyMs: 20 * MINUTE_MS,
  touchEveryMs: 10_000,
  touchGraceMs: 2_000,
};

/** Dependencies of {@link HedgeStreams}. */
export interface HedgeStreamsDeps {
  readonly runtime: Runtime;
  readonly exchange: () => CcxtExchange;
  readonly timings: HedgeStreamTimings;
  /** Creates the listen key, or extends the life of the present one. @throws RunError if refused */
  readonly listenKey: () => Promise<string>;
  readonly userUrl: (listenKey: string) => string;
  readonly marketUrl: () => string;
  readonly onUp: () => void;
  readonly onDown: (reason: string) => void;
  readonly onUser: (message: unknown) => void;
  readonly onMarket: (message: unknown) => void;
}

/** One websocket of a connection. */
interface Link {
  readonly onMessage: (message: unknown) => void;
  isOpen: boolean;
  heardMs: number;
}

/** Both websockets from one attempt to open them to the next. */
interface Connection {
  readonly listenKey: string;
  readonly links: ReadonlyMap<CcxtClient, Link>;
}

/**
 * The user stream and the stream of touches, on a websocket each. They are up together and down
 * together: if one of them fails, falls silent, or the listen key ends, both are closed and opened
 * again after a growing pause.
 */
export class HedgeStreams implements SocketListener {
  readonly #deps: HedgeStreamsDeps;
  readonly #pauses: ReconnectPauses;
  #connection: Connection | undefined;
  /** Distinguishes the attempts, so that a late answer to an earlier one changes nothing. */
  #attempt = 0;
  #timers: Timer[] = [];
  #isClosed = false;

  constructor(deps: HedgeStreamsDeps) {
    this.#deps = deps;
    this.#pauses = new ReconnectPauses(deps.timings, deps.runtime);
  }

  /** Opens both; they are opened again whenever they fail, until {@link close}. */
  start(): void {
    const attempt = ++this.#attempt;
    const { openingMs } = this.#deps.timings;
    this.#after(openingMs, () => this.fail(`did not open within ${openingMs} ms`));
    this.#open(attempt).catch((error: unknown) => {
      if (attempt === this.#attempt) this.fail(describeThrown(error));
    });
  }

  /** Closes both, and opens them again after a pause. */
  fail(reason: string): void {
    if (this.#isClosed) return;
    this.#end();
    this.#pauses.onFailure();
    this.#after(this.#pauses.nextMs(), () => this.start());
    this.#deps.onDown(reason);
  }

  /** Ends both websockets and every timer at once. */
  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  onOpen(client: CcxtClient): void {
    const link = this.#connection?.links.get(client);
    if (link === undefined) return;
    link.isOpen = true;
    this.#hear(link);
    for (const event of ["ping", "pong"] as const)
      client.connection?.on?.(event, () => this.#hear(link));
    if (![...(this.#connection?.links.values() ?? [])].every(({ isOpen }) => isOpen)) return;
    this.#cancelTimers();
    this.#pauses.onUp();
    this.#ping();
    this.#renewListenKey();
    this.#deps.onUp();
  }

  onMessage(client: CcxtClient, message: unknown): void {
    const link = this.#connection?.links.get(client);
    if (link === undefined) return;
    this.#hear(link);
    link.onMessage(message);
  }

  onDown(client: CcxtClient, reason: string): void {
    if (this.#connection?.links.has(client)) this.fail(reason);
  }

  async #open(attempt: number): Promise<void> {
    const { listenKey, userUrl, marketUrl, onUser, onMarket } = this.#deps;
    const key = await listenKey();
    protectSecret(key);
    if (attempt !== this.#attempt) return;
    const exchange = this.#deps.exchange();
    const heardMs = this.#nowMs();
    const links = new Map<CcxtClient, Link>([
      [exchange.client(userUrl(key)), { onMessage: onUser, isOpen: false, heardMs }],
      [exchange.client(marketUrl()), { onMessage: onMarket, isOpen: false, heardMs }],
    ]);
    this.#connection = { listenKey: key, links };
    for (const client of links.keys()) void client.connect();
  }

  /** Pings both, and fails if one of them has been silent for too long. */
  #ping(): void {
    const { pingMs, silenceMs } = this.#deps.timings;
    this.#after(pingMs, () => {
      for (const [client, { heardMs }] of this.#connection?.links ?? []) {
        if (this.#nowMs() - heardMs > silenceMs)
          return this.fail(`nothing arrived for ${silenceMs / 1000} s`);
        client.connection?.ping?.();
      }
      this.#ping();
    });
  }

  #renewListenKey(): void {
    const { timings, listenKey } = this.#deps;
    const attempt = this.#attempt;
    this.#after(timings.listenKeyMs, () => {
      listenKey().then(
        (key) => {
          if (attempt !== this.#attempt) return;
          if (key === this.#connection?.listenKey) this.#renewListenKey();
          else this.fail("the listen key had ended");
        },
        // The exchange reports the end of the key, and two more extensions follow before it.
        () => {
          if (attempt === this.#attempt) this.#renewListenKey();
        },
      );
    });
  }

  #end(): void {
    this.#attempt += 1;
    this.#cancelTimers();
    const { clients = {} } = this.#deps.exchange();
    const links = this.#connection?.links;
    this.#connection = undefined;
    for (const client of links?.keys() ?? []) {
      client.reset(new Error("closed"));
      client.connection?.terminate?.();
      // ccxt keeps a websocket by its address, which may be that of the next one.
      for (const [url, known] of Object.entries(clients)) if (known === client) delete clients[url];
    }
  }

  #hear(link: Link): void {
    link.heardMs = this.#nowMs();
  }

  #nowMs(): number {
    return this.#deps.runtime.clock.monotonicMs();
  }

  #after(delayMs: Ms, act: () => void): void {
    const timer = this.#deps.runtime.clock.setTimer(delayMs, () => {
      this.#timers = this.#timers.filter((held) => held !== timer);
      act();
    });
    this.#timers.push(timer);
  }

  #cancelTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
  }
}
