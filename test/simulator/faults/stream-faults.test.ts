import { inflateSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { FaultyVenues } from "./served-faults.js";

const venues = new FaultyVenues();
const sockets: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await venues.close();
});

const BOOK = "/single/btcusdc@orderbook";

/** A reader of a stream over a real websocket. */
class Reader {
  readonly texts: string[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #wake = () => {};

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    sockets.push(this.#socket);
    this.#socket.on("error", () => {});
    this.#socket.on("message", (data: Buffer, isBinary) => {
      this.texts.push(isBinary ? inflateSync(data).toString() : data.toString());
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.#socket.on("close", (code) => resolve(code));
    });
  }

  /** The frames until now: whatever the exchange sent before it answers a ping has arrived. */
  async frames(): Promise<string[]> {
    if (this.#socket.readyState === this.#socket.CONNECTING)
      await new Promise((resolve) => this.#socket.once("open", resolve));
    this.#socket.send("ping");
    while (!this.texts.includes("pong"))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.texts.splice(0).filter((text) => text !== "pong");
  }

  /** Resolves when a protocol ping is answered. */
  ping(): Promise<void> {
    this.#socket.ping();
    return new Promise((resolve) => this.#socket.once("pong", () => resolve()));
  }
}

/** Begin of each update, or the event of another frame. */
const beginsOf = (frames: readonly string[]): readonly unknown[] =>
  frames.map((text) => {
    const { event, beginSequence, data } = JSON.parse(text);
    return beginSequence ?? data?.beginSequence ?? event ?? data?.event;
  });

/** A reader of alice's market, and what places an order of hers at the next tick. */
async function followed(path = BOOK, before: readonly Readonly<Record<string, unknown>>[] = []) {
  const venue = await venues.open();
  for (const fault of before) venue.add(fault);
  const reader = new Reader(`${venue.server.streamUrl}${path}`);
  let at = 0;
  const place = async (times = 1) => {
    for (let left = times; left > 0; left--) {
      at += 1;
      await venue.alice.place("BUY", String(30000 + at), "0.1");
      await venue.clock.runFor(1);
    }
  };
  return { venue, reader, place };
}

describe("a frame under a fault", () => {
  it("is missing, and the book's sequence has a gap", async () => {
    const { venue, reader, place } = await followed();
    await reader.frames();
    await place();
    const [first] = beginsOf(await reader.frames()) as [number];
    const { id } = venue.add({ kind: "frame-lost" });
    await place();
    venue.injector.schedule.end(String(id));
    await place();
    expect(beginsOf(await reader.frames())).toEqual([first + 2]);
  });

  it("is overtaken by the next one, and waits a second at most", async () => {
    const { venue, reader, place } = await followed();
    await reader.frames();
    await place();
    const [first] = beginsOf(await reader.frames()) as [number];
    venue.add({ kind: "frames-swapped" });
    await place(2);
    expect(beginsOf(await reader.frames())).toEqual([first + 2, first + 1]);
    await place();
    expect(await reader.frames()).toEqual([]);
    await venue.clock.runFor(1000);
    expect(beginsOf(await reader.frames())).toEqual([first + 3]);
  });

  it("arrives twice", async () => {
    const { venue, reader, place } = await followed();
    await reader.frames();
    venue.add({ kind: "frame-repeated" });
    await place();
    const [first, second, ...others] = await reader.frames();
    expect([second, others]).toEqual([first, []]);
  });

  it("is garbled in one of three ways", async () => {
    const { venue, reader, place } = await followed();
    await reader.frames();
    venue.add({ kind: "frame-garbled" });
    await place(20);
    const frames = await reader.frames();
    const forms = frames.map((text) =>
      text === '{"stream":7,"data":[null]}' ? "JSON" : text.includes("<html>") ? "page" : "cut",
    );
    expect([frames.length, [...new Set(forms)].sort()]).toEqual([20, ["JSON", "cut", "page"]]);
    const cut = frames[forms.indexOf("cut")] as string;
    expect(cut).toMatch(/^\{"event":"update"/);
    expect(() => JSON.parse(cut)).toThrow(SyntaxError);
  });

  it("is a snapshot that comes after the first updates", async () => {
    const delayMs = { min: 50, max: 50 };
    const { venue, reader, place } = await followed(BOOK, [{ kind: "snapshot-late", delayMs }]);
    expect(await reader.frames()).toEqual([]);
    await place();
    expect(beginsOf(await reader.frames())).toEqual([expect.any(Number)]);
    await venue.clock.runFor(50);
    expect(beginsOf(await reader.frames())).toEqual(["snapshot"]);
  });

  it("is struck in its stream alone, also where it is compressed", async () => {
    const { venue, reader, place } = await followed(
      "/multiple?streams=btcusdc@orderbook/btcusdc@trades&zip=true",
    );
    await reader.frames();
    venue.add({ kind: "frame-lost", streams: ["btcusdc@orderbook"] });
    await place();
    await venue.bob.place("SELL", "30001", "0.1");
    const names = (await reader.frames()).map((text) => JSON.parse(text).stream);
    expect(names).toEqual(["btcusdc@trades"]);
  });

  it("is struck in the account streams of the named accounts alone", async () => {
    const venue = await venues.open();
    const [alice, bob] = [venue.alice, venue.bob].map(({ reference }) => {
      const { account, ...signed } = reference.signed();
      const form = new URLSearchParams(signed as Record<string, string>);
      return new Reader(`${venue.server.streamUrl}/single/account@${account}?${form}`);
    }) as [Reader, Reader];
    await Promise.all([alice.frames(), bob.frames()]);
    venue.add({
      kind: "frame-lost",
      streams: ["account"],
      accounts: [venue.alice.reference.address],
    });
    await venue.alice.place("BUY", "30000", "0.1");
    await venue.bob.place("BUY", "30001", "0.1");
    expect(await alice.frames()).toEqual([]);
    expect((await bob.frames()).length).toBeGreaterThan(0);
  });
});

describe("a connection under a fault", () => {
  it("is silent for stallMs, and answers pings meanwhile", async () => {
    const { venue, reader, place } = await followed();
    await reader.frames();
    venue.add({ kind: "stream-stalled", stallMs: 100, forMs: 100 });
    await place(3);
    await reader.ping();
    expect(await reader.frames()).toEqual([]);
    await venue.clock.runFor(100);
    await place();
    expect(await reader.frames()).toHaveLength(1);
  });

  it("is silent no longer than the fault lasts", async () => {
    const { venue, reader, place } = await followed();
    await reader.frames();
    venue.add({ kind: "stream-stalled" });
    await place(2);
    expect(await reader.frames()).toEqual([]);
    venue.injector.schedule.endAll();
    await place();
    expect(await reader.frames()).toHaveLength(1);
  });

  it.each([
    ["stream-dropped", {}, 1006],
    ["stream-closed", {}, 1001],
    ["stream-closed", { code: 1013 }, 1013],
  ])("ends: %s %o", async (kind, keys, code) => {
    const { venue, reader, place } = await followed();
    await reader.frames();
    venue.add({ kind, ...keys });
    await place();
    expect(await reader.closed).toBe(code);
    while (venue.exchange.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it("ends at its first frame, with the handshake just done", async () => {
    const { venue, reader } = await followed(BOOK, [{ kind: "stream-dropped" }]);
    while (venue.exchange.connections === 0) await new Promise((resolve) => setImmediate(resolve));
    await venue.clock.runFor(1);
    expect(await reader.closed).toBe(1006);
  });
});
