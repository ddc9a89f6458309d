import { expect } from "vitest";
import { START_MS } from "../reference-client.js";
import { type Cases, history, info, MARKET, TERMS, type World } from "./case.js";

/** Bob's BUY crosses his own resting SELL; returns the final status of each. */
function crossesItself({ bob }: World): { resting: string; incoming: string } {
  const resting = bob.place("SELL", "30000", "0.1").json.id;
  const incoming = bob.place("BUY", "30000", "0.1").json.id;
  const statusOf = (id: number) => {
    const open = bob.call("GET", "/v1/openOrder", { ...MARKET, orderId: String(id) });
    return open.status === 200
      ? open.json.status
      : bob.call("GET", "/v1/order", { ...MARKET, orderId: String(id) }).json.status;
  };
  return { resting: statusOf(resting), incoming: statusOf(incoming) };
}

/** The outcome of a placed order. */
export const ORDER_CHOICES = {
  crossingPostOnly: ["EXPIRED", "CANCELED", "REJECT"].map((value) => ({
    value,
    sees: (world) => {
      world.alice.place("SELL", "30000", "0.1");
      const answer = world.bob.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" });
      if (value === "REJECT") {
        expect(answer.json).toMatchObject({ code: 2016 });
        expect(history(world)).toEqual([]);
      } else {
        expect(answer.json).toMatchObject({ status: "NEW" });
        expect(history(world)).toMatchObject([{ status: value }]);
      }
    },
  })),
  selfMatch: [
    {
      value: "cancel-resting",
      sees: (world) =>
        expect(crossesItself(world)).toEqual({ resting: "CANCELED", incoming: "NEW" }),
    },
    {
      value: "cancel-incoming",
      sees: (world) =>
        expect(crossesItself(world)).toEqual({ resting: "NEW", incoming: "CANCELED" }),
    },
    {
      value: "cancel-both",
      sees: (world) =>
        expect(crossesItself(world)).toEqual({ resting: "CANCELED", incoming: "CANCELED" }),
    },
  ],
  selfMatchEnd: ["CANCELED", "EXPIRED"].map((value) => ({
    value,
    also: { selfMatch: "cancel-both" },
    sees: (world) => expect(crossesItself(world)).toEqual({ resting: value, incoming: value }),
  })),
  unfilledFok: ["EXPIRED", "CANCELED", "REJECT"].map((value) => ({
    value,
    sees: (world) => {
      world.alice.place("SELL", "30000", "0.1");
      const answer = world.bob.place("BUY", "30000", "0.2", { timeInForce: "FOK" });
      if (value === "REJECT") {
        expect(answer.json).toMatchObject({ code: 2016 });
        expect(history(world)).toEqual([]);
        expect(world.bob.place("BUY", "30000", "0.1", { timeInForce: "FOK" }).status).toBe(200);
      } else {
        expect(history(world)).toMatchObject([
          { status: value, filledAmount: "0", pendingAmount: "0" },
        ]);
      }
    },
  })),
  iocRemainder: ["EXPIRED", "CANCELED"].map((value) => ({
    value,
    sees: (world) => {
      world.alice.place("SELL", "30000", "0.1");
      world.bob.place("BUY", "30000", "0.3", { timeInForce: "IOC" });
      world.bob.place("BUY", "30000", "0.3", { type: "MARKET" });
      const left = value === "EXPIRED" ? "expiredAmount" : "canceledAmount";
      expect(history(world)).toMatchObject([
        { status: value, pendingAmount: "0.1", [left]: "0.2" },
        { status: value, pendingAmount: "0", [left]: "0.3" },
      ]);
    },
  })),
  acceptedStatus: ["NEW", "CREATED"].map((value) => ({
    value,
    sees: ({ alice }) => {
      expect(alice.place("BUY", "30000", "0.1").json).toMatchObject({ status: value });
      expect(alice.openOrders()).toMatchObject([{ status: "NEW" }]);
    },
  })),
  gttWithoutExpiration: [
    {
      value: "reject",
      sees: ({ alice }) =>
        expect(
          alice.call("POST", "/v1/order/build", { ...TERMS, timeInForce: "GTT" }).json,
        ).toMatchObject({ code: 1111 }),
    },
    {
      value: "default-life",
      sees: ({ alice }) => {
        const infoExpirationSeconds = BigInt(START_MS / 1000 + 90);
        expect(
          alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", infoExpirationSeconds }).json,
        ).toMatchObject({
          expiration: START_MS + 90_000,
        });
      },
    },
  ],
  gttDefaultLifeMs: [3_600_000, 90_000].map((value) => ({
    value,
    also: { gttWithoutExpiration: "default-life" },
    sees: ({ alice }) => {
      const built = alice.call("POST", "/v1/order/build", { ...TERMS, timeInForce: "GTT" }).json;
      expect(Number(BigInt(`0x${built.order.info.slice(34, 50)}`)) * 1000).toBe(START_MS + value);
    },
  })),
  expirationUnit: [
    {
      value: "ms",
      sees: ({ alice }) => {
        const expirationMs = START_MS + 90_000;
        expect(
          alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs }).json,
        ).toMatchObject({ expiration: expirationMs });
      },
    },
    {
      value: "s",
      sees: ({ alice }) => {
        const expirationMs = START_MS + 90_000;
        const expiration = expirationMs / 1000;
        const order = alice.order("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs });
        expect(alice.call("POST", "/v1/order", order).json).toMatchObject({ code: 1111 });
        expect(
          alice.call("POST", "/v1/order", { ...order, expiration: String(expiration) }).json,
        ).toMatchObject({ expiration });
      },
    },
  ],
  expirationWithoutGtt: [
    {
      value: "ignore",
      sees: ({ alice }) =>
        expect(
          alice.place("BUY", "30000", "0.1", { overrides: { expiration: "5" } }).json,
        ).toMatchObject({ expiration: 0 }),
    },
    {
      value: "reject",
      sees: ({ alice }) =>
        expect(
          alice.place("BUY", "30000", "0.1", { overrides: { expiration: "5" } }).json,
        ).toMatchObject({ code: 1111 }),
    },
  ],
  buyCreditRounding: [
    ["up", "-3001"],
    ["down", "-3000"],
  ].map(([value, creditAmount]) => ({
    value,
    config: {
      creditDecimals: 2,
      markets: { btcusdc: { tickSize: "0.01", priceQuote: { min: "0.01" } } },
    },
    sees: ({ alice }) => {
      // 30000.01 x 0.001 in hundredths.
      const built = alice.call("POST", "/v1/order/build", {
        ...TERMS,
        amount: "0.001",
        price: "30000.01",
      }).json;
      expect(built.order).toMatchObject({ creditAmount });
    },
  })),
  postOnly: [
    {
      value: "accept",
      sees: (world) => {
        expect(info(world).markets[0].timeInForce).toContain("POST_ONLY");
        expect(world.alice.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" }).status).toBe(
          200,
        );
      },
    },
    {
      value: "reject",
      sees: (world) => {
        expect(info(world).markets[0].timeInForce).not.toContain("POST_ONLY");
        expect(
          world.alice.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" }).json,
        ).toMatchObject({ code: 1111 });
      },
    },
  ],
} satisfies Cases;
