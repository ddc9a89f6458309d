import { describe, expect, it } from "vitest";
import { plainReader } from "#simulation/plain-reader.js";
import { KEYS, ReferenceClient, traders, virtualExchange } from "./reference-client.js";

/** Alice's account, and Bob's key as a client that acts for it. Carol is a third account. */
function world(config: Parameters<typeof traders>[0] = {}) {
  const made = traders(config);
  const { exchange, clock, alice } = made;
  const acting = new ReferenceClient(
    exchange,
    () => clock.nowMs(),
    KEYS[1],
    "10.0.0.9",
    true,
    alice.address,
  );
  const allow = (operator: string, isValid: string) =>
    alice.call("POST", "/operator", { operator, isValid });
  return { ...made, acting, allow };
}

function stream({ exchange, acting }: ReturnType<typeof world>) {
  const frames: string[] = [];
  const closes: { code: number; reason: string }[] = [];
  const { account, timestamp, signature } = acting.signed();
  const connection = exchange.connect(
    `/v1/single/account@${account}?timestamp=${timestamp}&signature=${signature}`,
    plainReader({
      send: (text) => frames.push(text),
      close: (code, reason) => closes.push({ code, reason }),
    }),
    "10.0.0.9",
  );
  return { connection, frames, closes };
}

describe("an operator", () => {
  it("may read and trade for the account from the moment it is named, and not before", () => {
    const { acting, alice, allow } = world();
    expect(acting.call("GET", "/v1/balances").json).toMatchObject({ code: 1012 });
    expect(allow(acting.address, "true")).toMatchObject({
      status: 200,
      json: { account: alice.address, operators: [acting.address.toLowerCase()] },
    });
    expect(acting.call("GET", "/v1/balances").status).toBe(200);
    expect(acting.call("GET", "/v1/account").json).toMatchObject({ address: alice.address });
    const placed = acting.place("BUY", "30000", "0.1");
    // The account stays the order's signer; only the key is another's.
    expect(placed.json).toMatchObject({ account: alice.address, json: { signer: alice.address } });
    expect(alice.openOrders()).toHaveLength(1);
    expect(acting.cancel(placed.json.id).status).toBe(204);
  });

  it("signs orders that the service built for the account, by a real key over the account's hash", () => {
    const { exchange, clock } = virtualExchange({
      accounts: { [new ReferenceClient(undefined as never, () => 0).address]: { operators: [] } },
    });
    const owner = new ReferenceClient(exchange, () => clock.nowMs()).register();
    const operator = new ReferenceClient(
      exchange,
      () => clock.nowMs(),
      KEYS[1],
      "10.0.0.2",
      false,
      owner.address,
    );
    const terms = {
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: "0.1",
      price: "30000",
      timeInForce: "GTC",
    };
    expect(operator.call("POST", "/v1/order/build", terms).json).toMatchObject({ code: 1012 });
    owner.call("POST", "/operator", { operator: operator.address, isValid: "true" });
    const built = operator.call("POST", "/v1/order/build", terms).json;
    expect(built.order.signer).toBe(owner.address);
    const place = (by: ReferenceClient) =>
      operator.call("POST", "/v1/order", {
        ...terms,
        info: built.order.info,
        orderSignature: by.wallet.signingKey.sign(built.orderHash).serialized,
      });
    const stranger = new ReferenceClient(exchange, () => clock.nowMs(), KEYS[2]);
    expect(place(stranger).json).toMatchObject({
      code: 1012,
      message: "Order Signature is invalid",
    });
    expect(place(operator).json).toMatchObject({ account: owner.address, hash: built.orderHash });
    expect(operator.place("BUY", "29000", "0.1").status).toBe(200);
  });

  it("is of one account only, and of no other", () => {
    const { acting, allow, exchange, clock, carol } = world();
    allow(acting.address, "true");
    const elsewhere = new ReferenceClient(
      exchange,
      () => clock.nowMs(),
      KEYS[1],
      "10.0.0.9",
      true,
      carol.address,
    );
    expect(elsewhere.call("GET", "/v1/balances").json).toMatchObject({ code: 1012 });
  });

  it("cannot register the account, name operators or withdraw", () => {
    const { acting, allow, exchange, clock } = world();
    allow(acting.address, "true");
    expect(acting.call("POST", "/v1/account").json).toMatchObject({ code: 1012 });
    expect(
      acting.call("POST", "/operator", { operator: acting.address, isValid: "true" }).json,
    ).toMatchObject({ code: 1012 });
    expect(acting.call("POST", "/withdraw", { amount: "1" }).json).toMatchObject({ code: 1012 });
    const fresh = `0x${"ab".repeat(20)}`;
    const opening = new ReferenceClient(
      exchange,
      () => clock.nowMs(),
      KEYS[1],
      "10.0.0.9",
      true,
      fresh,
    );
    expect(opening.call("POST", "/v1/account").json).toMatchObject({ code: 1012 });
    expect(exchange.account(fresh)).toBeUndefined();
  });

  it("loses all access at once when revoked: requests, orders, its resting orders and its stream", () => {
    const made = world();
    const { acting, alice, allow } = made;
    allow(acting.address, "true");
    acting.place("BUY", "30000", "0.1");
    alice.place("BUY", "29999", "0.2");
    const { closes, connection } = stream(made);
    expect(connection).not.toHaveProperty("refused");
    const prepared = acting.order("BUY", "29998", "0.1");
    expect(allow(acting.address, "false").json).toMatchObject({ operators: [] });
    expect(acting.call("GET", "/v1/balances").json).toMatchObject({ code: 1012 });
    // Signed while Bob was an operator, sent by the account itself.
    expect(alice.call("POST", "/v1/order", prepared).json).toMatchObject({ code: 1012 });
    expect(alice.openOrders()).toMatchObject([{ amount: "0.2" }]);
    expect(closes).toEqual([{ code: 1008, reason: "the operator was revoked" }]);
    expect(stream(made).connection).toMatchObject({ refused: { status: 400 } });
  });

  it("leaves its orders in the book where the venue says so", () => {
    const { acting, alice, allow } = world({ choices: { revokedOperatorOrders: "keep" } });
    allow(acting.address, "true");
    acting.place("BUY", "30000", "0.1");
    allow(acting.address, "false");
    expect(alice.openOrders()).toHaveLength(1);
  });

  it("follows the account by its stream", () => {
    const made = world();
    made.allow(made.acting.address, "true");
    const { frames } = stream(made);
    made.alice.place("BUY", "30000", "0.1");
    expect(frames.map((frame) => JSON.parse(frame).event)).toContain("ORDER_UPDATE");
  });

  it("may be named by the configuration, in any spelling, from the registration on", () => {
    const owner = new ReferenceClient(undefined as never, () => 0).address;
    const operator = new ReferenceClient(undefined as never, () => 0, KEYS[1]).address;
    const { acting } = world({ accounts: { [owner.toLowerCase()]: { operators: [operator] } } });
    expect(acting.call("GET", "/v1/balances").status).toBe(200);
  });

  it("must be an address, else 1110, and isValid must be true or false", () => {
    const { allow, alice, bob } = world();
    expect(allow("0x12", "true").json).toMatchObject({ code: 1110 });
    expect(allow(bob.address, "yes").json).toMatchObject({ code: 1111 });
    expect(alice.call("POST", "/operator", { isValid: "true" }).json).toMatchObject({ code: 1111 });
  });

  it("cannot be the account itself, since revoking it would cancel the account's own orders", () => {
    const { allow, alice } = world();
    alice.place("BUY", "30000", "0.1");
    expect(allow(alice.address, "true").json).toMatchObject({ code: 1111 });
    expect(allow(alice.address, "false").json).toMatchObject({ code: 1111 });
    expect(alice.openOrders()).toHaveLength(1);
  });

  it("is one of at most a hundred", async () => {
    const { allow, clock } = world();
    for (let count = 0; count < 100; count += 1) {
      expect(allow(`0x${String(count).padStart(40, "0")}`, "true").status).toBe(200);
    }
    expect(allow(`0x${"f".repeat(40)}`, "true").json).toMatchObject({ code: 1111 });
    await clock.runFor(1);
    expect(allow(`0x${"0".repeat(40)}`, "true").status).toBe(200);
  });

  it("cannot be restored after its revocation by repeating the request that named it", () => {
    const { acting, alice, allow } = world();
    const named = alice.signed({ operator: acting.address, isValid: "true" });
    expect(alice.raw("POST", "/operator", named, "form").status).toBe(200);
    expect(allow(acting.address, "false").status).toBe(200);
    expect(alice.raw("POST", "/operator", named, "form").json).toMatchObject({ code: 1012 });
    expect(acting.call("GET", "/v1/balances").json).toMatchObject({ code: 1012 });
  });
});

describe("a valid signature of another key", () => {
  it("is 1012 by default and 1010 where the venue says so, while a bad one stays 1012", () => {
    const { acting } = world();
    expect(acting.call("GET", "/v1/balances")).toMatchObject({ status: 400, json: { code: 1012 } });
    const other = world({ choices: { foreignSigner: "1010" } });
    expect(other.acting.call("GET", "/v1/balances")).toMatchObject({
      status: 401,
      json: { code: 1010 },
    });
    expect(
      other.alice.raw("GET", "/v1/balances", { ...other.alice.signed(), signature: "0x12" }).json,
    ).toMatchObject({ code: 1012 });
  });
});

describe("a fee agreement", () => {
  const agreement = (address: string) => ({
    accounts: {
      [address]: { feeRates: { btcusdc: { makerFeeRate: "-0.0002", takerFeeRate: "0.0001" } } },
    },
  });

  it("has the account sign and pay its own rates, and nobody else", () => {
    const owner = new ReferenceClient(undefined as never, () => 0).address;
    const { alice, bob } = traders(agreement(owner.toLowerCase()));
    const special = { makerRate: -2n * 10n ** 14n, takerRate: 10n ** 14n };
    expect(bob.place("SELL", "30000", "1").status).toBe(200);
    expect(alice.place("BUY", "30000", "1").json).toMatchObject({ code: 4012 });
    expect(alice.place("BUY", "30000", "1", special).status).toBe(200);
    // One basis point of 30,000 instead of three.
    expect(alice.balances().balances.netValue).toBe("99997");
    expect(bob.place("SELL", "30000", "1", special).json).toMatchObject({ code: 4012 });
    const terms = {
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: "0.1",
      price: "30000",
      timeInForce: "GTC",
    };
    const { info } = alice.call("POST", "/v1/order/build", terms).json.order;
    expect(info.slice(0, 34)).toBe(
      `0x${BigInt.asUintN(64, special.makerRate).toString(16)}${special.takerRate.toString(16).padStart(16, "0")}`,
    );
  });

  it("about an unknown market, or with invalid rates, is refused with its place in the file", () => {
    const about = (marketId: string, takerFeeRate: string) =>
      traders({
        accounts: {
          [`0x${"11".repeat(20)}`]: {
            feeRates: { [marketId]: { makerFeeRate: "0", takerFeeRate } },
          },
        },
      });
    expect(() => about("dogeusdc", "0")).toThrow(/accounts\.0x1{40}\.feeRates\.dogeusdc/);
    expect(() => about("btcusdc", "1")).toThrow(/takerFeeRate.*between -1 and 1/);
    expect(() => about("btcusdc", "0.0000000000000000001")).toThrow(/takerFeeRate.*18 decimals/);
  });
});
