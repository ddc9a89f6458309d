import { expect, it } from "vitest";
import { FAIR } from "../liquidator/simulation/faulty-node.js";
import { COIN } from "../liquidator/simulation/ground.js";
import { LiquidatingStage } from "./liquidating-stage.js";

it("an RPC that stands still is not believed: the danger that it shows is long over, and nothing is sent", async () => {
  const stage = await LiquidatingStage.open();
  stage.desk.paused = { why: "halted by hand", isTemporary: false };
  stage.starts();
  await stage.price(56_000);
  await stage.blocks();
  // From here on it knows of no new block, and its last one says unsafe.
  const stuckAt = stage.builder.head;
  await stage.price(60_000);
  for (let block = 1; block <= 10; block += 1) {
    await stage.blocks();
    stage.weather[0] = { ...FAIR, lagBlocks: stage.builder.head - stuckAt };
  }
  stage.desk.paused = undefined;
  await stage.passes(1_900);
  expect(stage.said.at(-1)?.fields.why).toMatch(/its head is \d+ ms old, allowed 15000/);
  expect(stage.troubles()).not.toEqual([]);
  expect(stage.ledger().every(({ intended }) => intended === undefined)).toBe(true);
  expect(await stage.nonces()).toBe(0);

  // It catches up, and the truth is that nothing is wrong any more.
  stage.weather[0] = FAIR;
  await stage.blocks(2);
  // While its last block was still young enough to be believed, the pause was met again after each
  // cool-down.
  const refused = stage.ledger();
  for (const opportunity of refused)
    expect(opportunity).toMatchObject({ outcome: "refused", reason: "paused: halted by hand" });
  expect(refused.length).toBeGreaterThan(0);
  expect(await stage.counted()).toEqual({
    seen: refused.length,
    confirmed: refused.length,
    refused: refused.length,
  });
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});

it("beside an RPC that lags another one is asked, and the takeover is won once", async () => {
  const stage = await LiquidatingStage.open({ nodes: 2 });
  stage.starts();
  await stage.blocks(2);
  const stuckAt = stage.builder.head;
  await stage.price(56_000);
  for (let block = 1; block <= 6; block += 1) {
    await stage.blocks();
    stage.weather[0] = { ...FAIR, lagBlocks: stage.builder.head - stuckAt };
  }
  expect(stage.opportunity()).toMatchObject({ outcome: "won", attempts: 1 });
  expect(await stage.nonces()).toBe(1);
  expect(await stage.held()).toEqual({ paper: COIN, credit: 500_000_000_000n - 55_440_000_000n });
  expect(await stage.counted()).toEqual({ seen: 1, confirmed: 1, won: 1 });
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});
