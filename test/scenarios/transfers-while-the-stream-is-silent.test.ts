import { expect, it } from "vitest";
import { Stage } from "./stage.js";

const QUOTES = ["BUY 10 @ 599990", "SELL 10 @ 600010"];

/**
 * The account's stream is open and silent; the reconciliations report the balances first, and
 * the list of incomes half a second later.
 */
async function withTheStreamSilent({ maxDrawdownQuote = "500", wants = {} } = {}): Promise<Stage> {
  const stage = new Stage({ bot: { risk: { maxDrawdownQuote } } });
  stage.wants(wants);
  await stage.botStarts(5_000);
  stage.network.every("incomes", { is: "answer late", byMs: 500 });
  stage.network.stall("account");
  return stage;
}

/** Until the balances have reported it and the incomes have not. */
async function untilItIsInTheBalances(stage: Stage): Promise<void> {
  const { account } = stage.rig.bot.context;
  const before = account.equity;
  for (let waited = 0; waited < 60_000 && account.equity === before; waited += 50)
    await stage.passes(50);
  expect(account.equity).not.toBe(before);
  expect(account.transferred).toBe(0n);
}

it.each(["5000", "600"])(
  "a deposit of %s that the balances tell before the incomes is no profit to lose again",
  async (amount) => {
    const stage = await withTheStreamSilent();
    stage.exchange.deposit(stage.address, amount);
    await untilItIsInTheBalances(stage);
    await stage.passes(60_000);
    expect(stage.saidOfHalt("drawdown")).toBeUndefined();
    expect(stage.rig.bot.tradingGuards.peak).toBe(stage.rig.bot.context.account.equity);
    expect(stage.quotes()).toEqual(QUOTES);
  },
);

it("a withdrawal that the balances tell before the incomes is no loss", async () => {
  const stage = await withTheStreamSilent();
  stage.owner.withdraws("5000");
  await untilItIsInTheBalances(stage);
  await stage.passes(60_000);
  expect(stage.saidOfHalt("drawdown")).toBeUndefined();
  expect(stage.rig.bot.tradingGuards.peak).toBe(stage.rig.bot.context.account.equity);
  expect(stage.quotes()).toEqual(QUOTES);
});

it("whoever resumes after a loss while a deposit is in the balances alone accepts the loss, and the deposit is no part of the peak", async () => {
  const stage = await withTheStreamSilent({
    maxDrawdownQuote: "5",
    wants: { bid: null, ask: null },
  });
  stage.owner.buys(10, 610_000);
  await stage.passes(35_000);
  expect(stage.saidOfHalt("drawdown"), "0.01 bought a thousand above").toBeDefined();
  stage.exchange.deposit(stage.address, "100");
  await untilItIsInTheBalances(stage);
  stage.rig.bot.command({ command: "resume" });
  await stage.passes(60_000);
  expect(stage.halts()).toEqual([]);
  expect(stage.rig.bot.tradingGuards.peak).toBe(stage.rig.bot.context.account.equity);
});

it("a real loss halts all the same, in the balances or out of them", async () => {
  const stage = await withTheStreamSilent({
    maxDrawdownQuote: "5",
    wants: { bid: null, ask: null },
  });
  stage.network.restore("account");
  await stage.passes(1_000);
  stage.owner.buys(10, 610_000);
  await stage.passes(1_600);
  expect(stage.halts()).toEqual(["drawdown"]);
});

it("a withdrawal of which the stream tells the balances alone is asked for, before it is taken for a loss", async () => {
  const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "500" } } });
  await stage.botStarts(5_000);
  stage.network.loseFrame(/"INCOME/);
  stage.owner.withdraws("5000");
  await stage.passes(60_000);
  expect(stage.saidOfHalt("drawdown")).toBeUndefined();
  expect(stage.quotes()).toEqual(QUOTES);
});

it.each(["the incomes alone", "incomes and balances"])(
  "whoever resumes after a loss at the moment in which %s tell a deposit accepts the loss, and the deposit is counted once",
  async (told) => {
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "5" } } });
    stage.wants({ bid: null, ask: null });
    await stage.botStarts(5_000);
    stage.owner.buys(10, 610_000);
    await stage.passes(5_000);
    expect(stage.saidOfHalt("drawdown"), "0.01 bought a thousand above").toBeDefined();
    if (told === "the incomes alone") stage.network.loseFrame(/"ACCOUNT_UPDATE/);
    const { account } = stage.rig.bot.context;
    stage.exchange.deposit(stage.address, "100");
    for (let waited = 0; waited < 10_000 && account.transferred === 0n; waited++)
      await stage.passes(1);
    expect(account.transferred).not.toBe(0n);
    stage.rig.bot.command({ command: "resume" });
    await stage.passes(60_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.rig.bot.tradingGuards.peak).toBe(account.equity);
  },
);

it.each(["a deposit", "a withdrawal"])(
  "%s between the start and the first look at the net value is counted once, though the incomes tell it later",
  async (what) => {
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "500" } } });
    stage.clock.setTimer(300, () =>
      what === "a deposit"
        ? stage.exchange.deposit(stage.address, "5000")
        : stage.owner.withdraws("5000"),
    );
    await stage.botStarts(60_000, (network) => network.loseFrame(/"INCOME/));
    expect(stage.saidOfHalt("drawdown")).toBeUndefined();
    expect(stage.rig.bot.context.account.transferred).not.toBe(0n);
    expect(stage.rig.bot.tradingGuards.peak).toBe(stage.rig.bot.context.account.equity);
    expect(stage.quotes()).toEqual(QUOTES);
  },
);

it.each([
  ["a deposit", "the first"],
  ["a deposit", "the second"],
  ["a withdrawal", "the first"],
])(
  "%s while %s start is being confirmed is counted once, and hides no loss of before, though the incomes tell it five seconds later",
  async (what, start) => {
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "500" } } });
    stage.wants({ bid: null, ask: null });
    let lost = 0n;
    if (start === "the second") {
      await stage.botStarts(5_000);
      stage.owner.buys(10, 610_000);
      await stage.passes(5_000);
      lost =
        (stage.rig.bot.tradingGuards.peak ?? 0n) - (stage.rig.bot.context.account.equity ?? 0n);
      expect(lost, "0.01 bought a thousand above").toBeGreaterThan(9_000_000n);
      await stage.botStops();
      await stage.passes(5_000);
    }
    let isTold = () => {};
    // Each millisecond between the answer to the start's first request and its confirmation is
    // another order of the reports.
    for (const afterMs of [4, 8, 12]) {
      stage.clock.setTimer(afterMs, () =>
        what === "a deposit"
          ? stage.exchange.deposit(stage.address, "2000")
          : stage.owner.withdraws("2000"),
      );
    }
    stage.clock.setTimer(5_000, () => isTold());
    await stage.botStarts(90_000, (network) => {
      isTold = network.every("incomes", { is: "rewritten", body: () => "[]" });
      network.loseFrame(/"INCOME/);
    });
    expect(stage.saidOfHalt("drawdown")).toBeUndefined();
    const { tradingGuards, context } = stage.rig.bot;
    expect((tradingGuards.peak ?? 0n) - (context.account.equity ?? 0n)).toBe(lost);
    expect(
      context.account.unexplainedEquity,
      "what was gained or lost is what equity and transfers say",
    ).toBe(0n);
  },
);
