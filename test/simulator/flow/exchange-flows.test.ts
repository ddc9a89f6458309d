import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { plainReader } from "#simulation/plain-reader.js";
import { type ExchangeConfig, parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { orderFlowFactory, parseFlowConfig } from "#simulator/flow-config.js";
import type { OrderFlow } from "#simulator/flow-market.js";
import { type ReplayEnd, ReplayFlow } from "#simulator/replay-flow.js";
import { btcGrid, recordedCapture } from "./capture-fixture.js";
import { goldenEndOfDay } from "./golden.js";

/** An example without its chain, since the test is about the order flow. */
function exampleConfig(name: string): ExchangeConfig {
  const { chain: _chain, ...config } = parseExchangeConfig(
    parse(readFileSync(new URL(`../../../config/${name}`, import.meta.url), "utf8")),
  );
  return config;
}

function shocksOf(config: ExchangeConfig, marketId: string) {
  const flow = config.markets[marketId]?.flow;
  if (flow?.kind !== "synthetic" || flow.shocks === undefined)
    throw new Error(`${marketId} has no shocks`);
  return flow.shocks;
}

type RiskyPosition = { marketId: string; side: "LONG" | "SHORT"; size: string };

function unsafeAccounts(
  exchange: EmbeddedExchange,
): { account: string; isSafe: boolean; positions: RiskyPosition[] }[] {
  const { body } = exchange.handle({
    method: "GET",
    path: "/v1/riskyAccounts",
    query: "",
    body: "",
    ip: "10.0.0.1",
  });
  return JSON.parse(body).filter(({ isSafe }: { isSafe: boolean }) => !isSafe);
}

/**
 * The profit of acquiring a position at its discount and selling it to the book at once, after the
 * taker's fee.
 */
function takeoverProfitOf(
  exchange: EmbeddedExchange,
  { marketId, side, size }: RiskyPosition,
): number {
  const { instrument, prices, rules } = exchange.market(marketId);
  const discount = (side === "LONG" ? -1 : 1) * Number(rules.config.liquidationPriceOff);
  const takenAt = (Number(prices.mark) / 10 ** instrument.creditDecimals) * (1 + discount);
  const book = exchange.book(marketId);
  let [left, value] = [Number(size) / instrument.lotBase, 0];
  for (const [ticks, lots] of side === "LONG" ? book.bids : book.asks) {
    const part = Math.min(left, lots);
    left -= part;
    value += part * instrument.lotBase * ticks * instrument.tickQuote;
  }
  expect(left).toBe(0);
  const gain = side === "LONG" ? value - Number(size) * takenAt : Number(size) * takenAt - value;
  return gain - value * Number(rules.config.takerFeeRate);
}

function exchangeWith(
  config: ExchangeConfig,
  flowOf: (
    marketId: string,
    restart: { readonly startPriceQuote: number } | null,
  ) => OrderFlow | null,
) {
  const clock = new VirtualClock(1_700_000_000_000);
  const exchange = new EmbeddedExchange(
    config,
    { clock, random: seededRandom("exchange") },
    { createFlow: flowOf },
  );
  return { clock, exchange };
}

const levelShape = z.tuple([z.string(), z.string()]);
const snapshotShape = z.object({
  event: z.literal("snapshot"),
  sequence: z.int(),
  bids: z.array(levelShape),
  asks: z.array(levelShape),
});

describe("the example exchanges with their order flows", () => {
  it("leave the published last book of 2024-08-08 to a reader who connects after the replay: 9,597 levels", async ({
    skip,
  }) => {
    const files = recordedCapture("btcusdt-perp_20240808");
    if (files === null) return skip("no recorded data");
    const ends: ReplayEnd[] = [];
    const replay = new ReplayFlow({ files, speed: 20 }, (end) => ends.push(end));
    await replay.preload(btcGrid);
    const { clock, exchange } = exchangeWith(exampleConfig("replay-exchange.yaml"), () => replay);
    exchange.start();
    await clock.runFor(18_000);
    expect(ends.map(({ reason }) => reason)).toEqual(["capture-end"]);
    const frames: string[] = [];
    exchange.connect(
      "/v1/single/btcusdc@orderbook",
      plainReader({
        send: (text) => frames.push(text),
      }),
    );
    const book = snapshotShape.parse(JSON.parse(frames[0] ?? "null"));
    exchange.stop();
    const golden = goldenEndOfDay(files);
    const numbers = (levels: readonly (readonly [string, string])[]) =>
      levels.map(([price, amount]) => [Number(price), Number(amount)]);
    expect(book.bids.length + book.asks.length).toBe(golden.levels);
    expect(numbers(book.bids.slice(0, 5))).toEqual(golden.bestBids);
    expect(numbers(book.asks.slice(-5))).toEqual(golden.worstAsks);
  });

  it("take the mark from the mid where the capture has none", async ({ skip }) => {
    const files = recordedCapture("btcusdt-perp_20240808");
    if (files === null) return skip("no recorded data");
    const replay = new ReplayFlow({ files, speed: 20, forMs: 60_000 }, () => {});
    await replay.preload(btcGrid);
    const { clock, exchange } = exchangeWith(exampleConfig("replay-exchange.yaml"), () => replay);
    exchange.start();
    await clock.runFor(6_000);
    const { midTicks, prices } = exchange.market("btcusdc");
    // Three seconds after the last event the averaging period contains only the last mid.
    expect(Number(prices.mark) / 10 ** 6).toBeCloseTo(midTicks * btcGrid.tickQuote, 6);
    expect(prices.index).toBe(prices.mark);
    exchange.stop();
  });

  it.each([
    ["exchange.yaml", false],
    ["liquidations-exchange.yaml", true],
  ])(
    "trade in both synthetic markets, two-sided all the time, with all money accounted for (%s)",
    async (name, hasShocks) => {
      const config = exampleConfig(name);
      const { clock, exchange } = exchangeWith(
        config,
        orderFlowFactory(config, { baseFolder: ".", onReplayEnd: () => {} }),
      );
      exchange.start();
      for (let second = 0; second < 300; second += 1) {
        await clock.runFor(1_000);
        for (const id of ["btcusdc", "ethusdc"]) {
          const { engine } = exchange.market(id);
          expect(
            (engine.best("SELL") ?? 0) - (engine.best("BUY") ?? Number.POSITIVE_INFINITY),
          ).toBeGreaterThanOrEqual(1);
        }
      }
      for (const [id, price] of [
        ["btcusdc", 60_000],
        ["ethusdc", 3_000],
      ] as const) {
        const { prices, trades } = exchange.market(id);
        // One shock has come by then, and part of it has decayed.
        const shock = hasShocks ? shocksOf(config, id).sizeBps.max / 10_000 : 0;
        expect(Math.abs(Number(prices.mark) / 10 ** 6 / price - 1)).toBeLessThan(0.01 + shock);
        expect(trades.length).toBeGreaterThan(500);
      }
      expect(exchange.audit()).toMatchObject({ isConserved: true });
      expect(exchange.market("btcusdc").lastTradeTicks).not.toBe(
        exchange.market("ethusdc").lastTradeTicks,
      );
      exchange.stop();
    },
  );

  it.each([1, 2, 3, 5, 8, 13])(
    "bring accounts below maintenance within two minutes, whose takeover pays more than the book then takes back (seed %i)",
    async (seed) => {
      const config = { ...exampleConfig("liquidations-exchange.yaml"), seed };
      const clock = new VirtualClock(1_700_000_000_000);
      const exchange = configuredExchange(config, { clock, random: seededRandom("exchange") });
      exchange.start();
      const first = Math.min(...["btcusdc", "ethusdc"].map((id) => shocksOf(config, id).firstMs));
      await clock.runFor(first - 500);
      expect(unsafeAccounts(exchange)).toEqual([]);
      await clock.runFor(120_000 - first + 500);
      const unsafe = unsafeAccounts(exchange);
      expect(unsafe.length).toBeGreaterThanOrEqual(3);
      const profits = unsafe.flatMap(({ positions }) =>
        positions.map((position) => takeoverProfitOf(exchange, position)),
      );
      expect(Math.min(...profits)).toBeGreaterThan(0);
      exchange.stop();
    },
  );

  it("are the fitted preset alone in the exchange of npm start: no shock, nobody in danger", () => {
    for (const { flow } of Object.values(exampleConfig("exchange.yaml").markets)) {
      if (flow.kind !== "synthetic") throw new Error("a market without synthetic traders");
      const { startPriceQuote, ...rest } = parseFlowConfig({
        kind: "synthetic",
        preset: "fitted",
        startPriceQuote: 1,
      }) as { startPriceQuote: number };
      expect(flow).toEqual({ ...rest, startPriceQuote: flow.startPriceQuote });
    }
  });

  it("go on near the last mark after the exchange was stopped and started again", async () => {
    const config = exampleConfig("exchange.yaml");
    const shifted = {
      ...config,
      markets: {
        btcusdc: {
          ...config.markets.btcusdc,
          flow: {
            kind: "synthetic",
            startPriceQuote: 50_000,
            fundamental: { volatilityBpsPerSqrtSecond: 20 },
          },
        },
      },
    };
    const checked = parseExchangeConfig(shifted);
    expect(parseFlowConfig(checked.markets.btcusdc?.flow).kind).toBe("synthetic");
    const { clock, exchange } = exchangeWith(
      checked,
      orderFlowFactory(checked, { baseFolder: ".", onReplayEnd: () => {} }),
    );
    exchange.start();
    await clock.runFor(600_000);
    const before = Number(exchange.market("btcusdc").prices.mark);
    expect(Math.abs(before / 10 ** 6 / 50_000 - 1)).toBeGreaterThan(0.002);
    exchange.stop();
    expect(exchange.book("btcusdc")).toMatchObject({ bids: [], asks: [] });
    await clock.runFor(60_000);
    exchange.start();
    expect(Math.abs(Number(exchange.market("btcusdc").prices.mark) / before - 1)).toBeLessThan(
      0.001,
    );
    exchange.stop();
  });
});
