import { expect } from "vitest";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { trade, worlds } from "./world.js";

const world = worlds();
const BTC = { marketId: "btcusdc" };
const FREE = { btcusdc: { makerFeeRate: "0", takerFeeRate: "0" } };

conforms(
  "AC1",
  "exchange",
  "an account has its address as it was spelled and the instant of its registration",
  async () => {
    const { alice, clock } = await world({}, { registered: false });
    await clock.runFor(500);
    const registered = (await alice.call("POST", "/v1/account")).json;
    expectRecord(registered, "account");
    expect(registered).toEqual({ address: alice.address, createdAt: clock.nowMs() });
    await clock.runFor(500);
    expect(await alice.ask("/v1/account")).toEqual(registered);
  },
);

conforms("UT1", "exchange", "a user trade has every field, of the account's own side", async () => {
  const { alice, bob, clock } = await world();
  await trade(alice, bob, "BUY", "30000", "1", { timeInForce: "GTC" });
  const [taken] = await alice.ask("/v1/userTrades", BTC);
  const [made] = await bob.ask("/v1/userTrades", BTC);
  expectRecord(taken, "userTrade");
  expectRecord(made, "userTrade");
  const shared = {
    id: taken.id,
    marketId: "btcusdc",
    price: "30000",
    amount: "1",
    quoteAmount: "30000",
    time: clock.nowMs(),
    timeInForce: "GTC",
    orderType: "LIMIT",
  };
  expect(taken).toMatchObject({ ...shared, isMaker: false, isBuyer: true, commission: "9" });
  expect(made).toMatchObject({ ...shared, isMaker: true, isBuyer: false, commission: "-3" });
});

conforms(
  "UT1",
  "exchange",
  "realizedPNL is what the trade closed, and the order's type and time in force are told",
  async () => {
    const { alice, bob } = await world({ markets: FREE });
    await trade(alice, bob, "BUY", "30000", "1");
    await bob.place("BUY", "30100", "0.4");
    await alice.place("SELL", "30050", "0.4", { type: "MARKET", timeInForce: "IOC" });
    const trades = await alice.ask("/v1/userTrades", BTC);
    expect(trades).toMatchObject([
      { realizedPNL: "0", orderType: "LIMIT", timeInForce: "GTC" },
      { realizedPNL: "40", orderType: "MARKET", timeInForce: "IOC", isBuyer: false },
    ]);
  },
);

conforms(
  "IN1",
  "exchange",
  "an income has every field, and the incomes sum to the settled credit",
  async () => {
    const { alice, bob, clock } = await world();
    await trade(alice, bob, "BUY", "30000", "1");
    await trade(alice, bob, "SELL", "30100", "1");
    await clock.runFor(3000);
    const incomes = await alice.ask("/v1/incomes", BTC);
    for (const income of incomes) expectRecord(income, "income");
    const of = (type: string) =>
      incomes
        .filter((income: { type: string }) => income.type === type)
        .map(({ amount }: { amount: string }) => amount);
    expect([of("BUY"), of("SELL"), of("TAKER_FEE"), of("DEPOSIT")]).toEqual([
      ["-30000"],
      ["30100"],
      ["-9", "-9.03"],
      ["100000"],
    ]);
    const sum = incomes.reduce(
      (total: number, { amount }: { amount: string }) => total + Number(amount),
      0,
    );
    expect((await alice.ask("/v1/balances")).balances.primaryCreditAmount).toBe(String(sum));
  },
);

conforms("BA1", "exchange", "balances have every field, their maps keyed by market", async () => {
  const { alice, bob, clock } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
  await trade(alice, bob, "BUY", "30000", "1");
  await clock.runFor(3000);
  const answer = await alice.ask("/v1/balances");
  expectRecord(answer, "balancesAnswer");
  const { balances } = answer;
  expectRecord(balances, "balances");
  expect(Object.keys(balances.availableCreditAmounts)).toEqual(["btcusdc", "ethusdc"]);
  for (const credit of Object.values<object>(balances.availableCreditAmounts))
    expectRecord(credit, "availableCredit");
  expect(Object.keys(balances.perpetualBalances)).toContain("btcusdc");
  expectRecord(balances.perpetualBalances.btcusdc, "perpetualBalance");
});

conforms(
  "BA1",
  "exchange",
  "its figures mean what they say: margin, exposure, leverage, what is frozen and free, what the chain holds",
  async () => {
    const { alice, bob, clock } = await world(
      { markets: { btcusdc: { ...FREE.btcusdc, maxLeverage: 20, liquidationThreshold: "0.03" } } },
      { steadyMark: true },
    );
    await trade(alice, bob, "BUY", "30000", "1");
    await alice.place("BUY", "29000", "0.1");
    const { balances } = await alice.ask("/v1/balances");
    expect(balances).toMatchObject({
      netValue: "100000",
      exposure: "30000",
      positionMargin: "1500",
      frozenMargin: "145",
      availableMargin: "98355",
      leverage: "0.3",
      marginRate: "0.009",
      isSafe: true,
      availableCreditAmounts: { btcusdc: { buy: "1967100", sell: "2030000" } },
      pendingWithdrawPrimaryCreditAmount: "0",
      pendingWithdrawSecondaryCreditAmount: "0",
      secondaryCreditAmount: "0",
      primaryCreditAmount: "100000",
      perpetualBalances: { btcusdc: { paperAmount: "0", creditAmount: "0", serialNumber: 0 } },
    });
    await clock.runFor(3000);
    expect((await alice.ask("/v1/balances")).balances.perpetualBalances.btcusdc).toEqual({
      paperAmount: "1",
      creditAmount: "-30000",
      serialNumber: 0,
    });
    await trade(alice, bob, "SELL", "30500", "1");
    await clock.runFor(3000);
    expect((await alice.ask("/v1/balances")).balances).toMatchObject({
      primaryCreditAmount: "100500",
      netValue: "100500",
      perpetualBalances: { btcusdc: { paperAmount: "0", creditAmount: "0", serialNumber: 1 } },
    });
  },
);
