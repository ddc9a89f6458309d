import { expect, it } from "vitest";
import { Stage } from "./stage.js";

/** The account's stream is away for a minute, and the list of incomes takes more than a second. */
async function withTheStreamAway(meanwhile: (stage: Stage) => void): Promise<Stage> {
  const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "500" } } });
  await stage.botStarts(5_000);
  stage.network.every("incomes", { is: "answer late", byMs: 1_500 });
  stage.network.keepDown("account");
  await stage.passes(10_000);
  meanwhile(stage);
  await stage.passes(50_000);
  stage.network.restore("account");
  await stage.passes(20_000);
  return stage;
}

it("a deposit that is told with the balances before the incomes list it is no profit to lose again", async () => {
  const stage = await withTheStreamAway(({ exchange, address }) =>
    exchange.deposit(address, "5000"),
  );
  expect(stage.saidOfHalt("drawdown")).toBeUndefined();
  expect(stage.rig.bot.tradingGuards.peak).toBe(stage.rig.bot.context.account.equity);
  expect(stage.quotes()).toEqual(["BUY 10 @ 599990", "SELL 10 @ 600010"]);
});

it("a withdrawal that is told with the balances before the incomes list it is no loss", async () => {
  const stage = await withTheStreamAway(({ owner }) => owner.withdraws("5000"));
  expect(stage.saidOfHalt("drawdown")).toBeUndefined();
  expect(stage.quotes()).toEqual(["BUY 10 @ 599990", "SELL 10 @ 600010"]);
});
