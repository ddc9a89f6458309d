import { inflateSync } from "node:zlib";
import { expect } from "vitest";
import { parseExchangeConfig } from "#simulator/config.js";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { Reader, type Trader, trade, worlds } from "./world.js";

const world = worlds();
const EVERY_CHANGE = { streams: { bookIntervalMs: 0 } };
const BOOK = "btcusdc@orderbook";

conforms(
  "EV5",
  "exchange",
  "/single gives payloads bare, /multiple each with its stream's name, and opens without any",
  async () => {
    const { alice, bob } = await world(EVERY_CHANGE);
    const single = await alice.stream("/single/btcusdc@trades");
    const multiple = await alice.stream("/multiple?streams=btcusdc@trades/btcusdc@orderbook");
    const empty = await alice.stream("/multiple");
    await trade(alice, bob, "BUY", "30000", "0.1");
    const [bare] = await single.take();
    expectRecord(bare, "publicTrade");
    const wrapped = await multiple.take();
    for (const frame of wrapped) expect(Object.keys(frame).sort()).toEqual(["data", "stream"]);
    expect(
      wrapped.filter(({ stream }) => stream === "btcusdc@trades").map(({ data }) => data),
    ).toEqual([bare]);
    expect(wrapped.some(({ stream }) => stream === BOOK)).toBe(true);
    expect(await empty.take()).toEqual([]);
  },
);

conforms(
  "EV5",
  "exchange",
  "streams come and go on a living connection, each change acknowledged by its id, and wrong ones refused by theirs",
  async () => {
    const { alice, bob } = await world(EVERY_CHANGE);
    const stream = await alice.stream("/multiple");
    stream.send({ id: 7, method: "SUBSCRIBE", params: ["btcusdc@trades"] });
    expect(await stream.take()).toEqual([{ id: 7, result: null }]);
    await trade(alice, bob, "BUY", "30000", "0.1");
    expect(await stream.take()).toMatchObject([{ stream: "btcusdc@trades" }]);
    stream.send({ id: 8, method: "UNSUBSCRIBE", params: ["btcusdc@trades"] });
    expect(await stream.take()).toEqual([{ id: 8, result: null }]);
    await trade(alice, bob, "BUY", "30000", "0.1");
    expect(await stream.take()).toEqual([]);
    stream.send({ id: 9, method: "SUBSCRIBE", params: ["nope@trades"] });
    stream.send({ id: 10, method: "SUBSCRIBE", params: ["btcusdc@weather"] });
    stream.send("not a request");
    expect(await stream.take()).toMatchObject([
      { id: 9, code: 1112 },
      { id: 10, code: 1111 },
      { code: 1111 },
    ]);
  },
);

/** A reader that answers no ping by itself. */
async function deaf(trader: Trader): Promise<Reader> {
  const reader = new Reader(`${trader.server.streamUrl}/multiple`, { autoPong: false });
  await reader.opened;
  return reader;
}

conforms(
  "EV5",
  "exchange",
  "pings come every five seconds both ways, and who is silent for fifteen is dropped",
  async () => {
    const { alice, clock } = await world();
    const silent = await deaf(alice);
    await clock.runFor(4999);
    await silent.arrived();
    expect([silent.pings, silent.received]).toEqual([0, []]);
    await clock.runFor(1);
    await silent.arrived();
    expect([silent.pings, silent.received]).toEqual([1, ["ping"]]);
    await clock.runFor(9999);
    await silent.arrived();
    expect(silent.pings).toBe(2);
    await clock.runFor(1);
    expect((await silent.closed).code).toBe(1008);
  },
);

conforms(
  "EV5",
  "exchange",
  "a pong by text and one by protocol each keep the connection",
  async () => {
    for (const kind of ["text", "protocol"] as const) {
      const { alice, clock } = await world();
      const reader = await deaf(alice);
      for (let count = 0; count < 6; count += 1) {
        await clock.runFor(5000);
        if (kind === "text") reader.send("pong");
        else reader.socket.pong();
        await reader.arrived();
      }
      expect([kind, reader.socket.readyState, reader.pings]).toEqual([kind, reader.socket.OPEN, 6]);
      reader.send("ping");
      await reader.arrived();
      expect(reader.received.at(-1)).toBe("pong");
      await reader.end();
    }
  },
);

conforms("EV5", "exchange", "a connection ends at twelve hours", async () => {
  expect(parseExchangeConfig({ markets: { btcusdc: {} } }).streams).toMatchObject({
    maxAgeMs: 43_200_000,
    pingIntervalMs: 5000,
    pongTimeoutMs: 15_000,
    maxStreams: 50,
    messagesPerSecond: 10,
  });
  const { alice, clock } = await world({
    streams: { pingIntervalMs: 100_000_000, marketIntervalMs: 100_000_000 },
  });
  const stream = await alice.stream("/multiple");
  await clock.runFor(43_199_999);
  await stream.arrived();
  expect(stream.socket.readyState).toBe(stream.socket.OPEN);
  await clock.runFor(1);
  expect((await stream.closed).code).toBe(1001);
});

conforms(
  "EV5",
  "exchange",
  "ten messages in a second are taken, and the eleventh ends the connection",
  async () => {
    const { alice, clock } = await world();
    const stream = await alice.stream("/multiple");
    const speak = () => {
      for (let count = 0; count < 10; count += 1) stream.send("ping");
    };
    speak();
    expect(await stream.texts(10)).toEqual(Array.from({ length: 10 }, () => "pong"));
    await clock.runFor(1000);
    speak();
    expect(await stream.texts(20)).toHaveLength(20);
    stream.send("ping");
    expect((await stream.closed).code).toBe(1008);
  },
);

conforms(
  "EV5",
  "exchange",
  "fifty streams share a connection, and a fifty-first is refused",
  async () => {
    const markets = Object.fromEntries(
      Array.from({ length: 51 }, (_, place) => [`m${place + 100}`, {}]),
    );
    const { alice } = await world({ markets }, { registered: false });
    const names = Object.keys(markets).map((id) => `${id}@trades`);
    await expect(alice.stream(`/multiple?streams=${names.join("/")}`)).rejects.toThrow(/1111/);
    const stream = await alice.stream(`/multiple?streams=${names.slice(0, 50).join("/")}`);
    stream.send({ id: 1, method: "SUBSCRIBE", params: [names[50]] });
    expect(await stream.take()).toMatchObject([{ id: 1, code: 1111 }]);
    stream.send({ id: 2, method: "UNSUBSCRIBE", params: [names[0]] });
    stream.send({ id: 3, method: "SUBSCRIBE", params: [names[50]] });
    expect(await stream.take()).toEqual([
      { id: 2, result: null },
      { id: 3, result: null },
    ]);
  },
);

conforms("EV5", "exchange", "zip compresses all that is sent but the text ping", async () => {
  const { alice, clock } = await world();
  const plain = await alice.stream("/single/btcusdc@market");
  const reader = new Reader(`${alice.server.streamUrl}/single/btcusdc@market?zip=1`);
  const bytes: Buffer[] = [];
  reader.socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) bytes.push(data);
  });
  await reader.opened;
  await clock.runFor(5000);
  await plain.arrived();
  await reader.arrived();
  const texts = bytes.map((one) => inflateSync(one).toString());
  expect(texts).toEqual(plain.received.filter((text) => text !== "ping"));
  expect(texts.length).toBeGreaterThan(4);
  expect(reader.received).toContain("ping");
  await reader.end();
});
