import { afterEach } from "vitest";
import { WebSocket } from "ws";
import type { VirtualClock } from "#core/virtual-clock.js";
import type { ExchangeConfigInput } from "#simulator/config.js";
import type { EmbeddedExchange, ExchangeOptions } from "#simulator/exchange.js";
import type { FlowMarket } from "#simulator/flow-market.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import {
  type Answer,
  encode,
  KEYS,
  namedSignatures,
  type PlaceOptions,
  ReferenceClient,
  virtualExchange,
} from "../../simulator/reference-client.js";

export type Side = "BUY" | "SELL";
export type Fields = Readonly<Record<string, string | undefined>>;
/** How a POST carries its parameters. */
export type Carrier = "query" | "form" | "json";

/**
 * An exchange in virtual time on a real port, with three registered accounts that talk to it over
 * HTTP.
 */
export interface World {
  readonly exchange: EmbeddedExchange;
  readonly clock: VirtualClock;
  readonly server: ExchangeServer;
  readonly alice: Trader;
  readonly bob: Trader;
  readonly carol: Trader;
  /** Sets btcusdc's index and mark, in whole quote. Only of a world with `steadyMark`. */
  readonly setMark: (quote: number) => void;
}

/** The options of a world besides the exchange's configuration. */
export interface WorldOptions extends ExchangeOptions {
  /** True when only the test sets btcusdc's mark; 30,000 at first. */
  readonly steadyMark?: boolean;
  /** False leaves the accounts unregistered. */
  readonly registered?: boolean;
  /** Signatures that cost nothing, for histories of hundreds of orders. */
  readonly named?: boolean;
}

type Opened = { close(): Promise<void> };

/** Gives the worlds of one test file; each is closed after its test. */
export function worlds(): (
  config?: Partial<ExchangeConfigInput>,
  options?: WorldOptions,
) => Promise<World> {
  const opened: Opened[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });
  return async (
    config = {},
    { steadyMark = false, registered = true, named = false, ...options } = {},
  ) => {
    let flow: FlowMarket | undefined;
    const flowOf: ExchangeOptions["createFlow"] = (marketId) =>
      marketId === "btcusdc" ? { start: (market) => (flow = market), stop: () => {} } : null;
    const { exchange, clock } = virtualExchange(
      { port: 0, ...config, choices: { waiveGasFeeMinimumAmount: "0", ...config.choices } },
      {
        ...(steadyMark ? { createFlow: flowOf } : {}),
        ...(named ? { scheme: namedSignatures } : {}),
        ...options,
      },
    );
    const server = await serveExchange(exchange);
    const setMark = (quote: number) => flow?.setReference(quote * 10, quote * 10);
    if (steadyMark) setMark(30_000);
    const traders = KEYS.map(
      (key) =>
        new Trader(
          new ReferenceClient(exchange, () => clock.nowMs(), key, "127.0.0.1", named),
          server,
        ),
    );
    opened.push({
      close: () =>
        Promise.all(traders.map((trader) => trader.closeStreams())).then(() => server.close()),
    });
    for (const trader of registered ? traders : []) await trader.register();
    const [alice, bob, carol] = traders as [Trader, Trader, Trader];
    return { exchange, clock, server, alice, bob, carol, setMark };
  };
}

/**
 * One account over real HTTP and websockets, with requests built and signed by the reference
 * client.
 */
export class Trader {
  readonly #streams: Reader[] = [];

  constructor(
    readonly reference: ReferenceClient,
    readonly server: ExchangeServer,
  ) {}

  get address(): string {
    return this.reference.address;
  }

  /** Sends a request unchanged, `path` from the version prefix on. */
  async send(
    method: string,
    path: string,
    query = "",
    body?: string,
    contentType?: string,
  ): Promise<Answer> {
    const url = `${this.server.restUrl.replace(/\/v1$/, "")}${path}${query === "" ? "" : `?${query}`}`;
    const response = await fetch(url, {
      method,
      ...(body === undefined
        ? {}
        : {
            body,
            headers: { "content-type": contentType ?? "application/x-www-form-urlencoded" },
          }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text,
      json: text === "" ? undefined : JSON.parse(text),
      headers: Object.fromEntries(response.headers.entries()),
    };
  }

  /** An unsigned GET. */
  read(path: string, fields: Fields = {}): Promise<Answer> {
    return this.send("GET", path, encode(present(fields)));
  }

  /** A signed request, its parameters where the method has them. */
  call(
    method: string,
    path: string,
    fields: Fields = {},
    carrier: Carrier = "form",
  ): Promise<Answer> {
    return this.deliver(method, path, this.reference.signed(fields), carrier);
  }

  /** A request with exactly these parameters. */
  deliver(
    method: string,
    path: string,
    fields: Readonly<Record<string, string>>,
    carrier: Carrier = "form",
  ): Promise<Answer> {
    if (method !== "POST" || carrier === "query") return this.send(method, path, encode(fields));
    return carrier === "form"
      ? this.send(method, path, "", encode(fields))
      : this.send(method, path, "", JSON.stringify(fields), "application/json");
  }

  async register(): Promise<this> {
    const { status, body } = await this.call("POST", "/v1/account");
    if (status !== 200) throw new Error(body);
    return this;
  }

  /** A locally built and signed order, sent. */
  place(side: Side, price: string, amount: string, options: PlaceOptions = {}): Promise<Answer> {
    return this.call("POST", "/v1/order", this.reference.order(side, price, amount, options));
  }

  cancel(id: number | string, marketId = "btcusdc"): Promise<Answer> {
    return this.call("DELETE", "/v1/order", { marketId, orderId: String(id) });
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
  async ask(path: string, fields: Fields = {}): Promise<any> {
    return (await this.call("GET", path, fields)).json;
  }

  /** Opens a stream, `path` from the version prefix on. */
  async stream(path: string): Promise<Reader> {
    const reader = new Reader(`${this.server.streamUrl}${path}`);
    this.#streams.push(reader);
    await reader.opened;
    return reader;
  }

  /** The path of this account's own stream, signed. */
  accountPath(more = "", fields: Fields = {}): string {
    const { signature, timestamp, account } = this.reference.signed(fields);
    return `/single/account@${account}?timestamp=${timestamp}&signature=${signature}${more}`;
  }

  async closeStreams(): Promise<void> {
    await Promise.all(this.#streams.splice(0).map((reader) => reader.end()));
  }
}

/** Makes two accounts trade: the first named takes. */
export async function trade(
  taker: Trader,
  maker: Trader,
  side: Side,
  price: string,
  amount: string,
  options: PlaceOptions = {},
): Promise<void> {
  for (const answer of [
    await maker.place(side === "BUY" ? "SELL" : "BUY", price, amount, options),
    await taker.place(side, price, amount, options),
  ]) {
    if (answer.status !== 200) throw new Error(answer.body);
  }
}

/** A websocket's frames. */
export class Reader {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly received: string[] = [];
  /** Protocol pings that came. */
  pings = 0;

  constructor(url: string, options: { readonly autoPong?: boolean } = {}) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, ...options });
    this.socket.on("message", (data) => this.received.push(data.toString()));
    this.socket.on("ping", () => {
      this.pings += 1;
    });
    this.opened = new Promise((resolve, reject) => {
      this.socket.once("open", () => resolve());
      this.socket.once("unexpected-response", (request, response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.on("end", () => {
          request.destroy();
          reject(new StreamRefused(response.statusCode ?? 0, body));
        });
      });
      this.socket.once("error", reject);
    });
    this.closed = new Promise((resolve) =>
      this.socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() })),
    );
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /**
   * Waits for whatever the server has sent so far, by the pong that follows it. The ping counts as
   * a message of the client.
   */
  async arrived(): Promise<void> {
    const pong = new Promise((resolve) => this.socket.once("pong", resolve));
    this.socket.ping();
    await pong;
  }

  /** Waits until so many texts have come in all. */
  async texts(count: number): Promise<readonly string[]> {
    while (this.received.length < count)
      await new Promise((resolve) => this.socket.once("message", resolve));
    return this.received;
  }

  /** Everything that came since the last time, parsed, text pings left out. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
  async take(): Promise<any[]> {
    await this.arrived();
    return this.received
      .splice(0)
      .filter((text) => text !== "ping" && text !== "pong")
      .map((text) => JSON.parse(text));
  }

  /** Events of one kind among what came. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async events(event: string): Promise<any[]> {
    return (await this.take()).filter((frame) => frame.event === event);
  }

  async end(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    this.socket.terminate();
    await this.closed;
  }
}

/** A stream that the server refused in HTTP. */
class StreamRefused extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`${status} ${body}`);
  }
}

function present(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
