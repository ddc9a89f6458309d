import { expect, it } from "vitest";
import { GWEI, gasCredit, LiquidatingStage } from "./liquidating-stage.js";

it("an account that is topped up while ours is in the pool is cured: nobody won, the gas is booked, and it is left alone", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  const wei = await stage.wei();
  stage.starts();
  await stage.passes(1_500);
  await stage.victimDeposits(10_000n, 5n * GWEI);
  await stage.blocks();

  const gasWei = wei - (await stage.wei());
  expect(gasWei).toBeGreaterThan(0n);
  expect(stage.opportunity()).toMatchObject({
    outcome: "cured",
    reason: expect.stringContaining("JOJO_ACCOUNT_IS_SAFE"),
    gasWei,
    profitQuote: -gasCredit(gasWei),
  });
  expect(stage.opportunity().lostTo).toBeUndefined();
  await stage.blocks(5);
  expect(await stage.counted()).toEqual({ seen: 1, confirmed: 1, cured: 1 });
  expect(await stage.nonces()).toBe(1);
  expect(await stage.held()).toEqual({ paper: 0n, credit: 500_000_000_000n });
  expect(stage.troubles()).toEqual([]);
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});

it("an account that the price cures before anything is sent costs nothing", async () => {
  const stage = await LiquidatingStage.open();
  // As many are under way as may be.
  stage.starts({ settings: { maxInFlight: 0 } });
  await stage.price(56_000);
  await stage.blocks(2);
  expect(stage.opportunity()).toMatchObject({
    outcome: "open",
    atMs: { confirmed: expect.any(Number) },
  });
  await stage.price(60_000);
  await stage.blocks(2);
  expect(stage.opportunity().outcome).toBe("cured");
  expect(stage.opportunity().gasWei).toBeUndefined();
  expect(await stage.nonces()).toBe(0);
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});

it.each([
  [
    "a start, which passes",
    {
      why: "unconfirmed-account: the exchange has not confirmed the bot's orders and positions",
      isTemporary: true,
    },
    "cured",
  ],
  ["a halt by hand, which does not", { why: "manual: lunch", isTemporary: false }, "refused"],
] as const)("an account that the price cures during %s", async (_, pause, outcome) => {
  const stage = await LiquidatingStage.open();
  stage.desk.paused = pause;
  stage.starts();
  await stage.price(56_000);
  await stage.blocks(2);
  expect(stage.opportunity().outcome).toBe("open");
  await stage.price(60_000);
  await stage.blocks(2);
  expect(stage.opportunity()).toMatchObject({ outcome, reason: `paused: ${pause.why}` });
  expect(await stage.counted()).toEqual({ seen: 1, confirmed: 1, [outcome]: 1 });
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});
