import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { FrameDecoder } from "#exchange/frame-decoder.js";
import { MarketStreams } from "#exchange/market-streams.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { formatStreamName } from "#exchange/stream-names.js";
import type { VenueEvent } from "#exchange/venue.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { KEYS, namedSignatures, ReferenceClient } from "../simulator/reference-client.js";
import { until } from "./local-server.js";

const runtime = createLiveRuntime();
const MARKET = "btcusdc";
const GRID = {
  marketId: MARKET,
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
};

let exchange: EmbeddedExchange;
let server: ExchangeServer;
let transport: NetworkTransport;

beforeEach(async () => {
  const streams = { bookIntervalMs: 0, klineIntervalMs: 0 };
  const config = parseExchangeConfig({ port: 0, markets: { [MARKET]: {} }, streams });
  exchange = new EmbeddedExchange(config, runtime, { scheme: namedSignatures });
  server = await serveExchange(exchange);
  transport = new NetworkTransport({
    restUrl: server.restUrl,
    streamUrl: server.streamUrl,
    clock: runtime.clock,
  });
});

afterEach(async () => {
  transport.close();
  await server.close();
});

describe("the client's streams against the embedded exchange", () => {
  it.each([false, true])(
    "bring book, state, trades and candles as typed events, compressed: %s",
    async (zip) => {
      const frames = new FrameDecoder({
        creditDecimals: 6,
        instruments: new Map([[MARKET, new Instrument(GRID)]]),
      });
      const events: VenueEvent[] = [];
      const of = <Type extends VenueEvent["type"]>(type: Type) =>
        events.filter((event) => event.type === type);
      const streams = new MarketStreams({
        transport,
        runtime,
        markets: [MARKET],
        zip,
        onText: (text) => events.push(...frames.multiple(text)),
        onState: () => {},
      });
      streams.subscribe(formatStreamName({ marketId: MARKET, kind: "kline", interval: "1H" }));
      streams.start();
      await until(
        () =>
          of("book-snapshot").length === 1 &&
          of("market-state").length >= 1 &&
          of("kline").length === 1,
      );
      streams.subscribe(formatStreamName({ marketId: MARKET, kind: "kline", interval: "1MO" }));
      await until(() => of("kline").length === 2);
      const [maker, taker] = KEYS.map((key) =>
        new ReferenceClient(exchange, Date.now, key, "10.0.0.1", true).register(),
      );
      maker?.place("SELL", "30000.5", "0.25");
      taker?.place("BUY", "30000.5", "0.25");
      await until(() => of("public-trade").length === 1 && of("kline").length === 4);
      expect(of("public-trade")).toMatchObject([
        { ticks: 300_005, lots: 250, isBuyerMaker: false },
      ]);
      expect(of("kline")).toMatchObject([
        { interval: "1H", bars: [] },
        { interval: "1MO", bars: [] },
        { interval: "1H", bars: [{ openTicks: 300_005, closeTicks: 300_005, lots: 250 }] },
        { interval: "1MO", bars: [{ highTicks: 300_005, lowTicks: 300_005, lots: 250 }] },
      ]);
      expect(of("book-update")).toMatchObject([{ asks: [300_005, 250] }, { asks: [300_005, 0] }]);
      expect(of("malformed")).toEqual([]);
      streams.unsubscribe(formatStreamName({ marketId: MARKET, kind: "kline", interval: "1H" }));
      streams.close("done");
    },
  );
});
