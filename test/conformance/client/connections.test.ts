import { expect } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { MarketStreams } from "#exchange/market-streams.js";
import { ScriptedTransport } from "../../exchange/scripted-transport.js";
import { START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { overScriptedSockets } from "./scripted-streams.js";

const BOOK = "btcusdc@orderbook";

conforms(
  "EV5",
  "client",
  "opens /multiple with the names and /single for the account, and answers a text ping at once",
  async () => {
    const { clock, transport, followMarket, followAccount, said } = overScriptedSockets();
    followMarket([BOOK, "btcusdc@trades"]);
    await clock.runFor(10);
    expect(transport.socket.path).toBe("/v1/multiple?streams=btcusdc@orderbook/btcusdc@trades");
    transport.socket.deliver("ping");
    expect(said()).toEqual(["pong"]);
    followAccount();
    await clock.runFor(10);
    expect(transport.socket.path).toMatch(
      /^\/v1\/single\/account@0x[0-9a-fA-F]{40}\?timestamp=\d{13}&signature=0x[0-9a-f]{130}$/,
    );
  },
);

conforms(
  "EV5",
  "client",
  "counts a stream as dead after fifteen seconds without a sound, a ping being one, and opens it again",
  async () => {
    const { clock, transport, market, followMarket } = overScriptedSockets();
    followMarket([BOOK]);
    await clock.runFor(10);
    for (let count = 0; count < 10; count += 1) {
      await clock.runFor(5000);
      if (count % 2 === 0) transport.socket.ping();
      else transport.socket.deliver("ping");
    }
    expect(market.map(({ type }) => type)).toEqual(["up"]);
    await clock.runFor(14_999);
    expect(transport.sockets).toHaveLength(1);
    await clock.runFor(30_000);
    expect(market.map(({ type }) => type).slice(0, 3)).toEqual(["up", "down", "up"]);
  },
);

conforms("EV5", "client", "renews a connection before its twelve hours are over", async () => {
  const { clock, transport, market, followMarket } = overScriptedSockets();
  followMarket([BOOK]);
  await clock.runFor(10);
  const alive = (): void => {
    transport.socket.ping();
    clock.setTimer(10_000, alive);
  };
  alive();
  await clock.runFor(12 * 3_600_000 - 60_000);
  expect(transport.sockets).toHaveLength(2);
  expect(market.map(({ type }) => type)).toEqual(["up", "down", "up"]);
  expect(transport.sockets[0]?.closedBecause).toContain("12-hour");
});

conforms(
  "EV5",
  "client",
  "subscribes live, speaks at most ten times a second, and puts at most fifty streams on a connection",
  async () => {
    const clock = new VirtualClock(START_MS);
    const transport = new ScriptedTransport(clock);
    const markets = Array.from({ length: 20 }, (_, place) => `m${place}usdc`);
    const streams = new MarketStreams({
      transport,
      runtime: { clock, random: seededRandom("many") },
      markets,
      onText: () => {},
      onState: () => {},
    });
    streams.start();
    await clock.runFor(10);
    expect(
      transport.sockets
        .map(({ path }) => decodeURIComponent(path).split("/").length - 2)
        .every((count) => count <= 50),
    ).toBe(true);
    expect(transport.sockets.length).toBeGreaterThan(1);
    for (let count = 0; count < 30; count += 1) streams.subscribe(`x${count}@trades`);
    streams.unsubscribe("x0@trades");
    await clock.runFor(60_000);
    const asked = transport.sockets.flatMap(({ received }) =>
      received.map(({ text: one }) => JSON.parse(one)),
    );
    expect(asked.filter(({ method }) => method === "SUBSCRIBE")).toHaveLength(30);
    expect(asked.at(-1)).toMatchObject({
      method: expect.stringMatching(/SUBSCRIBE/),
      id: expect.any(Number),
    });
    expect(
      asked.some(({ method, params }) => method === "UNSUBSCRIBE" && params[0] === "x0@trades"),
    ).toBe(true);
    for (const { received } of transport.sockets) {
      for (const [place, { atMs }] of received.entries())
        expect(
          received.slice(place).filter((later) => later.atMs < atMs + 1000).length,
        ).toBeLessThanOrEqual(10);
    }
    const scripted = overScriptedSockets();
    expect(() =>
      scripted.followMarket(Array.from({ length: 51 }, (_, place) => `m${place}@trades`)),
    ).toThrow(/1 to 50/);
  },
);
