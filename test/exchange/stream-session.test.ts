import { beforeEach, describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { StreamSession, type StreamTimings } from "#exchange/stream-session.js";
import { ScriptedTransport } from "./scripted-transport.js";

const START = 1_700_000_000_000;

let clock: VirtualClock;
let transport: ScriptedTransport;
let log: string[];
let texts: string[];
let connects: number;

function session(timings: Partial<StreamTimings> = {}): StreamSession {
  const made = new StreamSession({
    transport,
    runtime: { clock, random: seededRandom("stream") },
    path: () => {
      connects += 1;
      return `/v1/single/x?connect=${connects}`;
    },
    onUp: () => log.push("up"),
    onDown: (reason) => log.push(`down: ${reason}`),
    onText: (text) => texts.push(text),
    timings,
  });
  made.start();
  return made;
}

beforeEach(() => {
  clock = new VirtualClock(START);
  transport = new ScriptedTransport(clock);
  log = [];
  texts = [];
  connects = 0;
});

describe("a stream that is kept open", () => {
  it("answers the text ping, and hands on everything but pings and pongs", async () => {
    session();
    await clock.runFor(10);
    for (const text of ["ping", "pong", '{"a":1}', "garbage"]) transport.socket.deliver(text);
    expect(transport.socket.received.map(({ text }) => text)).toEqual(["pong"]);
    expect(texts).toEqual(['{"a":1}', "garbage"]);
    expect(log).toEqual(["up"]);
  });

  it("limits its pongs when it is flooded with pings", async () => {
    session();
    await clock.runFor(10);
    for (let ping = 0; ping < 1000; ping += 1) transport.socket.deliver("ping");
    expect(transport.socket.received).toHaveLength(10);
    await clock.runFor(1000);
    transport.socket.deliver("ping");
    expect(transport.socket.received).toHaveLength(11);
  });

  it("counts as dead when nothing at all arrived for 15 s, and is opened again", async () => {
    session();
    await clock.runFor(14_000);
    transport.socket.ping();
    await clock.runFor(14_900);
    expect(log).toEqual(["up"]);
    await clock.runFor(1000);
    expect(log).toEqual(["up", "down: nothing arrived for 15000 ms", "up"]);
    expect(transport.sockets).toHaveLength(2);
    expect(transport.sockets[0]?.closedBecause).toMatch(/nothing arrived/);
  });

  it("gives up a connection that never opens", async () => {
    transport.acceptAfterMs = undefined;
    session();
    await clock.runFor(16_000);
    expect(log).toEqual(["down: no connection for 15000 ms"]);
    expect(transport.sockets).toHaveLength(2);
  });

  it("is signed anew at every connect", async () => {
    session();
    await clock.runFor(10);
    transport.socket.drop("gone");
    await clock.runFor(1000);
    expect(transport.sockets.map(({ path }) => path)).toEqual([
      "/v1/single/x?connect=1",
      "/v1/single/x?connect=2",
    ]);
  });

  it("ignores a connection that it has given up", async () => {
    session();
    await clock.runFor(10);
    const old = transport.socket;
    old.drop("gone");
    await clock.runFor(1000);
    old.deliver("late");
    old.drop("late close");
    old.accept();
    await clock.runFor(10);
    expect(texts).toEqual([]);
    expect(log).toEqual(["up", "down: gone", "up"]);
    expect(transport.sockets).toHaveLength(2);
  });
});

describe("reconnecting", () => {
  it("pauses longer and longer, at random, never beyond the limit", async () => {
    transport.acceptAfterMs = undefined;
    session();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const droppedAtMs = clock.nowMs();
      const count = transport.sockets.length;
      transport.socket.drop("refused");
      while (transport.sockets.length === count) await clock.runFor(10);
      pauses.push(clock.nowMs() - droppedAtMs);
    }
    for (const [attempt, pause] of pauses.entries()) {
      const full = Math.min(20_000, 250 * 2 ** attempt);
      expect(pause).toBeGreaterThanOrEqual(full / 2);
      expect(pause).toBeLessThanOrEqual(full + 10);
    }
    expect(new Set(pauses.slice(-4)).size).toBeGreaterThan(1);
  });

  it("starts over with short pauses after a connection that held, not after one that flaps", async () => {
    session();
    for (let flap = 0; flap < 8; flap += 1) {
      await clock.runFor(10);
      transport.socket.drop("flap");
      const count = transport.sockets.length;
      while (transport.sockets.length === count) await clock.runFor(100);
    }
    const beforeMs = clock.nowMs();
    let count = transport.sockets.length;
    await clock.runFor(10);
    transport.socket.drop("flap");
    while (transport.sockets.length === count) await clock.runFor(100);
    expect(clock.nowMs() - beforeMs).toBeGreaterThan(9_000);

    await clock.runFor(10_100);
    count = transport.sockets.length;
    const heldMs = clock.nowMs();
    transport.socket.drop("after a while");
    while (transport.sockets.length === count) await clock.runFor(10);
    expect(clock.nowMs() - heldMs).toBeLessThanOrEqual(260);
  });

  it("renews itself before the server's 12-hour end, at once, and says so as down and up", async () => {
    session({ silenceMs: 24 * 3_600_000 });
    await clock.runFor(11 * 3_600_000);
    expect(log).toEqual(["up"]);
    await clock.runFor(0.6 * 3_600_000);
    expect(log).toEqual(["up", expect.stringMatching(/^down: renewed/), "up"]);
  });

  it("stays closed once it is closed", async () => {
    const stream = session();
    await clock.runFor(10);
    stream.close("done");
    stream.close("twice");
    await clock.runFor(60_000);
    expect(log).toEqual(["up"]);
    expect(transport.sockets).toHaveLength(1);
    expect(transport.socket.closedBecause).toBe("done");
    expect(stream.send("x")).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it("may be closed from its own down callback", async () => {
    const stream = new StreamSession({
      transport,
      runtime: { clock, random: seededRandom(1) },
      path: () => "/v1/x",
      onUp: () => undefined,
      onDown: () => stream.close("enough"),
      onText: () => undefined,
    });
    stream.start();
    await clock.runFor(10);
    transport.socket.drop("gone");
    await clock.runFor(60_000);
    expect(transport.sockets).toHaveLength(1);
  });
});

describe("sending", () => {
  it("never passes the server's limit in any second, keeps the order, and leaves room for pongs", async () => {
    const stream = session();
    await clock.runFor(10);
    const sent: string[] = [];
    for (let message = 0; message < 30; message += 1)
      stream.send(`m${message}`, () => sent.push(`m${message}`));
    transport.socket.deliver("ping");
    await clock.runFor(5000);
    const { received } = transport.socket;
    expect(received.filter(({ text }) => text !== "pong").map(({ text }) => text)).toEqual(
      Array.from({ length: 30 }, (_, index) => `m${index}`),
    );
    expect(sent).toHaveLength(30);
    expect(received[8]?.text).toBe("pong");
    for (const { atMs } of received)
      expect(
        received.filter((other) => other.atMs >= atMs && other.atMs < atMs + 1000).length,
      ).toBeLessThanOrEqual(10);
  });

  it("loses what waits with its connection: a new one subscribes for itself", async () => {
    const stream = session();
    expect(stream.send("too early")).toBe(false);
    await clock.runFor(10);
    for (let message = 0; message < 20; message += 1) expect(stream.send(`m${message}`)).toBe(true);
    transport.socket.drop("gone");
    await clock.runFor(5000);
    expect(transport.sockets[0]?.received).toHaveLength(8);
    expect(transport.sockets[1]?.received).toEqual([]);
  });
});
