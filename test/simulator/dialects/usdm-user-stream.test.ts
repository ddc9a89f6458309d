import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usdmWorld } from "./usdm-world.js";

const symbol = "BTCUSDC";
// biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
type Message = any;

/** The parts of order events that a client acts on. */
const orderLines = (messages: readonly Message[]) =>
  messages
    .filter(({ e }) => e === "ORDER_TRADE_UPDATE")
    .map(({ o }) => `${o.x} ${o.X} ${o.l} ${o.z} ${o.c}`);
const accountUpdates = (messages: readonly Message[]) =>
  messages.filter(({ e }) => e === "ACCOUNT_UPDATE").map(({ a }) => a);

describe("the user stream", () => {
  it("reports each step of an order, and what a fill makes of balance and position", () => {
    const { alice, bob } = usdmWorld();
    const stream = alice.userStream();
    alice.place("BUY", "0.3", "30000", { newClientOrderId: "a" });
    bob.place("SELL", "0.1", "30000", { timeInForce: "IOC" });
    alice.signed("DELETE", "/v1/allOpenOrders", { symbol });
    const messages = stream.take();

    expect(orderLines(messages)).toEqual([
      "NEW NEW 0 0.000 a",
      "TRADE PARTIALLY_FILLED 0.100 0.100 a",
      "CANCELED CANCELED 0 0.100 a",
    ]);
    const trade = messages.find(({ o }: Message) => o?.x === "TRADE").o;
    expect(trade).toMatchObject({ L: "30000.0", n: "-0.3", N: "USDC", m: true, rp: "0", S: "BUY" });
    expect(accountUpdates(messages)).toMatchObject([
      {
        m: "ORDER",
        B: [{ a: "USDC", wb: "100000.3", cw: "100000.3", bc: "0" }],
        P: [{ s: symbol, pa: "0.1", ep: "30000", mt: "cross", ps: "BOTH" }],
      },
    ]);
  });

  it("takes a fill back as an adjustment when its settlement fails, and the order keeps it", async () => {
    const { alice, bob, clock } = usdmWorld({ settlement: { failureRate: 1 } });
    const stream = alice.userStream();
    const { orderId } = alice.place("BUY", "0.1", "30000").json;
    bob.place("SELL", "0.1", "30000", { timeInForce: "IOC" });
    stream.take();
    await clock.runFor(5000);
    const messages = stream.take();

    expect(orderLines(messages)).toEqual([]);
    expect(accountUpdates(messages)).toMatchObject([
      { m: "ADJUSTMENT", B: [{ wb: "100000" }], P: [{ s: symbol, pa: "0" }] },
    ]);
    expect(alice.signed("GET", "/v1/order", { symbol, orderId }).json).toMatchObject({
      status: "FILLED",
      executedQty: "0.100",
      avgPrice: "30000",
    });
    const incomes = alice.signed("GET", "/v1/income", { symbol }).json;
    expect(incomes.map(({ income, info }: Message) => [income, info])).toEqual([
      ["0.3", "COMMISSION"],
      ["-0.3", "settlement failed"],
    ]);
  });

  it("says nothing of a failed settlement where the file wants that, and REST shows it", async () => {
    const { alice, bob, clock } = usdmWorld({
      settlement: { failureRate: 1 },
      dialects: { "binance-usdm": { failedSettlement: "silent" } },
    });
    alice.place("BUY", "0.1", "30000");
    bob.place("SELL", "0.1", "30000", { timeInForce: "IOC" });
    const stream = alice.userStream();
    await clock.runFor(5000);

    expect(stream.take()).toEqual([]);
    expect(alice.signed("GET", "/v3/positionRisk").json).toEqual([]);
    expect(alice.signed("GET", "/v1/income", { symbol }).json).toHaveLength(1);
  });

  it("has one key of an account, which lives as long as it is kept alive", async () => {
    const { alice, clock } = usdmWorld();
    const { listenKey } = alice.send("POST", "/v1/listenKey").json;
    expect(alice.send("POST", "/v1/listenKey").json.listenKey).toBe(listenKey);
    const stream = alice.stream(`/private/ws?listenKey=${listenKey}`);
    await clock.runFor(3_000_000);
    expect(alice.send("PUT", "/v1/listenKey").json.listenKey).toBe(listenKey);
    await clock.runFor(3_000_000);
    expect(stream.take()).toEqual([]);
    await clock.runFor(700_000);
    expect(stream.take()).toMatchObject([{ e: "listenKeyExpired", listenKey }]);
    expect(alice.send("PUT", "/v1/listenKey").json.code).toBe(-1125);

    const fresh = alice.send("POST", "/v1/listenKey").json.listenKey;
    expect(fresh).not.toBe(listenKey);
    expect(alice.send("DELETE", "/v1/listenKey").json).toEqual({});
    expect(alice.send("PUT", "/v1/listenKey").json.code).toBe(-1125);
  });

  it("sums its fills to the position that REST shows, whatever is placed and cancelled", async () => {
    const order = fc.record({
      who: fc.constantFrom("alice", "bob"),
      side: fc.constantFrom("BUY", "SELL"),
      steps: fc.integer({ min: -5, max: 5 }),
      lots: fc.integer({ min: 1, max: 500 }),
      timeInForce: fc.constantFrom("GTC", "IOC", "FOK", "GTX"),
      cancels: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(order, { maxLength: 30 }), async (orders) => {
        const world = usdmWorld();
        const streams = { alice: world.alice.userStream(), bob: world.bob.userStream() };
        for (const { who, side, steps, lots, timeInForce, cancels } of orders) {
          const client = world[who as "alice" | "bob"];
          const price = String(30_000 + steps);
          client.place(side as "BUY" | "SELL", (lots / 1000).toFixed(3), price, { timeInForce });
          if (cancels) client.signed("DELETE", "/v1/allOpenOrders", { symbol });
        }
        for (const who of ["alice", "bob"] as const) {
          const fills = streams[who].take().filter(({ o }: Message) => o?.x === "TRADE");
          const sum = fills.reduce(
            (total: number, { o }: Message) =>
              total + Math.round(Number(o.l) * 1000) * (o.S === "BUY" ? 1 : -1),
            0,
          );
          const [position] = world[who].signed("GET", "/v2/positionRisk", { symbol }).json;
          expect(sum).toBe(Math.round(Number(position.positionAmt) * 1000));
        }
      }),
      { numRuns: 20 },
    );
  });
});
