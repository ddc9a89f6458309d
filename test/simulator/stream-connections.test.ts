import { describe, expect, it } from "vitest";
import { parseExchangeConfig } from "#simulator/config.js";
import { type ReferenceClient, traders } from "./reference-client.js";
import { StreamReader } from "./stream-reader.js";

function accountPath(client: ReferenceClient, more = ""): string {
  const { signature, timestamp } = client.signed();
  return `/v1/single/account@${client.address}?timestamp=${timestamp}&signature=${signature}${more}`;
}

const EVERY_CHANGE = { streams: { bookIntervalMs: 0 } };

describe("a connection", () => {
  it("is pinged every five seconds both ways, and dropped after fifteen without a pong", async () => {
    const { exchange, clock } = traders();
    const silent = new StreamReader(exchange, "/v1/multiple");
    const alive = new StreamReader(exchange, "/v1/multiple");
    for (let count = 0; count < 6; count += 1) {
      await clock.runFor(5000);
      alive.connection.receive("pong");
    }
    expect(silent.pings).toBe(2);
    expect(silent.texts).toEqual(["ping", "ping"]);
    expect(silent.closed).toMatchObject({ code: 1008 });
    expect(alive.closed).toBeUndefined();
    expect(exchange.connections).toBe(1);
  });

  it("is kept by protocol pongs alike, and answers a text ping", async () => {
    const { exchange, clock } = traders({ streams: { pings: "protocol" } });
    const reader = new StreamReader(exchange, "/v1/multiple");
    for (let count = 0; count < 6; count += 1) {
      await clock.runFor(5000);
      reader.connection.pong();
    }
    expect(reader.closed).toBeUndefined();
    expect(reader.texts).toEqual([]);
    reader.connection.receive("ping");
    expect(reader.texts).toEqual(["pong"]);
  });

  it("ends after more than ten messages in a second, and for a reader that is too slow", () => {
    const { exchange, alice } = traders(EVERY_CHANGE);
    const chatty = new StreamReader(exchange, "/v1/multiple");
    for (let count = 0; count < 10; count += 1) {
      chatty.connection.receive("pong");
    }
    expect(chatty.closed).toBeUndefined();
    chatty.connection.receive("pong");
    expect(chatty.closed).toMatchObject({ code: 1008 });
    const slow = new StreamReader(exchange, "/v1/single/btcusdc@orderbook");
    slow.backlog = 8_388_608;
    alice.place("BUY", "30000", "0.1");
    expect(slow.closed).toBeUndefined();
    slow.backlog = 8_388_609;
    alice.place("BUY", "30000", "0.1");
    expect(slow.closed).toMatchObject({ code: 1008, reason: "the reader is too slow" });
    expect(slow.isCut, "a close frame would wait behind what is not read").toBe(true);
  });

  it("counts protocol pings and pongs as messages too", () => {
    const { exchange } = traders();
    for (const flood of ["pinged", "pong"] as const) {
      const reader = new StreamReader(exchange, "/v1/multiple");
      for (let count = 0; count < 10; count += 1) {
        reader.connection[flood]();
      }
      expect(reader.closed).toBeUndefined();
      reader.connection[flood]();
      expect(reader.closed).toMatchObject({ code: 1008 });
    }
  });

  it("counts against its address's limit until it ends", () => {
    const { exchange } = traders({ streams: { maxConnectionsPerIp: 2 } });
    const first = new StreamReader(exchange, "/v1/multiple");
    new StreamReader(exchange, "/v1/multiple");
    expect(() => new StreamReader(exchange, "/v1/multiple")).toThrow(/^429 /);
    expect(exchange.connect("/v1/multiple", first, "10.0.0.8")).not.toHaveProperty("refused");
    first.connection.closed();
    first.connection.closed();
    expect(() => new StreamReader(exchange, "/v1/multiple")).not.toThrow();
    expect(() => new StreamReader(exchange, "/v1/multiple")).toThrow(/^429 /);
  });

  it("opened with zip has everything compressed but the text ping", async () => {
    const { exchange, alice, clock } = traders(EVERY_CHANGE);
    const plain = new StreamReader(exchange, "/v1/multiple?streams=btcusdc@orderbook");
    const zipped = new StreamReader(exchange, "/v1/multiple?streams=btcusdc@orderbook&zip=1");
    const account = new StreamReader(exchange, accountPath(alice, "&zip=yes"));
    const empty = new StreamReader(exchange, "/v1/multiple?streams=btcusdc@orderbook&zip=");
    alice.place("BUY", "30000", "0.1");
    zipped.connection.receive("ping");
    zipped.connection.receive("{");
    expect(zipped.zipped).toBe(4);
    expect(zipped.texts.splice(2)).toEqual(["pong", expect.stringContaining("not valid JSON")]);
    expect(zipped.take()).toEqual(plain.take());
    expect(account.zipped).toBe(2);
    expect(account.take().map(({ event }) => event)).toEqual(["ORDER_UPDATE", "ACCOUNT_UPDATE"]);
    expect(empty.zipped).toBe(0);
    await clock.runFor(5000);
    expect(zipped.texts).toEqual(["ping"]);
    expect(zipped.zipped).toBe(4);
  });

  it("ends at its greatest age, which is twelve hours unless the venue says otherwise", async () => {
    const { exchange, clock } = traders({ streams: { maxAgeMs: 60_000 } });
    expect(parseExchangeConfig({ markets: { btcusdc: {} } }).streams.maxAgeMs).toBe(12 * 3_600_000);
    const reader = new StreamReader(exchange, "/v1/multiple");
    for (let count = 0; count < 11; count += 1) {
      await clock.runFor(5000);
      reader.connection.pong();
    }
    expect(reader.closed).toBeUndefined();
    await clock.runFor(5000);
    expect(reader.closed).toMatchObject({ code: 1001 });
  });

  it("is gone when the exchange stops, and what was open before is there after the next start", async () => {
    const { exchange, clock, alice } = traders();
    const reader = new StreamReader(exchange, "/v1/multiple");
    alice.place("BUY", "30000", "0.1");
    const gtt = { timeInForce: "GTT", expirationMs: clock.nowMs() + 61_000 };
    alice.place("BUY", "29000", "0.1", gtt);
    exchange.stop();
    expect(reader.closed).toMatchObject({ code: 1001 });
    expect(alice.raw("GET", "/v1/time").status).toBe(503);
    await clock.runFor(120_000);
    expect(clock.pendingTimers).toBe(0);
    exchange.start();
    await clock.runFor(1);
    expect(alice.openOrders()).toMatchObject([{ price: "30000" }]);
  });
});
