import { describe, expect, it } from "vitest";
import { GWEI, LiquidatingStage, OWN, PRICE } from "../scenarios/liquidating-stage.js";
import { COIN } from "./simulation/ground.js";
import type { Parts } from "./simulation/process.js";

describe("killed and started again", () => {
  it.each(["stored", "simulated", "sent", "mined", "final"])(
    "at '%s', it has taken the position over and handed it on once",
    async (step) => {
      const stage = await LiquidatingStage.open();
      await stage.price(56_000);
      await stage.blocks();
      let kills = 0;
      stage.starts({
        onStep: (kind) => {
          if (kind !== step || kills > 0) return;
          kills += 1;
          stage.isKilled();
        },
      });
      await stage.blocks(2);
      expect(kills).toBe(1);
      stage.starts();
      await stage.blocks(4);
      expect(await stage.nonces()).toBe(1);
      expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
      expect([...stage.desk.toldTimes.values()]).toEqual([1]);
      expect([...stage.desk.acquired.values()]).toMatchObject([
        { marketId: "btcusdc", lots: 1_000, credit: -PRICE },
      ]);
      expect(stage.ledger().filter(({ outcome }) => outcome === "won")).toHaveLength(1);
      expect(await stage.stops()).toBe(0);
      await stage.expectHonest();
    },
  );

  it("after the block and before the handover, the next run hands the position to the bot, once", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({
      rework: (parts: Parts) => ({
        ...parts,
        unwind: { ...parts.unwind, acquire: () => stage.isKilled() },
      }),
    });
    await stage.blocks(2);
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(stage.desk.acquired.size).toBe(0);
    stage.starts();
    await stage.blocks(2);
    expect([...stage.desk.toldTimes.values()]).toEqual([1]);
    expect(stage.opportunity()).toMatchObject({
      outcome: "won",
      takenOver: { lots: 1_000, credit: -PRICE },
    });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });

  it("during a reorg, the position is reverted at the bot, and replaced by the new block's", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ plan: { confirmations: 3 } });
    await stage.blocks(2);
    const [first = ""] = stage.desk.acquired.keys();
    expect(first).not.toBe("");
    stage.isKilled();
    await stage.reorg(2);
    stage.starts({ plan: { confirmations: 3 } });
    await stage.blocks(5);
    expect([...stage.desk.toldTimes.values()]).toEqual([1, 1]);
    expect(stage.desk.acquired.has(first)).toBe(false);
    expect([...stage.desk.acquired.keys()]).toEqual([stage.opportunity().takenOver?.id]);
    expect(await stage.nonces()).toBe(1);
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });
});

describe("a reorganisation deeper than what was waited for", () => {
  it("is logged as an error; the position is reverted at the bot, and the other branch's is handed over once", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ plan: { confirmations: 2 } });
    await stage.blocks(4);
    const [first = ""] = stage.desk.acquired.keys();
    expect(stage.opportunity()).toMatchObject({ outcome: "won", takenOver: { id: first } });

    await stage.reorg(4);
    await stage.blocks(4);
    expect(stage.said.filter(({ level }) => level === "error")).toMatchObject([
      {
        text: "a reorg deeper than chain.confirmations reverted a final takeover: the bot follows it again",
        fields: { was: "mined", hash: first.split("@")[0] },
      },
    ]);
    expect(stage.desk.acquired.has(first)).toBe(false);
    expect(stage.opportunity()).toMatchObject({
      outcome: "won",
      takenOver: { lots: 1_000, credit: -PRICE },
    });
    expect([...stage.desk.acquired.keys()]).toEqual([stage.opportunity().takenOver?.id]);
    expect(await stage.nonces()).toBe(1);
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(stage.process.ledger.counts()).toMatchObject({ seen: 1, won: 1, open: 0 });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });

  it("that puts a rival first is a lost race: nothing is sold, and only gas is paid", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ plan: { confirmations: 1 } });
    await stage.blocks(3);
    expect(stage.desk.acquired.size).toBe(1);

    // The other branch's pool has the same transaction, and a rival that pays more.
    const forked = stage.reorg(3);
    await stage.rivalTakes(COIN, 500n * GWEI);
    await forked;
    await stage.blocks(4);
    const { outcome, inheritedId, takenOver, gasWei } = stage.opportunity();
    expect([outcome, inheritedId, takenOver]).toEqual(["lost", undefined, undefined]);
    expect(gasWei).toBeGreaterThan(0n);
    expect(stage.desk.acquired.size).toBe(0);
    expect(await stage.held()).toEqual({ paper: 0n, credit: OWN });
    expect(stage.process.ledger.counts()).toMatchObject({ won: 0, lost: 1, open: 0, gasWei });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });
});
