import { expect, it } from "vitest";
import { BID, creditOf, MARKET, START_MS, Stage } from "./stage.js";

it("funding is stamped while the bot holds: paid once, under its own name, and every part of the profit is right to the unit", async () => {
  const stage = new Stage({
    market: { funding: { mode: "fixed", intervalMs: 60_000, rate: "0.0001" } },
  });
  await stage.botStarts();

  stage.counterparty.sells(10, BID);
  await stage.passes(5_000);
  const beforeFunding = stage.netValue();
  stage.wants({ bid: null, ask: null });
  const nextMs = (Math.floor(stage.clock.nowMs() / 60_000) + 1) * 60_000;
  await stage.passes(nextMs - stage.clock.nowMs() + 5_000);
  expect(stage.clock.nowMs()).toBeGreaterThan(START_MS);

  const { account } = stage.rig.bot.context;
  const { funding, fees, spread, decimals } = account.profit(MARKET);
  const unit = 10n ** BigInt(decimals - 6);
  expect(stage.netValue() - beforeFunding, "0.01 at a mark of 60,000 and a rate of 0.0001").toBe(
    -60_000n,
  );
  expect(funding).toBe(-60_000n * unit);
  expect(fees, "a maker's rebate of 0.0001").toBe((-creditOf("BUY", 10, BID) / 10_000n) * unit);
  expect(spread, "bought ten ticks under the mid").toBe(10n * 10n * 100n * unit);
  stage.expectAgreement();
});

it("funding that is stamped while the account stream is down is found, and is not counted twice when the stream returns", async () => {
  const stage = new Stage({
    market: { funding: { mode: "fixed", intervalMs: 60_000, rate: "-0.0003" } },
  });
  await stage.botStarts();
  stage.counterparty.sells(10, BID);
  await stage.passes(3_000);

  stage.network.keepDown("account");
  await stage.passes(65_000);
  stage.network.restore("account");
  await stage.passes(60_000);

  const incomes = stage.exchange.account(stage.address)?.incomes.page({ limit: 500 }) ?? [];
  const paid = incomes
    .filter(({ type }) => type === "FUNDING_FEE")
    .reduce((sum, { amount }) => sum + amount, 0n);
  const { funding, decimals } = stage.rig.bot.context.account.profit(MARKET);
  expect(paid).toBeGreaterThan(0n);
  expect(funding).toBe(paid * 10n ** BigInt(decimals - 6));
  stage.expectAgreement();
});
