import { expect, it } from "vitest";
import { COIN } from "../liquidator/simulation/ground.js";
import { GWEI, gasCredit, LiquidatingStage } from "./liquidating-stage.js";

it("a takeover that the base fee has left behind is replaced at its own nonce for more, and bought once", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  const wei = await stage.wei();
  stage.starts();
  await stage.passes(1_500);
  const tipWei = stage.opportunity().tipWei ?? 0n;
  // Twenty times the fee, for as long as it takes.
  stage.builder.baseFeeNow = () => 20n * GWEI;
  await stage.blocks(2);
  expect(await stage.nonces(), "it waits").toBe(0);
  await stage.blocks(6);

  const won = stage.opportunity();
  const gasWei = wei - (await stage.wei());
  expect(won).toMatchObject({ outcome: "won", gasWei, gasQuote: gasCredit(gasWei) });
  expect(won.attempts).toBeGreaterThan(1);
  expect(won.tipWei, "each pays more than the one before").toBeGreaterThan(tipWei);
  expect(gasWei, "within the ceiling that the profit set").toBeLessThanOrEqual(
    won.intended?.maxCostWei ?? 0n,
  );
  expect(await stage.nonces(), "all of them at one nonce").toBe(1);
  expect(await stage.held()).toEqual({
    paper: COIN,
    credit: 500_000_000_000n + (won.takenOver?.credit ?? 0n),
  });
  expect(won.takenOver?.credit).toBe(-55_440_000_000n);
  expect(stage.desk.toldTimes).toEqual(new Map([[won.takenOver?.id, 1]]));
  expect(await stage.counted()).toEqual({ seen: 1, confirmed: 1, won: 1 });
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});

it("where more would eat the profit it is given up: the nonce is used by a transfer to oneself, and nothing is taken over", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  const wei = await stage.wei();
  // The gas may cost a dollar.
  stage.starts({ settings: { maxGasCredit: 1_000_000n } });
  await stage.passes(1_500);
  expect(stage.opportunity().attempts).toBe(1);
  stage.builder.baseFeeNow = () => 5n * GWEI;
  await stage.blocks(12);

  const [first] = stage.ledger();
  expect(first).toMatchObject({ outcome: "refused", reason: expect.stringContaining("cancelled") });
  expect(first?.takenOver).toBeUndefined();
  const spent = wei - (await stage.wei());
  expect(spent).toBeGreaterThan(0n);
  expect(first?.gasWei).toBe(spent);
  expect(spent).toBeLessThanOrEqual(first?.intended?.maxCostWei ?? 0n);
  expect(await stage.nonces()).toBe(1);
  expect(await stage.held()).toEqual({ paper: 0n, credit: 500_000_000_000n });
  expect(stage.desk.acquired.size).toBe(0);
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});
