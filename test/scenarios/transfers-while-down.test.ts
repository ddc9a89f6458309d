import { expect, it } from "vitest";
import { Stage } from "./stage.js";

/**
 * The bot loses: it buys at its bid and sells lower, so that the loss stays within the limit of 500
 * but is well to be seen.
 */
async function withALoss(stage: Stage): Promise<bigint> {
  await stage.botStarts();
  stage.wants({ bid: 605_000, ask: null, lots: 40 });
  await stage.passes(2_000);
  stage.counterparty.sells(40, 605_000);
  stage.wants({ bid: null, ask: 596_000, lots: 40 });
  await stage.passes(2_000);
  stage.counterparty.buys(40, 596_000);
  stage.wants({ bid: null, ask: null });
  await stage.passes(5_000);
  return lossOf(stage);
}

function lossOf(stage: Stage): bigint {
  return (stage.rig.bot.tradingGuards.peak ?? 0n) - (stage.rig.bot.context.account.equity ?? 0n);
}

it("a deposit made while the bot is down does not make it forget its loss from the peak", async () => {
  const stage = new Stage();
  const loss = await withALoss(stage);
  expect(loss).toBeGreaterThan(20_000_000n);
  stage.botIsKilled();
  await stage.passes(60_000);
  stage.exchange.deposit(stage.address, "5000");
  await stage.passes(60_000);
  await stage.botStarts(10_000);

  expect(lossOf(stage)).toBe(loss);

  stage.botIsKilled();
  await stage.passes(5_000);
  await stage.botStarts(10_000);
  expect(lossOf(stage), "and it is counted once, however often the bot starts").toBe(loss);
});

it("a deposit that a run has counted is not counted again by the next", async () => {
  const stage = new Stage();
  const loss = await withALoss(stage);
  stage.exchange.deposit(stage.address, "5000");
  await stage.passes(5_000);
  expect(lossOf(stage)).toBe(loss);
  stage.botIsKilled();
  await stage.botStarts(10_000);

  expect(lossOf(stage)).toBe(loss);
  expect(stage.halts()).not.toContain("drawdown");
});

it("a deposit is counted once by a bot that is started again and again within its minute", async () => {
  const stage = new Stage();
  const loss = await withALoss(stage);
  await stage.passes(60_000);
  stage.exchange.deposit(stage.address, "5000");
  await stage.passes(5_000);
  for (let starts = 0; starts < 4; starts++) {
    stage.botIsKilled();
    await stage.passes(5_000);
    await stage.botStarts(7_000);

    expect(lossOf(stage), `start ${starts + 1} after it`).toBe(loss);
  }
  expect(stage.halts()).not.toContain("drawdown");
});

it("a deposit made while the bot is down is not lost with a start that was broken off before the exchange had told it", async () => {
  const stage = new Stage();
  const loss = await withALoss(stage);
  await stage.passes(60_000);
  stage.botIsKilled();
  await stage.passes(60_000);
  stage.exchange.deposit(stage.address, "5000");
  await stage.passes(90_000);
  await stage.botStarts(1_000, (network) =>
    network.every("incomes", { is: "answer late", byMs: 5_000 }),
  );
  await stage.botStops();
  await stage.passes(5_000);
  await stage.botStarts(10_000);

  expect(lossOf(stage)).toBe(loss);
});
