import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { seededRandom } from "../../../src/core/seeded-random.js";
import { VirtualClock } from "../../../src/core/virtual-clock.js";
import { type ExchangeConfig, parseExchangeConfig } from "../../../src/simulator/config.js";
import { EmbeddedExchange } from "../../../src/simulator/exchange.js";
import { orderFlowsOf, parseFlowConfig } from "../../../src/simulator/flow/flow-config.js";
import { type ReplayEnd, ReplayFlow } from "../../../src/simulator/flow/replay.js";
import type { OrderFlow } from "../../../src/simulator/flow-market.js";
import { btcGrid, recordedCapture } from "./capture-fixture.js";
import { goldenEndOfDay } from "./golden.js";

function exampleConfig(name: string): ExchangeConfig {
  return parseExchangeConfig(parse(readFileSync(new URL(`../../../config/${name}`, import.meta.url), "utf8")));
}

function exchangeWith(
  config: ExchangeConfig,
  flowOf: (marketId: string, restart: { readonly startPriceQuote: number } | null) => OrderFlow | null,
) {
  const clock = new VirtualClock(1_700_000_000_000);
  const exchange = new EmbeddedExchange(config, { clock, random: seededRandom("exchange") }, { flowOf });
  return { clock, exchange };
}

const levelShape = z.tuple([z.string(), z.string()]);
const snapshotShape = z.object({ event: z.literal("snapshot"), sequence: z.int(), bids: z.array(levelShape), asks: z.array(levelShape) });

describe("the example exchanges with their order flows", () => {
  it("leave the published last book of 2024-08-08 to a reader who connects after the replay: 9,597 levels", async ({ skip }) => {
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
    exchange.connect("/v1/single/btcusdc@orderbook", {
      send: (text) => frames.push(text),
      ping: () => {},
      close: () => {},
      sendBytes: () => {
        throw new Error("nobody asked for compression");
      },
      terminate: () => {},
      bufferedBytes: () => 0,
    });
    const book = snapshotShape.parse(JSON.parse(frames[0] ?? "null"));
    exchange.stop();
    const golden = goldenEndOfDay(files);
    const numbers = (levels: readonly (readonly [string, string])[]) => levels.map(([price, amount]) => [Number(price), Number(amount)]);
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
    // Three seconds after the last event the averaging period holds nothing but the last mid.
    expect(Number(prices.mark) / 10 ** 6).toBeCloseTo(midTicks * btcGrid.tickQuote, 6);
    expect(prices.index).toBe(prices.mark);
    exchange.stop();
  });

  it("trade in both synthetic markets, two-sided all the time, with all money accounted for", async () => {
    const config = exampleConfig("exchange.yaml");
    const { clock, exchange } = exchangeWith(config, orderFlowsOf(config, { baseFolder: ".", onReplayEnd: () => {} }));
    exchange.start();
    for (let second = 0; second < 300; second += 1) {
      await clock.runFor(1_000);
      for (const id of ["btcusdc", "ethusdc"]) {
        const { engine } = exchange.market(id);
        expect((engine.best("SELL") ?? 0) - (engine.best("BUY") ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(1);
      }
    }
    for (const [id, price] of [
      ["btcusdc", 60_000],
      ["ethusdc", 3_000],
    ] as const) {
      const { prices, trades } = exchange.market(id);
      expect(Math.abs(Number(prices.mark) / 10 ** 6 / price - 1)).toBeLessThan(0.01);
      expect(trades.length).toBeGreaterThan(500);
    }
    expect(exchange.audit()).toMatchObject({ isConserved: true });
    expect(exchange.market("btcusdc").lastTradeTicks).not.toBe(exchange.market("ethusdc").lastTradeTicks);
    exchange.stop();
  });

  it("go on near the last mark after the exchange was stopped and started again", async () => {
    const config = exampleConfig("exchange.yaml");
    const shifted = {
      ...config,
      markets: {
        btcusdc: {
          ...config.markets.btcusdc,
          flow: { kind: "synthetic", startPriceQuote: 50_000, fundamental: { volatilityBpsPerSqrtSecond: 20 } },
        },
      },
    };
    const checked = parseExchangeConfig(shifted);
    expect(parseFlowConfig(checked.markets.btcusdc?.flow).kind).toBe("synthetic");
    const { clock, exchange } = exchangeWith(checked, orderFlowsOf(checked, { baseFolder: ".", onReplayEnd: () => {} }));
    exchange.start();
    await clock.runFor(600_000);
    const before = Number(exchange.market("btcusdc").prices.mark);
    expect(Math.abs(before / 10 ** 6 / 50_000 - 1)).toBeGreaterThan(0.002);
    exchange.stop();
    expect(exchange.book("btcusdc")).toMatchObject({ bids: [], asks: [] });
    await clock.runFor(60_000);
    exchange.start();
    expect(Math.abs(Number(exchange.market("btcusdc").prices.mark) / before - 1)).toBeLessThan(0.001);
    exchange.stop();
  });
});
