import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CcxtExchangeClass } from "#ccxt/ccxt-exchange.js";
import { ConfigError, RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { loadOptional } from "#core/optional-part.js";
import {
  CCXT_EXCHANGES,
  type CcxtMarketKind,
  type CcxtStream,
  marketKindOf,
} from "#reference/ccxt-exchanges.js";
import { CcxtSession } from "#reference/ccxt-session.js";
import { createCcxtSource } from "#reference/ccxt-source.js";
import { PublicRequests } from "#reference/public-requests.js";
import { json, LocalServer, until } from "../../exchange/local-server.js";
import { readPage, tableOf } from "../../project/pages.js";
import { IS_CCXT_INSTALLED } from "./ccxt-installed.js";

const runtime = createLiveRuntime();
const PAGE = readPage("docs/reference/reference-sources.md");

/** The methods of ccxt by which a stream is read. */
const METHODS: Readonly<Record<CcxtStream, string>> = {
  touch: "watchBidsAsks",
  book: "watchOrderBook",
  trades: "watchTrades",
};

/** Origins as ccxt writes them where a host name is filled in later. */
const TEMPLATES: Readonly<Record<string, string>> = {
  "wss://stream.bybit.com": "wss://stream.{hostname}",
  "https://api.bybit.com": "https://api.{hostname}",
  "wss://ws.okx.com:8443": "wss://ws.{hostname}:8443",
  "https://www.okx.com": "https://{hostname}",
  "https://api.bitget.com": "https://api.{hostname}",
};

/** A market as ccxt describes one, without an exchange. */
function market(kind: CcxtMarketKind): Record<string, unknown> {
  const quote = kind === "inverse" ? "USD" : "USDT";
  const settle = { spot: undefined, linear: "USDT", inverse: "BTC" }[kind];
  const isSpot = kind === "spot";
  return {
    id: "BTCUSDT",
    symbol: isSpot ? "BTC/USDT" : `BTC/${quote}:${settle}`,
    base: "BTC",
    quote,
    settle,
    baseId: "BTC",
    quoteId: quote,
    settleId: settle,
    type: isSpot ? "spot" : "swap",
    spot: isSpot,
    swap: !isSpot,
    future: false,
    option: false,
    contract: !isSpot,
    linear: kind === "linear",
    inverse: kind === "inverse",
    active: true,
    precision: { price: 0.1, amount: 0.001 },
    limits: {},
    info: { wsname: "BTC/USDT" },
  };
}

describe("the list of exchanges in ccxt", () => {
  it.each([
    [
      "an exchange that is not on it",
      { ccxt: "kucoin" },
      "references.r.ccxt",
      "binanceusdm, bybit",
    ],
    ["a name of the object's own", { ccxt: "constructor" }, "references.r.ccxt", "binanceusdm"],
    [
      "a stream that fails there",
      { ccxt: "kraken", stream: "book" },
      "references.r.stream",
      "touch, trades",
    ],
    [
      "a kind of market that it has not",
      { ccxt: "kraken", symbol: "BTC/USD:BTC" },
      "references.r.symbol",
      "BTC/USDT",
    ],
  ] as const)("refuses %s, and names the list", async (_, wrong, field, listed) => {
    const source = { symbol: "BTC/USDT", stream: "touch" as const, ...wrong };
    const failure = await createCcxtSource(source, { runtime, field: "references.r" }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as ConfigError).field).toBe(field);
    expect((failure as ConfigError).message).toContain(listed);
  });

  it("tells spot, linear and inverse markets by their symbol", () => {
    expect(
      ["BTC/USDT", "BTC/USDT:USDT", "BTC/USD:BTC", "BTC/USDC:USDC-261225"].map(marketKindOf),
    ).toEqual(["spot", "linear", "inverse", "linear"]);
  });

  it("is the table of the page, with every request", () => {
    const code = (text: string): string => `\`${text}\``;
    expect(tableOf(PAGE, "`ccxt`")).toEqual(
      Object.entries(CCXT_EXCHANGES).map(([name, { streams, kinds }]) => [
        code(name),
        streams.map(code).join(", "),
        kinds.join(", "),
      ]),
    );
    expect(tableOf(PAGE, "exchange")).toEqual(
      Object.entries(CCXT_EXCHANGES).flatMap(([name, { requests }]) =>
        requests.map((request) => [code(name), code(request)]),
      ),
    );
  });

  it("allows listed requests alone, and none that could carry a key", () => {
    const requests = new PublicRequests(CCXT_EXCHANGES.binanceusdm.requests);
    const allowed = "https://fapi.binance.com/fapi/v1/exchangeInfo";
    expect(() => requests.check("GET", `${allowed}?symbol=BTCUSDT`, ["User-Agent"])).not.toThrow();
    expect(() => requests.check("WS", "wss://fstream.binance.com/public/ws/3")).not.toThrow();
    for (const [method, address, headers] of [
      ["POST", allowed, []],
      ["GET", "https://fapi.binance.com/fapi/v1/order", []],
      ["GET", "https://fapi.binance.com.evil.test/fapi/v1/exchangeInfo", []],
      ["GET", `${allowed}/more`, []],
      ["GET", `${allowed}?timestamp=1&signature=ab`, []],
      ["GET", `${allowed}?recvWindow=5000`, []],
      ["GET", allowed, ["X-MBX-APIKEY"]],
      ["GET", "https://me:secret@fapi.binance.com/fapi/v1/exchangeInfo", []],
      ["WS", "wss://fstream.binance.com/private/ws", []],
    ] as const)
      expect(() => requests.check(method, address, headers), address).toThrow(RunError);
  });
});

describe.skipIf(!IS_CCXT_INSTALLED)("ccxt in the version of the list", () => {
  let server: LocalServer;
  let classes: Readonly<Record<string, CcxtExchangeClass>>;

  beforeAll(async () => {
    server = await LocalServer.start();
    server.onRequest = (_request, response) => json(response, {});
    const { default: ccxt } = await loadOptional("ccxt");
    classes = ccxt.pro as unknown as typeof classes;
  });
  afterAll(() => server.stop());

  /** Sends an exchange's origins to the server, which finds their hosts in the path. */
  function reroutedOrigins(name: string): Record<string, string> {
    const origins: Record<string, string> = {};
    for (const request of CCXT_EXCHANGES[name].requests) {
      const { origin, host, protocol } = new URL(request.split(" ")[1]);
      const other = `${protocol === "wss:" ? "ws" : "http"}://${server.host}/${host}`;
      origins[origin] = other;
      const template = TEMPLATES[origin];
      if (template !== undefined) origins[template] = other;
    }
    return origins;
  }

  it.each(Object.keys(CCXT_EXCHANGES))("has every listed stream of %s", (name) => {
    const { has } = new classes[name]({});
    for (const stream of CCXT_EXCHANGES[name].streams) expect(has[METHODS[stream]]).toBe(true);
  });

  const streams = Object.entries(CCXT_EXCHANGES).flatMap(([name, entry]) =>
    entry.kinds.flatMap((kind) =>
      entry.streams
        // The kind of market decides the address, and each exchange costs a tenth of a second.
        .filter((stream) => stream === "touch" || kind === entry.kinds[0])
        .map((stream) => [name, kind, stream] as const),
    ),
  );
  it.each(streams)("opens only a listed websocket for %s, %s, %s", async (name, kind, stream) => {
    const entry = CCXT_EXCHANGES[name];
    const before = server.sockets.length;
    const session = new CcxtSession({
      base: classes[name],
      symbol: String(market(kind).symbol),
      stream,
      options: entry.options(kind),
      requests: new PublicRequests(entry.requests, reroutedOrigins(name)),
      market: market(kind),
      onMessage: () => {},
    });
    await session.loadMarket();
    let failure: unknown;
    session.watch().catch((error: unknown) => {
      failure = error;
    });
    await until(() => failure !== undefined || server.sockets.length > before);
    session.close();
    expect(failure).toBeUndefined();
    const [, host, path] = /^\/([^/]+)(\/.*)$/.exec(server.sockets[before].url) ?? [];
    const address = `WS wss://${host}${path}`;
    expect(
      entry.requests.some((listed) =>
        listed.endsWith("*") ? address.startsWith(listed.slice(0, -1)) : address === listed,
      ),
      address,
    ).toBe(true);
  });

  const kinds = Object.entries(CCXT_EXCHANGES).flatMap(([name, entry]) =>
    entry.kinds.map((kind) => [name, kind] as const),
  );
  it.each(kinds)("reads only listed addresses for the markets of %s, %s", async (name, kind) => {
    const entry = CCXT_EXCHANGES[name];
    const before = server.requests.length;
    const session = new CcxtSession({
      base: classes[name],
      symbol: String(market(kind).symbol),
      stream: "touch",
      options: entry.options(kind),
      requests: new PublicRequests(entry.requests, reroutedOrigins(name)),
      market: undefined,
      onMessage: () => {},
    });
    // The server has no markets: the request is all that is of interest.
    await expect(session.loadMarket()).rejects.not.toThrow(/may make/);
    session.close();
    const made = server.requests.slice(before).map(({ method, path }) => {
      const [, host, rest] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
      return `${method} https://${host}${rest}`;
    });
    expect(made.length).toBeGreaterThan(0);
    for (const request of made) expect(entry.requests).toContain(request);
  });
});
