import { expect, it } from "vitest";
import type { PlannedTakeover } from "#account/takeover.js";
import { GWEI, LiquidatingStage, LONG } from "../scenarios/liquidating-stage.js";
import { COIN } from "./simulation/ground.js";

it("a takeover's room is reserved before anything is sent, and given back once the bot holds the position", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  const reserved = new Map<string, readonly PlannedTakeover[]>();
  const held = new Map<string, number>();
  stage.starts({
    onStep: (kind) => {
      reserved.set(kind, stage.desk.reserved);
      held.set(kind, stage.desk.acquired.size);
    },
  });
  await stage.blocks(3);
  for (const step of ["stored", "simulated", "sent"])
    expect([step, reserved.get(step)]).toMatchObject([step, [{ paper: COIN }]]);
  expect(held.get("acquired")).toBe(1);
  expect(reserved.get("acquired"), "held, and its room is still reserved").toMatchObject([
    { marketId: "btcusdc", paper: COIN },
  ]);
  expect(stage.desk.reserved).toEqual([]);
  expect(await stage.stops()).toBe(0);
});

it("a takeover that reverts, or that the simulation refuses, gives its room back", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  stage.starts();
  await stage.passes(1_000);
  expect(stage.desk.reserved).toMatchObject([{ paper: COIN }]);
  await stage.rivalTakes(COIN, 500n * GWEI);
  await stage.blocks(3);
  expect(stage.opportunity()).toMatchObject({ outcome: "lost" });
  expect(stage.desk.reserved).toEqual([]);
  expect(await stage.stops()).toBe(0);
});

it("a takeover that is cancelled at a stop gives its room back", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  stage.starts();
  await stage.passes(1_000);
  expect(stage.desk.reserved).toHaveLength(1);
  expect(await stage.stops()).toBe(0);
  expect(stage.desk.reserved).toEqual([]);
});

it("a block removed by a reorg takes the position away, and its room is reserved again", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  const atRevert: (readonly PlannedTakeover[])[] = [];
  stage.starts({
    plan: { confirmations: 3 },
    onStep: (kind) => kind === "reverted" && atRevert.push(stage.desk.reserved),
  });
  await stage.blocks(2);
  expect(stage.desk.reserved).toEqual([]);
  await stage.reorg(2);
  await stage.blocks(5);
  for (const reserved of atRevert)
    expect(reserved, "before the position is taken back").toMatchObject([{ paper: COIN }]);
  expect(stage.desk.reserved).toEqual([]);
  expect(stage.desk.acquired.size).toBe(1);
  expect(await stage.stops()).toBe(0);
});

it("a run killed after sending has its room reserved again at the next start, even if the ledger was lost", async () => {
  const stage = await LiquidatingStage.open({ openings: [LONG] });
  await stage.price(56_000);
  await stage.blocks();
  stage.starts();
  await stage.passes(1_000);
  const [sent] = stage.desk.reserved;
  expect(sent).toMatchObject({ paper: COIN });
  stage.isKilled();
  stage.disk.ledger = "";
  stage.desk.reserved = [{ jobId: "planned and never stored", marketId: "btcusdc", paper: COIN }];
  stage.starts();
  expect(stage.desk.reserved, "what was never sent is gone").toEqual([sent]);
  await stage.blocks(4);
  expect(stage.desk.reserved).toEqual([]);
  expect(stage.desk.acquired.size).toBe(1);
  expect(await stage.stops()).toBe(0);
});
