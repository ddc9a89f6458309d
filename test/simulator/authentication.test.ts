import { describe, expect, it } from "vitest";
import { bytesToHex } from "#core/hex.js";
import { ecdsaScheme } from "#core/signing.js";
import { plainReader } from "#simulation/plain-reader.js";
import { VenueOrderHasher, venueDomainSeparator } from "#simulator/order-hash.js";
import { readOrderInfo } from "#simulator/order-info.js";
import { signedString, venueRequestDigest } from "#simulator/request-digest.js";
import { encode, KEYS, ReferenceClient, virtualExchange } from "./reference-client.js";

function client(config: Parameters<typeof virtualExchange>[0] = {}) {
  const { exchange, clock } = virtualExchange(config);
  return { exchange, clock, alice: new ReferenceClient(exchange, () => clock.nowMs()).register() };
}

describe("the published request vector", () => {
  const message = "account=0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf&timestamp=1";
  const signature =
    "0x242e3704e2cbe5a242c604f312448626029480c2cb9403883834c58fd2a2e7e21f60c100bc74d13554e1c722f403ece645d344347a875cf08618de3acf5b76bb01";

  it("hashes as a personal message and recovers its signer, by v 1 as by v 28", () => {
    const digest = venueRequestDigest(message);
    expect(bytesToHex(digest)).toBe(
      "0x85d676ee821d5c20716fbeb15d13d746aed151347de335fd9c8ab06497f54802",
    );
    expect(ecdsaScheme.recover(digest, signature)).toBe(
      "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
    );
    expect(ecdsaScheme.recover(digest, `${signature.slice(0, -2)}1c`)).toBe(
      "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
    );
  });

  it("is over the sorted, form-encoded parameters without the signature", () => {
    const parameters = new Map([
      ["timestamp", "1"],
      ["signature", "0x00"],
      ["account", "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"],
    ]);
    expect(signedString(parameters)).toBe(message);
    expect(
      signedString(
        new Map([
          ["b", "x y/+=~*'()!"],
          ["a", "é"],
        ]),
      ),
    ).toBe("a=%C3%A9&b=x+y%2F%2B%3D~%2A%27%28%29%21");
  });
});

describe("the order vectors", () => {
  const info1 = "0xffffa50cef85c000000110d9316ec000000000007a432b800000000000000001";
  const info2 = "0x00005af3107a40000001c6bf52634000000000006553ff10ffffffffffffffff";
  const local = {
    name: "JOJO",
    version: "1",
    chainId: 31337,
    verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  };
  const base = {
    ...local,
    chainId: 8453,
    verifyingContract: "0x2f7c3cF9D9280B165981311B822BecC4E05Fe635",
  };
  const k0 = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
  const k1 = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  const perp = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";
  const basePerp = "0xcd12b2fC3b0152c6D998337E4444C72C59b25fe1";
  it.each([
    [
      "V1",
      local,
      perp,
      k0,
      20000000000000000n,
      -40000000n,
      info1,
      "0x7a899419cb1665ceccbdda32dc55ab7424e5911ab1607165b869197d9fb3ac9b",
    ],
    [
      "V2",
      local,
      perp,
      k1,
      -1095303000000000000n,
      69999357977n,
      info2,
      "0xef65ac32dbc4cb938377b7853d3f6bf9fac04e88536a52b59f19b29868769120",
    ],
    [
      "V3a",
      local,
      perp,
      k0,
      1095303000000000000n,
      -69999357978n,
      info1,
      "0xa41c6f07a9a5a33f88c8844c68af032a25771d10e24a746677f121e5615aeae2",
    ],
    [
      "V4",
      base,
      basePerp,
      k0,
      10n ** 18n,
      -30000000000n,
      info1,
      "0x6851a7fdb1364a9d38e0a0118e492a19377c65bd4621c34fa0d51080bb46dfd3",
    ],
    [
      "V5",
      base,
      basePerp,
      k1,
      -(10n ** 18n),
      30000000000n,
      info2,
      "0x471ac5d86496c85970d1e243a1f6d04f37b6b7ed2bfe116d09f64521acfdf9b9",
    ],
  ])(
    "%s hashes as the contracts do",
    (_name, domain, market, signer, paper, credit, info, expected) => {
      const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), "hex"));
      const hasher = new VenueOrderHasher(venueDomainSeparator(domain));
      expect(
        bytesToHex(hasher.hash(bytes(market), bytes(signer), paper, credit, bytes(info))),
      ).toBe(expected);
    },
  );

  it("read a negative maker rate as two's complement", () => {
    expect(readOrderInfo(info1)).toMatchObject({
      makerRate: -(10n ** 14n),
      takerRate: 3n * 10n ** 14n,
      nonce: 1n,
    });
  });
});

describe("a private request", () => {
  it("is refused without account, signature or with a stranger's", () => {
    const { alice, exchange, clock } = client();
    const bob = new ReferenceClient(exchange, () => clock.nowMs(), KEYS[1]);
    expect(alice.raw("GET", "/v1/balances")).toMatchObject({ status: 401, json: { code: 1010 } });
    expect(alice.raw("GET", "/v1/balances", { account: "0x12" })).toMatchObject({
      status: 400,
      json: { code: 1110 },
    });
    expect(alice.raw("GET", "/v1/balances", { account: alice.address })).toMatchObject({
      json: { code: 1010 },
    });
    const stolen = { ...bob.signed(), account: alice.address };
    expect(alice.raw("GET", "/v1/balances", stolen)).toMatchObject({
      json: { code: 1012, codeText: "Invalid signature" },
    });
    expect(bob.call("GET", "/v1/balances")).toMatchObject({ status: 401, json: { code: 1010 } });
  });

  it("is refused outside the 5 s window, either way, and taken on its edge", () => {
    const { alice, clock } = client();
    const at = (offsetMs: number) =>
      alice.call("GET", "/v1/balances", { timestamp: String(clock.nowMs() + offsetMs) });
    expect(at(-5001).json).toMatchObject({ code: 1011 });
    expect(at(5001).json).toMatchObject({ code: 1011 });
    expect(at(-5000).status).toBe(200);
    expect(at(5000).status).toBe(200);
    expect(alice.call("GET", "/v1/balances", { timestamp: "now" }).json).toMatchObject({
      code: 1011,
    });
  });

  it("is bound to every character of its parameters", () => {
    const { alice } = client();
    const signed = alice.signed({ marketId: "btcusdc", limit: "100" });
    expect(alice.raw("GET", "/v1/historyOrders", signed).status).toBe(200);
    expect(alice.raw("GET", "/v1/historyOrders", { ...signed, limit: "0100" }).json).toMatchObject({
      code: 1012,
    });
    const more = { ...signed, startTime: "1" };
    expect(alice.raw("GET", "/v1/historyOrders", more).json).toMatchObject({ code: 1012 });
  });

  it("may carry its signature with v 0 or 1, and without 0x", () => {
    const { alice } = client();
    const { signature, ...rest } = alice.signed();
    const raw = `${signature?.slice(0, -2)}${signature?.endsWith("1b") ? "00" : "01"}`;
    expect(alice.raw("GET", "/v1/balances", { ...rest, signature: raw }).status).toBe(200);
    expect(
      alice.raw("GET", "/v1/balances", { ...rest, signature: signature?.slice(2) ?? "" }).status,
    ).toBe(200);
    expect(alice.raw("GET", "/v1/balances", { ...rest, signature: "0xzz" }).json).toMatchObject({
      code: 1012,
    });
  });

  it.each([
    ["without 0x", (hex: string) => hex.slice(2)],
    ["in upper case", (hex: string) => `0x${hex.slice(2).toUpperCase()}`],
    ["in upper case, with the prefix", (hex: string) => hex.toUpperCase()],
    ["in upper case, without 0x", (hex: string) => hex.slice(2).toUpperCase()],
  ])("is taken with its signatures and hashes %s, wherever one enters", (_, spelled) => {
    const { exchange, clock } = virtualExchange();
    const client = new ReferenceClient(exchange, () => clock.nowMs());
    const send = (
      method: string,
      path: string,
      parameters: Record<string, string | undefined> = {},
    ) => {
      const { signature = "", ...rest } = client.signed(parameters);
      return client.raw(
        method,
        path,
        { ...rest, signature: spelled(signature) },
        method === "POST" ? "form" : "query",
      );
    };
    const answered = (
      method: string,
      path: string,
      parameters: Record<string, string | undefined> = {},
    ) =>
      expect([path, send(method, path, parameters).status]).toEqual([
        path,
        method === "DELETE" ? 204 : 200,
      ]);
    answered("POST", "/v1/account");
    for (const path of ["/v1/account", "/v1/balances", "/v1/positions", "/v1/openOrders"])
      answered("GET", path);
    answered("POST", "/withdraw", { amount: "1" });
    answered("POST", "/operator", { operator: `0x${"12".repeat(20)}`, isValid: "true" });

    const order = client.order("BUY", "30000", "0.1");
    const { info = "", orderSignature = "" } = order;
    const spelledOrder = { ...order, info: spelled(info), orderSignature: spelled(orderSignature) };
    const placed = send("POST", "/v1/order", spelledOrder);
    // The response has one spelling, whatever the request's, and another spelling of an order is
    // the same order.
    expect(placed).toMatchObject({
      status: 200,
      json: { json: { info }, hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
    expect(send("POST", "/v1/order", { ...order, info, orderSignature }).json).toMatchObject({
      code: 2016,
    });
    answered("DELETE", "/v1/order", { marketId: "btcusdc", orderId: String(placed.json.id) });

    const { account, timestamp, signature = "" } = client.signed();
    const path = `/v1/single/account@${account}?timestamp=${timestamp}&signature=${spelled(signature)}`;
    expect(exchange.connect(path, plainReader(), "10.0.0.1")).not.toHaveProperty("refused");
  });

  it("may be sent as form, as JSON, or split between query and body, where the body wins", () => {
    const { alice, exchange } = client();
    const order = () => alice.signed(alice.order("BUY", "30000", "0.1"));
    expect(alice.raw("POST", "/v1/order", order(), "form").status).toBe(200);
    expect(alice.raw("POST", "/v1/order", order(), "json").status).toBe(200);
    expect(alice.raw("POST", "/v1/order", order(), "query").status).toBe(200);
    const { price, side, ...rest } = order();
    const answer = exchange.handle({
      method: "POST",
      path: "/v1/order",
      query: encode({ price: "1", side: side ?? "" }),
      body: encode({ ...rest, price: price ?? "" }),
      contentType: "application/x-www-form-urlencoded; charset=utf-8",
      ip: "10.0.0.1",
    });
    expect(answer.status).toBe(200);
    expect(alice.openOrders()).toHaveLength(4);
  });

  it("with a JSON integer is signed by its digits, and with a JSON decimal is refused", () => {
    const { alice, exchange } = client();
    const signed = alice.signed({ marketId: "btcusdc", side: "BUY" });
    const send = (body: string) =>
      JSON.parse(
        exchange.handle({
          method: "POST",
          path: "/v1/order/build",
          query: "",
          body,
          contentType: "application/json",
          ip: "x",
        }).body,
      );
    const { timestamp, ...rest } = signed;
    expect(send(JSON.stringify({ ...rest, timestamp: Number(timestamp) })).message).toContain(
      "orderType",
    );
    expect(send(JSON.stringify({ ...signed, price: 0.5 }))).toMatchObject({ code: 1111 });
    expect(send("{")).toMatchObject({ code: 1111 });
    expect(send("[]")).toMatchObject({ code: 1111 });
  });

  it("is refused when a parameter is there twice or is no UTF-8", () => {
    const { alice, exchange } = client();
    const get = (query: string) =>
      JSON.parse(
        exchange.handle({ method: "GET", path: "/v1/trades", query, body: "", ip: "x" }).body,
      );
    expect(get("marketId=btcusdc&marketId=btcusdc")).toMatchObject({ code: 1111 });
    expect(get("marketId=btcusdc&%6DarketId=ethusdc")).toMatchObject({ code: 1111 });
    expect(get("marketId=%E0%A4%A")).toMatchObject({ code: 1111 });
    const post = (path: string, body: string) =>
      JSON.parse(
        exchange.handle({
          method: "POST",
          path,
          query: "",
          body,
          contentType: "application/json",
          ip: "x",
        }).body,
      );
    const once = JSON.stringify({ ...alice.signed({ amount: "1" }) });
    for (const more of [
      '"amount":"2"',
      '"\\u0061mount":"1"',
      `"account":"${alice.address}"`,
      '"other":{"x":1,"x":2}',
    ]) {
      const answer = post("/withdraw", `${once.slice(0, -1)},${more}}`);
      expect(answer, more).toMatchObject({ code: 1111, message: expect.stringContaining("twice") });
    }
    expect(
      post("/faucet", `{"account":"${alice.address}","amount":"1","amount":"5"}`),
    ).toMatchObject({ code: 1111 });
    expect(post("/withdraw", once), "none of them counted").toMatchObject({ amount: "1" });
    expect(alice.address).toMatch(/^0x/);
  });
});

describe("a signed order", () => {
  it("is refused when another signed it, when v is not 27 or 28, or when what is asked is not what was signed", () => {
    const { alice, exchange, clock } = client();
    const bob = new ReferenceClient(exchange, () => clock.nowMs(), KEYS[1]).register();
    const order = alice.order("BUY", "30000", "0.1");
    const foreign = { ...order, orderSignature: bob.order("BUY", "30000", "0.1").orderSignature };
    expect(alice.call("POST", "/v1/order", foreign).json).toMatchObject({
      code: 1012,
      message: "Order Signature is invalid",
    });
    const raw = `${order.orderSignature?.slice(0, -2)}${order.orderSignature?.endsWith("1b") ? "00" : "01"}`;
    expect(alice.call("POST", "/v1/order", { ...order, orderSignature: raw }).json).toMatchObject({
      code: 1012,
    });
    for (const other of [{ price: "30000.1" }, { amount: "0.2" }, { side: "SELL" }]) {
      expect(alice.call("POST", "/v1/order", { ...order, ...other }).json).toMatchObject({
        code: 1012,
      });
    }
    expect(alice.call("POST", "/v1/order", order).status).toBe(200);
  });

  it("is taken once: a second order of the same hash is refused, even after the first is gone", () => {
    const { alice } = client();
    const order = alice.order("BUY", "30000", "0.1");
    const { id } = alice.call("POST", "/v1/order", order).json;
    expect(alice.call("POST", "/v1/order", order).json).toMatchObject({ code: 2016 });
    alice.cancel(id);
    expect(alice.call("POST", "/v1/order", order).json).toMatchObject({ code: 2016 });
    expect(alice.openOrders()).toEqual([]);
  });

  it("rounds an inexact BUY up and an inexact SELL down", () => {
    const { alice } = client({
      creditDecimals: 2,
      markets: { btcusdc: { tickSize: "0.01", priceQuote: { min: "0.01" } } },
    });
    // 30000.01 x 0.001 is 30.00001: 30.01 for the buyer, 30.00 for the seller, in hundredths.
    const build = (side: string) =>
      alice.call("POST", "/v1/order/build", {
        marketId: "btcusdc",
        side,
        orderType: "LIMIT",
        amount: "0.001",
        price: "30000.01",
        timeInForce: "GTC",
      }).json;
    expect(build("BUY").order).toMatchObject({
      creditAmount: "-3001",
      paperAmount: "1000000000000000",
    });
    expect(build("SELL").order).toMatchObject({
      creditAmount: "3000",
      paperAmount: "-1000000000000000",
    });
  });

  it("may be built by the service, checked by its hash, and placed with the token that was given for it", () => {
    const { alice } = client();
    const terms = {
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: "0.1",
      price: "30000",
      timeInForce: "GTC",
    };
    const built = alice.call("POST", "/v1/order/build", terms).json;
    const signature = alice.wallet.signingKey.sign(built.orderHash).serialized;
    const place = (more: Record<string, string>) =>
      alice.call("POST", "/v1/order", {
        ...terms,
        info: built.order.info,
        orderSignature: signature,
        ...more,
      });
    expect(place({ gasFeeQuotation: `${built.gasFeeQuotation}0` }).json).toMatchObject({
      code: 4012,
    });
    expect(place({ gasFeeQuotation: built.gasFeeQuotation }).json).toMatchObject({
      hash: built.orderHash,
      status: "NEW",
    });
    expect(built.packedOrder).toHaveLength(2 + 5 * 64);
  });

  it("needs that token below the waiver, and no other order's or an old one", async () => {
    const { alice, clock } = client({ choices: { waiveGasFeeMinimumAmount: "5000" } });
    expect(alice.place("BUY", "30000", "0.1").json).toMatchObject({ code: 4012 });
    expect(alice.place("BUY", "30000", "0.2").status).toBe(200);
    const terms = {
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: "0.1",
      price: "30000",
      timeInForce: "GTC",
    };
    const [one, other] = [
      alice.call("POST", "/v1/order/build", terms).json,
      alice.call("POST", "/v1/order/build", terms).json,
    ];
    const place = (token: string) =>
      alice.call("POST", "/v1/order", {
        ...terms,
        info: one.order.info,
        orderSignature: alice.wallet.signingKey.sign(one.orderHash).serialized,
        gasFeeQuotation: token,
      });
    expect(place(other.gasFeeQuotation).json).toMatchObject({ code: 4012 });
    await clock.runFor(60_001);
    expect(place(one.gasFeeQuotation).json).toMatchObject({ code: 4012 });
    await clock.runFor(1);
    const fresh = alice.call("POST", "/v1/order/build", terms).json;
    expect(
      alice.call("POST", "/v1/order", {
        ...terms,
        info: fresh.order.info,
        orderSignature: alice.wallet.signingKey.sign(fresh.orderHash).serialized,
        gasFeeQuotation: fresh.gasFeeQuotation,
      }).status,
    ).toBe(200);
  });
});
