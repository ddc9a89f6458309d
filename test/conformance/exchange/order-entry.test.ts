import { Wallet } from "ethers";
import { expect } from "vitest";
import { KEYS, type PlaceOptions } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { BTC, build, codeOf, open, TERMS } from "./limit-orders.js";
import { type Fields, type Trader, trade, worlds } from "./world.js";

const world = worlds();
const TEN_YEARS_SECONDS = 315_360_000;

/** Has the service build an order, signs its hash and sends it; `change` bends what is sent. */
async function placeBuilt(trader: Trader, terms: Fields = {}, change: Fields = {}) {
  const built = (await build(trader, terms)).json;
  const orderSignature = trader.reference.wallet.signingKey.sign(built.orderHash).serialized;
  const { info } = built.order;
  return trader.call("POST", "/v1/order", {
    ...TERMS,
    ...terms,
    info,
    orderSignature,
    gasFeeQuotation: built.gasFeeQuotation,
    ...change,
  });
}

conforms(
  "R3",
  "exchange",
  "a build needs its six words, each of its kind, and takes GTC when timeInForce is left out",
  async () => {
    const { alice, clock } = await world();
    for (const name of ["marketId", "side", "orderType", "amount", "price"])
      expect([name, codeOf(await build(alice, { [name]: undefined }))]).toEqual([name, 1111]);
    const wrong: Fields[] = [
      { side: "buy" },
      { orderType: "STOP" },
      { timeInForce: "DAY" },
      { amount: "x" },
      { price: "-1" },
      { price: "1e5" },
    ];
    for (const change of wrong)
      expect([change, codeOf(await build(alice, change))]).toEqual([change, 1111]);
    const plain = await build(alice, { timeInForce: undefined });
    expect(plain.status).toBe(200);
    expect(Number(BigInt(`0x${plain.json.order.info.slice(34, 50)}`))).toBeGreaterThan(
      clock.nowMs() / 1000 + TEN_YEARS_SECONDS,
    );
    const placed = await placeBuilt(alice, { timeInForce: undefined });
    expect([placed.status, placed.json.tif]).toEqual([200, "GTC"]);
  },
);

conforms(
  "R3",
  "exchange",
  "expiration belongs to GTT: needed there, written into info, and without effect elsewhere unless the venue refuses it",
  async () => {
    const { alice, clock } = await world();
    const expiration = String(clock.nowMs() + 90_000);
    expect(codeOf(await build(alice, { timeInForce: "GTT" }))).toBe(1111);
    const built = (await build(alice, { timeInForce: "GTT", expiration })).json;
    expect(BigInt(`0x${built.order.info.slice(34, 50)}`)).toBe(
      BigInt(Math.floor(Number(expiration) / 1000)),
    );
    expect(codeOf(await build(alice, { expiration }))).toBe(200);
    const strict = await world({
      choices: { expirationWithoutGtt: "reject", gttWithoutExpiration: "default-life" },
    });
    expect(codeOf(await build(strict.alice, { expiration }))).toBe(1111);
    expect(codeOf(await build(strict.alice, { timeInForce: "GTT" }))).toBe(200);
  },
);

conforms(
  "R4",
  "exchange",
  "what was built and signed is taken as it is, and not with one word changed",
  async () => {
    const { alice } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
    const changes: Fields[] = [
      { price: "30000.1" },
      { amount: "0.2" },
      { side: "SELL" },
      { marketId: "ethusdc" },
    ];
    for (const change of changes)
      expect([
        change,
        codeOf(await placeBuilt(alice, {}, { gasFeeQuotation: undefined, ...change })),
      ]).toEqual([change, 1012]);
    for (const name of ["info", "orderSignature"])
      expect([name, codeOf(await placeBuilt(alice, {}, { [name]: undefined }))]).toEqual([
        name,
        1111,
      ]);
    expect(codeOf(await placeBuilt(alice, {}, { info: "0x12" }))).toBe(4012);
    const other = alice.reference.order("BUY", "30000", "0.1").info;
    expect(codeOf(await placeBuilt(alice, {}, { info: other, gasFeeQuotation: undefined }))).toBe(
      1012,
    );
    expect(await open(alice)).toEqual([]);
    expect(codeOf(await placeBuilt(alice))).toBe(200);
  },
);

conforms("R4", "exchange", "an order that was taken once is not taken again", async () => {
  const { alice } = await world();
  const order = alice.reference.order("BUY", "30000", "0.1");
  const { id } = (await alice.call("POST", "/v1/order", order)).json;
  expect(codeOf(await alice.call("POST", "/v1/order", order))).toBe(2016);
  await alice.cancel(id);
  expect(codeOf(await alice.call("POST", "/v1/order", order))).toBe(2016);
});

conforms(
  "R5",
  "exchange",
  "below the waiver an order needs its token, at and above it does not",
  async () => {
    const { alice } = await world({ choices: { waiveGasFeeMinimumAmount: "3000" } });
    expect((await alice.read("/v1/exchangeInfo")).json.gasFeeInfo.waiveGasFeeMinimumAmount).toBe(
      "3000",
    );
    expect(codeOf(await alice.place("BUY", "30000", "0.099"))).toBe(4012);
    expect(codeOf(await alice.place("BUY", "30000", "0.1"))).toBe(200);
    expect(
      codeOf(await placeBuilt(alice, { amount: "0.099" }, { gasFeeQuotation: undefined })),
    ).toBe(4012);
    expect(codeOf(await placeBuilt(alice, { amount: "0.099" }))).toBe(200);
    expect(codeOf(await placeBuilt(alice, { amount: "0.2" }, { gasFeeQuotation: undefined }))).toBe(
      200,
    );
  },
);

conforms(
  "R5",
  "exchange",
  "a token that is forged, expired or of another order is refused",
  async () => {
    const { alice, clock } = await world({
      choices: { waiveGasFeeMinimumAmount: "3000", gasFeeQuotationLifeMs: 4000 },
    });
    const small = { amount: "0.05" };
    const { gasFeeQuotation } = (await build(alice, small)).json;
    expect(codeOf(await placeBuilt(alice, small, { gasFeeQuotation }))).toBe(4012);
    expect(codeOf(await placeBuilt(alice, small, { gasFeeQuotation: "a token" }))).toBe(4012);
    const built = (await build(alice, small)).json;
    const sent = {
      ...TERMS,
      ...small,
      info: built.order.info,
      orderSignature: alice.reference.wallet.signingKey.sign(built.orderHash).serialized,
    };
    const forged = `${built.gasFeeQuotation.slice(0, -1)}${built.gasFeeQuotation.endsWith("0") ? "1" : "0"}`;
    expect(
      codeOf(await alice.call("POST", "/v1/order", { ...sent, gasFeeQuotation: forged })),
    ).toBe(4012);
    await clock.runFor(4001);
    expect(
      codeOf(
        await alice.call("POST", "/v1/order", { ...sent, gasFeeQuotation: built.gasFeeQuotation }),
      ),
    ).toBe(4012);
    expect(codeOf(await placeBuilt(alice, small))).toBe(200);
  },
);

conforms(
  "R5",
  "exchange",
  "a small build carries the gas of its settlement in both rates, which no order without its token may",
  async () => {
    const gasFee = {
      gasLimit: 100_000,
      minGasPriceWei: "1000000000",
      maxGasPriceWei: "1000000000",
      ethPriceQuote: "3000",
    };
    const { alice } = await world({ gasFee, choices: { waiveGasFeeMinimumAmount: "3000" } });
    const small = { amount: "0.001" };
    const words = (packed: string) =>
      [2, 18].map((at) => BigInt.asIntN(64, BigInt(`0x${packed.slice(at, at + 16)}`)));
    // 0.3 quote of gas on an order of 30: one percent more of each rate.
    expect(words((await build(alice, small)).json.order.info)).toEqual([
      10n ** 16n - 10n ** 14n,
      10n ** 16n + 3n * 10n ** 14n,
    ]);
    expect(words((await build(alice, { amount: "0.1" })).json.order.info)).toEqual([
      -(10n ** 14n),
      3n * 10n ** 14n,
    ]);
    expect(codeOf(await placeBuilt(alice, small, { gasFeeQuotation: undefined }))).toBe(4012);
    expect(
      codeOf(
        await alice.place("BUY", "30000", "0.1", {
          makerRate: 10n ** 16n - 10n ** 14n,
          takerRate: 10n ** 16n + 3n * 10n ** 14n,
        }),
      ),
    ).toBe(4012);
    expect(codeOf(await placeBuilt(alice, small))).toBe(200);
  },
);

conforms(
  "R6",
  "exchange",
  "a cancel is 204 with an empty body; of an unknown, foreign or ended order it is 2011",
  async () => {
    const { alice, bob } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
    const { id } = (await alice.place("BUY", "30000", "0.1")).json;
    expect((await bob.cancel(id)).json).toMatchObject({ code: 2011, codeText: "No such order" });
    expect((await alice.cancel(id, "ethusdc")).json).toMatchObject({ code: 2011 });
    expect((await alice.cancel(id, "nope")).json).toMatchObject({ code: 1112 });
    expect((await alice.call("DELETE", "/v1/order", BTC)).json).toMatchObject({ code: 1111 });
    expect(await open(alice)).toHaveLength(1);
    expect(await alice.cancel(id)).toMatchObject({ status: 204, body: "" });
    expect((await alice.cancel(id)).json).toMatchObject({ code: 2011 });
    expect((await alice.cancel(1)).json).toMatchObject({ code: 2011 });
  },
);

conforms(
  "R7",
  "exchange",
  "cancel-all empties one market, or every one, of this account alone, with 204 and no body",
  async () => {
    const { alice, bob } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
    const fill = async () => {
      await alice.place("BUY", "30000", "0.1");
      await alice.place("BUY", "29999", "0.1");
      await alice.place("BUY", "3000", "0.1", { marketId: "ethusdc" });
    };
    const markets = async (trader: Trader) =>
      (await open(trader)).map(({ marketId }: { marketId: string }) => marketId);
    await bob.place("BUY", "29000", "0.1");
    await fill();
    expect(await alice.call("DELETE", "/v1/allOpenOrders", BTC)).toMatchObject({
      status: 204,
      body: "",
    });
    expect(await markets(alice)).toEqual(["ethusdc"]);
    await fill();
    expect(await alice.call("DELETE", "/v1/allOpenOrders")).toMatchObject({
      status: 204,
      body: "",
    });
    expect(await markets(alice)).toEqual([]);
    expect(await markets(bob)).toEqual(["btcusdc"]);
    expect(await alice.call("DELETE", "/v1/allOpenOrders")).toMatchObject({
      status: 204,
      body: "",
    });
    expect(
      (await alice.call("DELETE", "/v1/allOpenOrders", { marketId: "nope" })).json,
    ).toMatchObject({ code: 1112 });
  },
);

conforms(
  "R16",
  "exchange",
  "the answer to a place is the order as accepted, though it trades at once; the stream tells what came of it",
  async () => {
    const { alice, bob, clock } = await world();
    await bob.place("SELL", "30000", "1");
    const stream = await alice.stream(alice.accountPath());
    const { json } = await alice.place("BUY", "30010", "0.4");
    expect(json).toMatchObject({
      status: "NEW",
      availableAmount: "0.4",
      pendingAmount: "0",
      filledAmount: "0",
    });
    expect(json).not.toHaveProperty("averagePrice");
    await clock.runFor(3000);
    const updates = await stream.events("ORDER_UPDATE");
    expect(
      updates.map(({ order }) => [
        order.id,
        order.status,
        order.availableAmount,
        order.pendingAmount,
        order.filledAmount,
      ]),
    ).toEqual([
      [json.id, "NEW", "0.4", "0", "0"],
      [json.id, "PARTIAL_FILLED", "0", "0.4", "0"],
      [json.id, "FILLED", "0", "0", "0.4"],
    ]);
  },
);

conforms("R20", "exchange", "fee rates in info are the market's to the last digit", async () => {
  const { alice } = await world({
    markets: { btcusdc: { makerFeeRate: "-0.0001", takerFeeRate: "0.0003" } },
  });
  const maker = -(10n ** 14n);
  const taker = 3n * 10n ** 14n;
  const rates: readonly (readonly [PlaceOptions, number])[] = [
    [{ makerRate: maker, takerRate: taker }, 200],
    [{ makerRate: maker + 1n }, 4012],
    [{ makerRate: maker - 1n }, 4012],
    [{ takerRate: taker + 1n }, 4012],
    [{ takerRate: 0n }, 4012],
    [{ makerRate: taker, takerRate: maker }, 4012],
  ];
  for (const [options, code] of rates)
    expect(codeOf(await alice.place("BUY", "30000", "0.1", options))).toBe(code);
  const info = (await build(alice)).json.order.info;
  expect(info.slice(2, 34)).toBe("ffffa50cef85c000000110d9316ec000");
});

conforms(
  "R20",
  "exchange",
  "an account with an agreement signs its own rates, pays them, and is refused the market's",
  async () => {
    const agreed = new Wallet(KEYS[0]).address;
    const feeRates = { btcusdc: { makerFeeRate: "-0.0002", takerFeeRate: "0.0001" } };
    const { alice, bob } = await world({ accounts: { [agreed]: { feeRates } } });
    const rates = { makerRate: -2n * 10n ** 14n, takerRate: 10n ** 14n };
    expect(codeOf(await alice.place("BUY", "29000", "0.1"))).toBe(4012);
    expect(codeOf(await bob.place("BUY", "29000", "0.1", rates))).toBe(4012);
    expect(codeOf(await alice.place("BUY", "30000", "0.1", rates))).toBe(200);
    await bob.place("SELL", "30000", "0.1");
    expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([
      { isMaker: true, commission: "-0.6" },
    ]);
    expect(await bob.ask("/v1/userTrades", BTC)).toMatchObject([
      { isMaker: false, commission: "0.9" },
    ]);
    expect(codeOf(await placeBuilt(alice))).toBe(200);
  },
);

conforms(
  "L3",
  "exchange",
  "an account buys and sells as much as its leverage allows, and not one lot more",
  async () => {
    const { alice, bob } = await world(
      {
        creditOnRegistration: "1500",
        markets: { btcusdc: { makerFeeRate: "0", takerFeeRate: "0", maxLeverage: 20 } },
      },
      { steadyMark: true },
    );
    expect((await alice.read("/v1/exchangeInfo")).json.markets[0].maxLeverage).toBe(20);
    expect(codeOf(await alice.place("BUY", "30000", "1.001"))).toBe(2012);
    expect(codeOf(await alice.place("BUY", "30000", "1"))).toBe(200);
    expect(codeOf(await alice.place("BUY", "29000", "0.001"))).toBe(2012);
    expect(codeOf(await bob.place("SELL", "30000", "1.001", { timeInForce: "IOC" }))).toBe(2012);
    expect(codeOf(await bob.place("SELL", "30000", "1"))).toBe(200);
    expect(codeOf(await alice.place("SELL", "31000", "1"))).toBe(200);
  },
);

conforms(
  "L3",
  "exchange",
  "positions and orders of one account stay within the market's exposure, which more margin does not widen",
  async () => {
    const { alice, bob } = await world(
      { markets: { btcusdc: { maxExposureQuote: "60000" } } },
      { steadyMark: true },
    );
    expect((await alice.read("/v1/exchangeInfo")).json.markets[0].maxExposure).toBe("60000");
    expect(codeOf(await alice.place("BUY", "30000", "2.001"))).toBe(4013);
    await trade(alice, bob, "BUY", "30000", "1.5");
    expect(codeOf(await alice.place("BUY", "30000", "0.501"))).toBe(4013);
    expect(codeOf(await alice.place("BUY", "30000", "0.5"))).toBe(200);
    expect(codeOf(await alice.place("SELL", "30000", "1.5"))).toBe(200);
  },
);
