import { expect } from "vitest";
import { type PlaceOptions, START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { BTC, build, codeOf, open } from "./limit-orders.js";
import { worlds } from "./world.js";

const world = worlds();
const MINUTE = 60_000;
const WEEK = 7 * 86_400_000;
const TEN_YEARS_SECONDS = 315_360_000;

conforms(
  "R17",
  "exchange",
  "GTT lives more than a minute and less than a week, to the millisecond, built or placed",
  async () => {
    const { alice } = await world();
    for (const [life, code] of [
      [MINUTE, 1111],
      [MINUTE + 1, 200],
      [WEEK - 1, 200],
      [WEEK, 1111],
    ] as const) {
      const expirationMs = START_MS + life;
      expect([
        life,
        codeOf(await build(alice, { timeInForce: "GTT", expiration: String(expirationMs) })),
      ]).toEqual([life, code]);
      expect([
        life,
        codeOf(await alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs })),
      ]).toEqual([life, code]);
    }
  },
);

conforms(
  "R18",
  "exchange",
  "without GTT the expiration in info is more than ten years ahead, to the second",
  async () => {
    const { alice } = await world();
    const now = Math.floor(START_MS / 1000);
    for (const timeInForce of ["GTC", "IOC", "FOK", "POST_ONLY"]) {
      const at = async (seconds: number) =>
        codeOf(
          await alice.place("BUY", "30000", "0.1", {
            timeInForce,
            infoExpirationSeconds: BigInt(now + seconds),
          }),
        );
      expect([
        timeInForce,
        await at(TEN_YEARS_SECONDS),
        await at(TEN_YEARS_SECONDS - 86_400),
        await at(60),
        await at(TEN_YEARS_SECONDS + 3),
      ]).toEqual([timeInForce, 4012, 4012, 4012, 200]);
    }
  },
);

conforms("R19", "exchange", "a GTT info says the very second of the parameter", async () => {
  const { alice } = await world();
  const expirationMs = START_MS + 90_000;
  const at = async (seconds: number) =>
    codeOf(
      await alice.place("BUY", "30000", "0.1", {
        timeInForce: "GTT",
        expirationMs,
        infoExpirationSeconds: BigInt(expirationMs / 1000 + seconds),
      }),
    );
  expect([
    await at(0),
    await at(1),
    await at(-1),
    await at(3600),
    await at(TEN_YEARS_SECONDS),
  ]).toEqual([200, 4012, 4012, 4012, 4012]);
});

conforms(
  "R21",
  "exchange",
  "GTC rests what is left, and trades at the price of who rested",
  async () => {
    const { alice, bob } = await world();
    await bob.place("SELL", "30000", "0.1");
    await bob.place("SELL", "30005", "0.1");
    await alice.place("BUY", "30004", "0.3");
    expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([
      { price: "30000", amount: "0.1" },
    ]);
    expect((await alice.read("/v1/orderbook", BTC)).json).toMatchObject({
      bids: [["30004", "0.2"]],
      asks: [["30005", "0.1"]],
    });
  },
);

conforms(
  "R21",
  "exchange",
  "of two at one price the earlier trades first, and a better price before both",
  async () => {
    const { alice, bob, carol } = await world();
    await bob.place("SELL", "30000", "0.1");
    await carol.place("SELL", "30000", "0.1");
    await carol.place("SELL", "29999", "0.1");
    await alice.place("BUY", "30000", "0.2");
    expect(
      (await open(bob)).map(({ pendingAmount }: { pendingAmount: string }) => pendingAmount),
    ).toEqual(["0.1"]);
    expect(
      (await open(carol)).map(({ pendingAmount }: { pendingAmount: string }) => pendingAmount),
    ).toEqual(["0", "0.1"]);
  },
);

/**
 * The outcome of an order that met 0.1 at 30,000: its status, the traded and the expired amount,
 * and whether it still rests.
 */
async function fate(options: PlaceOptions, amount: string, price = "30000") {
  const { alice, bob } = await world();
  await bob.place("SELL", "30000", "0.1");
  const { id } = (await alice.place("BUY", price, amount, options)).json;
  const active = (await open(alice)).find((order: { id: number }) => order.id === id);
  const order = active ?? (await alice.ask("/v1/order", { ...BTC, orderId: String(id) }));
  return {
    status: order.status,
    traded: order.pendingAmount,
    expired: order.expiredAmount,
    rests: order.availableAmount,
  };
}

conforms("R21", "exchange", "IOC takes what is there and lets the rest expire", async () => {
  expect(await fate({ timeInForce: "IOC" }, "0.3")).toEqual({
    status: "EXPIRED",
    traded: "0.1",
    expired: "0.2",
    rests: "0",
  });
  expect(await fate({ timeInForce: "IOC" }, "0.3", "29999")).toEqual({
    status: "EXPIRED",
    traded: "0",
    expired: "0.3",
    rests: "0",
  });
});

conforms("R21", "exchange", "FOK takes all or nothing", async () => {
  expect(await fate({ timeInForce: "FOK" }, "0.1")).toMatchObject({ traded: "0.1", expired: "0" });
  expect(await fate({ timeInForce: "FOK" }, "0.101")).toEqual({
    status: "EXPIRED",
    traded: "0",
    expired: "0.101",
    rests: "0",
  });
});

conforms(
  "R21",
  "exchange",
  "POST_ONLY never takes: crossing it ends as the venue chooses, else it rests",
  async () => {
    expect(await fate({ timeInForce: "POST_ONLY" }, "0.1")).toEqual({
      status: "EXPIRED",
      traded: "0",
      expired: "0.1",
      rests: "0",
    });
    expect(await fate({ timeInForce: "POST_ONLY" }, "0.1", "29999.9")).toEqual({
      status: "NEW",
      traded: "0",
      expired: "0",
      rests: "0.1",
    });
    const { alice, bob } = await world({ choices: { crossingPostOnly: "REJECT" } });
    await bob.place("SELL", "30000", "0.1");
    expect(codeOf(await alice.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" }))).toBe(
      2016,
    );
  },
);

conforms(
  "R21",
  "exchange",
  "GTT rests until its instant and not one millisecond longer",
  async () => {
    const { alice, clock } = await world();
    const expirationMs = START_MS + 90_000;
    await alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs });
    await clock.runUntil(expirationMs - 1);
    expect(await open(alice)).toMatchObject([{ status: "NEW" }]);
    await clock.runUntil(expirationMs);
    expect(await open(alice)).toEqual([]);
    expect(await alice.ask("/v1/historyOrders", BTC)).toMatchObject([
      { status: "EXPIRED", expiredAmount: "0.1" },
    ]);
  },
);

conforms(
  "R21",
  "exchange",
  "MARKET never rests and never passes its worst price, buying or selling",
  async () => {
    expect(await fate({ type: "MARKET", timeInForce: "GTC" }, "0.3")).toEqual({
      status: "EXPIRED",
      traded: "0.1",
      expired: "0.2",
      rests: "0",
    });
    expect(await fate({ type: "MARKET", timeInForce: "IOC" }, "0.1", "29999.9")).toEqual({
      status: "EXPIRED",
      traded: "0",
      expired: "0.1",
      rests: "0",
    });
    const { alice, bob } = await world();
    await bob.place("BUY", "30000", "0.1");
    await bob.place("BUY", "29990", "0.1");
    await alice.place("SELL", "29995", "0.2", { type: "MARKET", timeInForce: "IOC" });
    expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([
      { price: "30000", amount: "0.1", isBuyer: false, orderType: "MARKET" },
    ]);
    for (const timeInForce of ["POST_ONLY", "GTT"]) {
      const answer = await alice.place("BUY", "30000", "0.1", {
        type: "MARKET",
        timeInForce,
        ...(timeInForce === "GTT" ? { expirationMs: START_MS + 90_000 } : {}),
      });
      expect(codeOf(answer)).toBe(2016);
    }
  },
);
