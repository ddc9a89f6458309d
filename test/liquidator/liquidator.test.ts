import { describe, expect, it } from "vitest";
import { scaledToDecimal } from "#core/instrument.js";
import { ETH, GWEI, LiquidatingStage, LONG, OWN, PRICE } from "../scenarios/liquidating-stage.js";
import { COIN, USD } from "./simulation/ground.js";

describe("a dry run", () => {
  it("does everything but send, and logs what it would have taken over", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ dryRun: true });
    await stage.blocks(5);
    const { intended, atMs, ...rest } = stage.opportunity();
    expect(rest).toMatchObject({ outcome: "open", isRehearsed: true, marketId: "btcusdc" });
    expect(Object.keys(atMs)).toEqual(["seen", "confirmed", "planned", "simulated"]);
    expect(intended?.requestPaper).toBe(COIN);
    expect(stage.said, "once, however long it stays").toMatchObject([
      {
        text: "would take a position over",
        fields: {
          amountBase: "1",
          expectedProfitQuote: scaledToDecimal(intended?.expectedProfitQuote ?? 0n, 6),
          victim: rest.victim,
        },
      },
    ]);
    expect(stage.process.ledger.counts()).toMatchObject({
      seen: 1,
      confirmed: 1,
      wouldAct: 1,
      won: 0,
      profitQuote: 0n,
      gasWei: 0n,
    });

    await stage.rivalTakes(COIN, GWEI);
    await stage.blocks(2);
    expect(stage.opportunity()).toMatchObject({
      outcome: "dry-run",
      lostTo: { winner: stage.rival.toLowerCase() },
    });
    expect(await stage.counted()).toEqual({ seen: 1, confirmed: 1, "dry-run": 1 });
    expect(await stage.nonces()).toBe(0);
    expect(stage.disk.records).toEqual([]);
    expect(await stage.held()).toEqual({ paper: 0n, credit: OWN });
    expect(await stage.stops()).toBe(0);
  });
});

describe("on a rollup, whose parent chain takes a fee of its own", () => {
  const expectedAt = async (l1FeeWei: bigint) => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ dryRun: true, settings: { l1FeeWei } });
    await stage.blocks(2);
    const [opportunity] = stage.process.ledger.open;
    expect(await stage.stops()).toBe(0);
    return opportunity;
  };

  it("reduces the profit by exactly that fee, and prevents takeovers that it would make unprofitable", async () => {
    const [free, charged] = [await expectedAt(0n), await expectedAt(10n ** 16n)];
    // A hundredth of an ether at 3,000.
    expect(
      (free?.intended?.expectedProfitQuote ?? 0n) - (charged?.intended?.expectedProfitQuote ?? 0n),
    ).toBe(30_000_000n);
    const eaten = await expectedAt(10n ** 18n);
    expect(eaten?.intended).toBeUndefined();
    expect(eaten?.shortOfQuote ?? 0n).toBeGreaterThan(2_000_000_000n);
  });

  it("leaves the fee out of what gas may cost: both together stay within the bound", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    const l1FeeWei = 10n ** 16n;
    stage.starts({ settings: { l1FeeWei } });
    await stage.blocks(2);
    const { intended, outcome } = stage.opportunity();
    expect(outcome).toBe("won");
    const [job] = stage.process.lanes?.jobs() ?? [];
    expect(job?.job?.maxCostWei).toBe((intended?.maxCostWei ?? 0n) - l1FeeWei);
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });
});

describe("several markets", () => {
  it("are taken over in turn from one account, the most profitable first, each once", async () => {
    const openings = [LONG, { victim: 0, market: ETH, paper: 10n * COIN, price: 3_000n * USD }];
    const stage = await LiquidatingStage.open({ openings, victims: [7_000n] });
    await stage.price(54_000);
    await stage.price(2_900, ETH);
    stage.starts();
    await stage.blocks(8);
    const won = stage.ledger().filter(({ outcome }) => outcome === "won");
    expect(won[0]?.marketId).toBe("btcusdc");
    expect(await stage.paper()).toBe(COIN);
    expect(await stage.nonces()).toBe(won.length);
    expect(stage.desk.acquired.size).toBe(won.length);
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });

  it("one with a stale price makes only its own accounts unreadable", async () => {
    const openings = [
      LONG,
      { ...LONG, victim: 1 },
      { victim: 1, market: ETH, paper: COIN, price: 3_000n * USD },
    ];
    const stage = await LiquidatingStage.open({ openings });
    await stage.price(56_000);
    await stage.heartbeat(1n, ETH);
    await stage.blocks(2);
    stage.starts();
    await stage.blocks(3);
    const won = stage.ledger().filter(({ outcome }) => outcome === "won");
    expect(won).toMatchObject([{ victim: stage.ground.victim(0).address.toLowerCase() }]);
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    await stage.heartbeat(10n ** 9n, ETH);
    await stage.blocks(6);
    expect(await stage.paper(), "its price is back, and so is the other account").toBe(2n * COIN);
    expect(await stage.stops()).toBe(0);
    expect(await stage.nonces()).toBe(stage.desk.acquired.size);
  });
});

describe("a stop", () => {
  it("with a takeover in flight cancels it at its nonce, waits until final, and leaves nothing", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts();
    await stage.passes(1_000);
    expect(stage.process.view().inFlight).toHaveLength(1);
    expect(await stage.stops()).toBe(0);
    expect(stage.process.view().paused).toBe("stopping");
    expect(stage.opportunity()).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("cancelled"),
    });
    expect(await stage.nonces()).toBe(1);
    expect(await stage.held()).toEqual({ paper: 0n, credit: OWN });
    expect(stage.desk.acquired.size).toBe(0);
    await stage.expectHonest();
  });

  it("that times out first reports what it leaves, and the next run continues it", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts();
    await stage.passes(1_000);
    // No block comes.
    expect(await stage.clock.runThrough(stage.process.stop(3_000), 10_000)).toBe(1);
    stage.starts();
    await stage.blocks(3);
    expect(stage.troubles()).toContain("a takeover of an earlier run is still in flight");
    const taken = await stage.paper();
    expect(stage.desk.acquired.size).toBe(taken === 0n ? 0 : 1);
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });
});
