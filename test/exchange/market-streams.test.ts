import { beforeEach, describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { MarketStreams } from "#exchange/market-streams.js";
import { type ScriptedSocket, ScriptedTransport } from "./scripted-transport.js";

let clock: VirtualClock;
let transport: ScriptedTransport;
let states: string[];

function started(markets: readonly string[]): MarketStreams {
  const streams = new MarketStreams({
    transport,
    runtime: { clock, random: seededRandom("streams") },
    markets,
    onText: () => undefined,
    onState: (state) => states.push(state),
    timings: { silenceMs: 3_600_000 },
  });
  streams.start();
  return streams;
}

function requests(
  socket: ScriptedSocket | undefined,
): { id: number; method: string; params: string[] }[] {
  return (socket?.received ?? []).map(({ text }) => JSON.parse(text));
}

beforeEach(() => {
  clock = new VirtualClock(0);
  transport = new ScriptedTransport(clock);
  states = [];
});

describe("market streams", () => {
  it("follow book, state and trades of each market over one connection", async () => {
    started(["btcusdc", "ethusdc"]);
    await clock.runFor(10);
    expect(transport.sockets.map(({ path }) => path)).toEqual([
      "/v1/multiple?streams=btcusdc@orderbook/btcusdc@market/btcusdc@trades/ethusdc@orderbook/ethusdc@market/ethusdc@trades",
    ]);
    expect(states).toEqual(["up"]);
  });

  it("take a book anew by leaving and joining its stream, ids counted up", async () => {
    const streams = started(["btcusdc", "ethusdc"]);
    await clock.runFor(10);
    streams.resubscribe("btcusdc");
    streams.resubscribe("dogeusdc");
    expect(requests(transport.socket)).toEqual([
      { id: 1, method: "UNSUBSCRIBE", params: ["btcusdc@orderbook"] },
      { id: 2, method: "SUBSCRIBE", params: ["btcusdc@orderbook"] },
    ]);
  });

  it("send a storm of gaps once: what has not left yet is not asked for again", async () => {
    const streams = started(["btcusdc"]);
    await clock.runFor(10);
    for (let gap = 0; gap < 100; gap += 1) streams.resubscribe("btcusdc");
    await clock.runFor(60_000);
    // Four whole requests leave at once, and one waits for the limit.
    expect(requests(transport.socket)).toHaveLength(10);
    streams.resubscribe("btcusdc");
    expect(requests(transport.socket)).toHaveLength(12);
  });

  it("join and leave streams live, and keep them over a reconnect", async () => {
    const streams = started(["btcusdc"]);
    await clock.runFor(10);
    streams.subscribe("btcusdc@kline1M");
    streams.subscribe("btcusdc@kline1M");
    streams.subscribe("ethusdc@market");
    streams.unsubscribe("ethusdc@market");
    streams.unsubscribe("never@joined");
    expect(requests(transport.socket).map(({ method, params }) => `${method} ${params}`)).toEqual([
      "SUBSCRIBE btcusdc@kline1M",
      "SUBSCRIBE ethusdc@market",
      "UNSUBSCRIBE ethusdc@market",
    ]);
    transport.socket.drop("gone");
    await clock.runFor(1000);
    expect(transport.socket.path).toBe(
      "/v1/multiple?streams=btcusdc@orderbook/btcusdc@market/btcusdc@trades/btcusdc@kline1M",
    );
    expect(states).toEqual(["up", "down", "up"]);
  });

  it("spread over connections of at most 50 streams; after one was lost, the books of the others are taken anew", async () => {
    const markets = Array.from({ length: 20 }, (_, index) => `m${index}`);
    started(markets);
    await clock.runFor(10);
    const counts = transport.sockets.map(({ path }) => path.split("/").length - 2);
    expect(counts).toEqual([48, 12]);
    expect(states).toEqual(["up"]);
    transport.sockets[1]?.drop("gone");
    expect(states).toEqual(["up", "down"]);
    await clock.runFor(10_000);
    expect(states).toEqual(["up", "down", "up"]);
    expect(
      requests(transport.sockets[0]).filter(({ method }) => method === "SUBSCRIBE"),
    ).toHaveLength(16);
    expect(requests(transport.sockets[2])).toEqual([]);
  });

  it("close for good", async () => {
    const streams = started(["btcusdc"]);
    await clock.runFor(10);
    streams.close("done");
    await clock.runFor(60_000);
    expect(transport.sockets).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
