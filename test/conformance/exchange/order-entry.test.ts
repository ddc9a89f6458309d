import { Wallet } from "ethers";
import { expect } from "vitest";
import { KEYS, type PlaceOptions, START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { type Fields, type Trader, trade, worlds } from "./world.js";

const world = worlds();
const BTC = { marketId: "btcusdc" };
const TERMS = { ...BTC, side: "BUY", orderType: "LIMIT", amount: "0.1", price: "30000", timeInForce: "GTC" };
const MINUTE = 60_000;
const WEEK = 7 * 86_400_000;
const TEN_YEARS_SECONDS = 315_360_000;

const open = (trader: Trader) => trader.ask("/v1/openOrders");
const build = async (trader: Trader, change: Fields = {}) => trader.call("POST", "/v1/order/build", { ...TERMS, ...change });
/** The code with which a request was refused; 200 when it was not. */
const codeOf = ({ status, json }: { status: number; json: { code: number } }) => (status === 200 ? 200 : json.code);

/** Has the service build an order, signs its hash and sends it; `change` bends what is sent. */
async function placeBuilt(trader: Trader, terms: Fields = {}, change: Fields = {}) {
  const built = (await build(trader, terms)).json;
  const orderSignature = trader.reference.wallet.signingKey.sign(built.orderHash).serialized;
  const { info } = built.order;
  return trader.call("POST", "/v1/order", { ...TERMS, ...terms, info, orderSignature, gasFeeQuotation: built.gasFeeQuotation, ...change });
}

conforms("R3", "exchange", "a build needs its six words, each of its kind, and takes GTC when timeInForce is left out", async () => {
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
  for (const change of wrong) expect([change, codeOf(await build(alice, change))]).toEqual([change, 1111]);
  const plain = await build(alice, { timeInForce: undefined });
  expect(plain.status).toBe(200);
  expect(Number(BigInt(`0x${plain.json.order.info.slice(34, 50)}`))).toBeGreaterThan(clock.nowMs() / 1000 + TEN_YEARS_SECONDS);
  const placed = await placeBuilt(alice, { timeInForce: undefined });
  expect([placed.status, placed.json.tif]).toEqual([200, "GTC"]);
});

conforms(
  "R3",
  "exchange",
  "expiration belongs to GTT: needed there, written into info, and without effect elsewhere unless the venue refuses it",
  async () => {
    const { alice, clock } = await world();
    const expiration = String(clock.nowMs() + 90_000);
    expect(codeOf(await build(alice, { timeInForce: "GTT" }))).toBe(1111);
    const built = (await build(alice, { timeInForce: "GTT", expiration })).json;
    expect(BigInt(`0x${built.order.info.slice(34, 50)}`)).toBe(BigInt(Math.floor(Number(expiration) / 1000)));
    expect(codeOf(await build(alice, { expiration }))).toBe(200);
    const strict = await world({ choices: { expirationWithoutGtt: "reject", gttWithoutExpiration: "default-life" } });
    expect(codeOf(await build(strict.alice, { expiration }))).toBe(1111);
    expect(codeOf(await build(strict.alice, { timeInForce: "GTT" }))).toBe(200);
  },
);

conforms("R4", "exchange", "what was built and signed is taken as it is, and not with one word changed", async () => {
  const { alice } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  const changes: Fields[] = [{ price: "30000.1" }, { amount: "0.2" }, { side: "SELL" }, { marketId: "ethusdc" }];
  for (const change of changes)
    expect([change, codeOf(await placeBuilt(alice, {}, { gasFeeQuotation: undefined, ...change }))]).toEqual([change, 1012]);
  for (const name of ["info", "orderSignature"])
    expect([name, codeOf(await placeBuilt(alice, {}, { [name]: undefined }))]).toEqual([name, 1111]);
  expect(codeOf(await placeBuilt(alice, {}, { info: "0x12" }))).toBe(4012);
  const other = alice.reference.order("BUY", "30000", "0.1").info;
  expect(codeOf(await placeBuilt(alice, {}, { info: other, gasFeeQuotation: undefined }))).toBe(1012);
  expect(await open(alice)).toEqual([]);
  expect(codeOf(await placeBuilt(alice))).toBe(200);
});

conforms("R4", "exchange", "an order that was taken once is not taken again", async () => {
  const { alice } = await world();
  const order = alice.reference.order("BUY", "30000", "0.1");
  const { id } = (await alice.call("POST", "/v1/order", order)).json;
  expect(codeOf(await alice.call("POST", "/v1/order", order))).toBe(2016);
  await alice.cancel(id);
  expect(codeOf(await alice.call("POST", "/v1/order", order))).toBe(2016);
});

conforms("R5", "exchange", "below the waiver an order needs its token, at and above it does not", async () => {
  const { alice } = await world({ choices: { waiveGasFeeMinimumAmount: "3000" } });
  expect((await alice.read("/v1/exchangeInfo")).json.gasFeeInfo.waiveGasFeeMinimumAmount).toBe("3000");
  expect(codeOf(await alice.place("BUY", "30000", "0.099"))).toBe(4012);
  expect(codeOf(await alice.place("BUY", "30000", "0.1"))).toBe(200);
  expect(codeOf(await placeBuilt(alice, { amount: "0.099" }, { gasFeeQuotation: undefined }))).toBe(4012);
  expect(codeOf(await placeBuilt(alice, { amount: "0.099" }))).toBe(200);
  expect(codeOf(await placeBuilt(alice, { amount: "0.2" }, { gasFeeQuotation: undefined }))).toBe(200);
});

conforms("R5", "exchange", "a token that is forged, expired or of another order is refused", async () => {
  const { alice, clock } = await world({ choices: { waiveGasFeeMinimumAmount: "3000", gasFeeQuotationLifeMs: 4000 } });
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
  expect(codeOf(await alice.call("POST", "/v1/order", { ...sent, gasFeeQuotation: forged }))).toBe(4012);
  await clock.runFor(4001);
  expect(codeOf(await alice.call("POST", "/v1/order", { ...sent, gasFeeQuotation: built.gasFeeQuotation }))).toBe(4012);
  expect(codeOf(await placeBuilt(alice, small))).toBe(200);
});

conforms(
  "R5",
  "exchange",
  "a small build carries the gas of its settlement in both rates, which no order without its token may",
  async () => {
    const gasFee = { gasLimit: 100_000, minGasPriceWei: "1000000000", maxGasPriceWei: "1000000000", ethPriceQuote: "3000" };
    const { alice } = await world({ gasFee, choices: { waiveGasFeeMinimumAmount: "3000" } });
    const small = { amount: "0.001" };
    const words = (packed: string) => [2, 18].map((at) => BigInt.asIntN(64, BigInt(`0x${packed.slice(at, at + 16)}`)));
    // 0.3 quote of gas on an order of 30: one percent more of each rate.
    expect(words((await build(alice, small)).json.order.info)).toEqual([10n ** 16n - 10n ** 14n, 10n ** 16n + 3n * 10n ** 14n]);
    expect(words((await build(alice, { amount: "0.1" })).json.order.info)).toEqual([-(10n ** 14n), 3n * 10n ** 14n]);
    expect(codeOf(await placeBuilt(alice, small, { gasFeeQuotation: undefined }))).toBe(4012);
    expect(
      codeOf(await alice.place("BUY", "30000", "0.1", { makerRate: 10n ** 16n - 10n ** 14n, takerRate: 10n ** 16n + 3n * 10n ** 14n })),
    ).toBe(4012);
    expect(codeOf(await placeBuilt(alice, small))).toBe(200);
  },
);

conforms("R6", "exchange", "a cancel is 204 with an empty body; of an unknown, foreign or ended order it is 2011", async () => {
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
});

conforms("R7", "exchange", "cancel-all empties one market, or every one, of this account alone, with 204 and no body", async () => {
  const { alice, bob } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  const fill = async () => {
    await alice.place("BUY", "30000", "0.1");
    await alice.place("BUY", "29999", "0.1");
    await alice.place("BUY", "3000", "0.1", { marketId: "ethusdc" });
  };
  const markets = async (trader: Trader) => (await open(trader)).map(({ marketId }: { marketId: string }) => marketId);
  await bob.place("BUY", "29000", "0.1");
  await fill();
  expect(await alice.call("DELETE", "/v1/allOpenOrders", BTC)).toMatchObject({ status: 204, body: "" });
  expect(await markets(alice)).toEqual(["ethusdc"]);
  await fill();
  expect(await alice.call("DELETE", "/v1/allOpenOrders")).toMatchObject({ status: 204, body: "" });
  expect(await markets(alice)).toEqual([]);
  expect(await markets(bob)).toEqual(["btcusdc"]);
  expect(await alice.call("DELETE", "/v1/allOpenOrders")).toMatchObject({ status: 204, body: "" });
  expect((await alice.call("DELETE", "/v1/allOpenOrders", { marketId: "nope" })).json).toMatchObject({ code: 1112 });
});

conforms(
  "R16",
  "exchange",
  "the answer to a place is the order as accepted, though it trades at once; the stream tells what came of it",
  async () => {
    const { alice, bob, clock } = await world();
    await bob.place("SELL", "30000", "1");
    const stream = await alice.stream(alice.accountPath());
    const { json } = await alice.place("BUY", "30010", "0.4");
    expect(json).toMatchObject({ status: "NEW", availableAmount: "0.4", pendingAmount: "0", filledAmount: "0" });
    expect(json).not.toHaveProperty("averagePrice");
    await clock.runFor(3000);
    const updates = await stream.events("ORDER_UPDATE");
    expect(updates.map(({ order }) => [order.id, order.status, order.availableAmount, order.pendingAmount, order.filledAmount])).toEqual([
      [json.id, "NEW", "0.4", "0", "0"],
      [json.id, "PARTIAL_FILLED", "0", "0.4", "0"],
      [json.id, "FILLED", "0", "0", "0.4"],
    ]);
  },
);

conforms("R17", "exchange", "GTT lives more than a minute and less than a week, to the millisecond, built or placed", async () => {
  const { alice } = await world();
  for (const [life, code] of [
    [MINUTE, 1111],
    [MINUTE + 1, 200],
    [WEEK - 1, 200],
    [WEEK, 1111],
  ] as const) {
    const expirationMs = START_MS + life;
    expect([life, codeOf(await build(alice, { timeInForce: "GTT", expiration: String(expirationMs) }))]).toEqual([life, code]);
    expect([life, codeOf(await alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs }))]).toEqual([life, code]);
  }
});

conforms("R18", "exchange", "without GTT the expiration in info is more than ten years ahead, to the second", async () => {
  const { alice } = await world();
  const now = Math.floor(START_MS / 1000);
  for (const timeInForce of ["GTC", "IOC", "FOK", "POST_ONLY"]) {
    const at = async (seconds: number) =>
      codeOf(await alice.place("BUY", "30000", "0.1", { timeInForce, infoExpirationSeconds: BigInt(now + seconds) }));
    expect([
      timeInForce,
      await at(TEN_YEARS_SECONDS),
      await at(TEN_YEARS_SECONDS - 86_400),
      await at(60),
      await at(TEN_YEARS_SECONDS + 3),
    ]).toEqual([timeInForce, 4012, 4012, 4012, 200]);
  }
});

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
  expect([await at(0), await at(1), await at(-1), await at(3600), await at(TEN_YEARS_SECONDS)]).toEqual([200, 4012, 4012, 4012, 4012]);
});

conforms("R20", "exchange", "fee rates in info are the market's to the last digit", async () => {
  const { alice } = await world({ markets: { btcusdc: { makerFeeRate: "-0.0001", takerFeeRate: "0.0003" } } });
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
  for (const [options, code] of rates) expect(codeOf(await alice.place("BUY", "30000", "0.1", options))).toBe(code);
  const info = (await build(alice)).json.order.info;
  expect(info.slice(2, 34)).toBe("ffffa50cef85c000000110d9316ec000");
});

conforms("R20", "exchange", "an account with an agreement signs its own rates, pays them, and is refused the market's", async () => {
  const agreed = new Wallet(KEYS[0]).address;
  const feeRates = { btcusdc: { makerFeeRate: "-0.0002", takerFeeRate: "0.0001" } };
  const { alice, bob } = await world({ accounts: { [agreed]: { feeRates } } });
  const rates = { makerRate: -2n * 10n ** 14n, takerRate: 10n ** 14n };
  expect(codeOf(await alice.place("BUY", "29000", "0.1"))).toBe(4012);
  expect(codeOf(await bob.place("BUY", "29000", "0.1", rates))).toBe(4012);
  expect(codeOf(await alice.place("BUY", "30000", "0.1", rates))).toBe(200);
  await bob.place("SELL", "30000", "0.1");
  expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([{ isMaker: true, commission: "-0.6" }]);
  expect(await bob.ask("/v1/userTrades", BTC)).toMatchObject([{ isMaker: false, commission: "0.9" }]);
  expect(codeOf(await placeBuilt(alice))).toBe(200);
});

conforms("R21", "exchange", "GTC rests what is left, and trades at the price of who rested", async () => {
  const { alice, bob } = await world();
  await bob.place("SELL", "30000", "0.1");
  await bob.place("SELL", "30005", "0.1");
  await alice.place("BUY", "30004", "0.3");
  expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([{ price: "30000", amount: "0.1" }]);
  expect((await alice.read("/v1/orderbook", BTC)).json).toMatchObject({ bids: [["30004", "0.2"]], asks: [["30005", "0.1"]] });
});

conforms("R21", "exchange", "of two at one price the earlier trades first, and a better price before both", async () => {
  const { alice, bob, carol } = await world();
  await bob.place("SELL", "30000", "0.1");
  await carol.place("SELL", "30000", "0.1");
  await carol.place("SELL", "29999", "0.1");
  await alice.place("BUY", "30000", "0.2");
  expect((await open(bob)).map(({ pendingAmount }: { pendingAmount: string }) => pendingAmount)).toEqual(["0.1"]);
  expect((await open(carol)).map(({ pendingAmount }: { pendingAmount: string }) => pendingAmount)).toEqual(["0", "0.1"]);
});

/** What became of an order that met 0.1 at 30,000: status, what traded, what expired, and whether it still rests. */
async function fate(options: PlaceOptions, amount: string, price = "30000") {
  const { alice, bob } = await world();
  await bob.place("SELL", "30000", "0.1");
  const { id } = (await alice.place("BUY", price, amount, options)).json;
  const active = (await open(alice)).find((order: { id: number }) => order.id === id);
  const order = active ?? (await alice.ask("/v1/order", { ...BTC, orderId: String(id) }));
  return { status: order.status, traded: order.pendingAmount, expired: order.expiredAmount, rests: order.availableAmount };
}

conforms("R21", "exchange", "IOC takes what is there and lets the rest expire", async () => {
  expect(await fate({ timeInForce: "IOC" }, "0.3")).toEqual({ status: "EXPIRED", traded: "0.1", expired: "0.2", rests: "0" });
  expect(await fate({ timeInForce: "IOC" }, "0.3", "29999")).toEqual({ status: "EXPIRED", traded: "0", expired: "0.3", rests: "0" });
});

conforms("R21", "exchange", "FOK takes all or nothing", async () => {
  expect(await fate({ timeInForce: "FOK" }, "0.1")).toMatchObject({ traded: "0.1", expired: "0" });
  expect(await fate({ timeInForce: "FOK" }, "0.101")).toEqual({ status: "EXPIRED", traded: "0", expired: "0.101", rests: "0" });
});

conforms("R21", "exchange", "POST_ONLY never takes: crossing it ends as the venue chooses, else it rests", async () => {
  expect(await fate({ timeInForce: "POST_ONLY" }, "0.1")).toEqual({ status: "EXPIRED", traded: "0", expired: "0.1", rests: "0" });
  expect(await fate({ timeInForce: "POST_ONLY" }, "0.1", "29999.9")).toEqual({ status: "NEW", traded: "0", expired: "0", rests: "0.1" });
  const { alice, bob } = await world({ choices: { crossingPostOnly: "REJECT" } });
  await bob.place("SELL", "30000", "0.1");
  expect(codeOf(await alice.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" }))).toBe(2016);
});

conforms("R21", "exchange", "GTT rests until its instant and not one millisecond longer", async () => {
  const { alice, clock } = await world();
  const expirationMs = START_MS + 90_000;
  await alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs });
  await clock.runUntil(expirationMs - 1);
  expect(await open(alice)).toMatchObject([{ status: "NEW" }]);
  await clock.runUntil(expirationMs);
  expect(await open(alice)).toEqual([]);
  expect(await alice.ask("/v1/historyOrders", BTC)).toMatchObject([{ status: "EXPIRED", expiredAmount: "0.1" }]);
});

conforms("R21", "exchange", "MARKET never rests and never passes its worst price, buying or selling", async () => {
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
  expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([{ price: "30000", amount: "0.1", isBuyer: false, orderType: "MARKET" }]);
  for (const timeInForce of ["POST_ONLY", "GTT"]) {
    const answer = await alice.place("BUY", "30000", "0.1", {
      type: "MARKET",
      timeInForce,
      ...(timeInForce === "GTT" ? { expirationMs: START_MS + 90_000 } : {}),
    });
    expect(codeOf(answer)).toBe(2016);
  }
});

conforms("L3", "exchange", "an account buys and sells as much as its leverage allows, and not one lot more", async () => {
  const { alice, bob } = await world(
    { creditOnRegistration: "1500", markets: { btcusdc: { makerFeeRate: "0", takerFeeRate: "0", maxLeverage: 20 } } },
    { steadyMark: true },
  );
  expect((await alice.read("/v1/exchangeInfo")).json.markets[0].maxLeverage).toBe(20);
  expect(codeOf(await alice.place("BUY", "30000", "1.001"))).toBe(2012);
  expect(codeOf(await alice.place("BUY", "30000", "1"))).toBe(200);
  expect(codeOf(await alice.place("BUY", "29000", "0.001"))).toBe(2012);
  expect(codeOf(await bob.place("SELL", "30000", "1.001", { timeInForce: "IOC" }))).toBe(2012);
  expect(codeOf(await bob.place("SELL", "30000", "1"))).toBe(200);
  expect(codeOf(await alice.place("SELL", "31000", "1"))).toBe(200);
});

conforms(
  "L3",
  "exchange",
  "positions and orders of one account stay within the market's exposure, which more margin does not widen",
  async () => {
    const { alice, bob } = await world({ markets: { btcusdc: { maxExposureQuote: "60000" } } }, { steadyMark: true });
    expect((await alice.read("/v1/exchangeInfo")).json.markets[0].maxExposure).toBe("60000");
    expect(codeOf(await alice.place("BUY", "30000", "2.001"))).toBe(4013);
    await trade(alice, bob, "BUY", "30000", "1.5");
    expect(codeOf(await alice.place("BUY", "30000", "0.501"))).toBe(4013);
    expect(codeOf(await alice.place("BUY", "30000", "0.5"))).toBe(200);
    expect(codeOf(await alice.place("SELL", "30000", "1.5"))).toBe(200);
  },
);
