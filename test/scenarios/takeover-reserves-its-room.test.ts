import { describe, expect, it } from "vitest";
import type { PlannedTakeover } from "#account/takeover.js";
import { TAKEOVERS_FILE } from "#bot/stored-takeovers.js";
import type { Lots } from "#core/units.js";
import { AcquiringStage } from "./acquiring-stage.js";
import { ASK, BID, MARKET } from "./stage.js";

const PAPER_PER_LOT = 10n ** 15n;
const [BUY, SELL] = [`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`];

function underWay(lots: Lots, jobId = "job"): PlannedTakeover {
  return { jobId, marketId: MARKET, paper: BigInt(lots) * PAPER_PER_LOT };
}

function reserves(stage: AcquiringStage, ...takeovers: readonly PlannedTakeover[]): void {
  stage.rig.bot.command({ command: "reserve", takeovers });
}

describe("a takeover that is planned takes its room in maxPositionBase (0.1) from every order", () => {
  it("quotes that fit beside it stay; what is filled meanwhile is not quoted again on its side until it is held or gone", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    reserves(stage, underWay(85));
    await stage.passes(2_000);
    expect(stage.quotes()).toEqual([BUY, SELL]);
    stage.counterparty.sells(10, BID);
    await stage.passes(3_000);
    // 10 are held, 85 may come: no ten more.
    expect(stage.quotes()).toEqual([SELL]);
    reserves(stage);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([BUY, SELL]);
  });

  it("on the side of a short as well", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    reserves(stage, underWay(-85));
    stage.counterparty.buys(10, ASK);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([BUY]);
  });

  it("once it is held its position takes the room: in the turn that brings it, before the reservation ends", async () => {
    const stage = new AcquiringStage({ unwind: { makerFirstMs: 60_000 } });
    await stage.botStarts();
    reserves(stage, underWay(95));
    await stage.passes(1_000);
    const takeover = stage.takeover(95);
    stage.acquires(takeover);
    stage.applies(takeover);
    reserves(stage);
    let most = 0;
    for (let waited = 0; waited < 5_000; waited += 100) {
      await stage.passes(100);
      const buys = stage.resting().filter(({ side }) => side === "BUY");
      most = Math.max(
        most,
        stage.positionLots() + buys.reduce((sum, { openLots }) => sum + openLots, 0),
      );
    }
    expect(most).toBeLessThanOrEqual(105);
    expect(stage.rig.bot.context.account.positionLots(MARKET)).toBe(stage.positionLots());
  });

  it("a bot that is killed while one is under way leaves the room to it when it is started again", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    reserves(stage, underWay(95));
    expect(stage.store.read(TAKEOVERS_FILE)).toContain('"jobId":"job"');
    stage.botIsKilled();
    stage.counterparty.sells(10, BID);
    await stage.botStarts(6_000);
    expect(stage.rig.bot.context.reservations.in(MARKET)).toMatchObject([{ jobId: "job" }]);
    expect(stage.quotes()).toEqual([SELL]);
    reserves(stage);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([BUY, SELL]);
    expect(stage.store.read(TAKEOVERS_FILE)).not.toContain('"jobId":"job"');
  });

  it.each([
    ["without a liquidator", { chain: undefined, liquidator: undefined }],
    ["with one that only rehearses", { liquidator: { minProfitQuote: "1", dryRun: true } }],
  ])("%s nobody says what became of it: after ten minutes its room is free", async (_what, bot) => {
    const stage = new AcquiringStage({ bot });
    await stage.botStarts();
    reserves(stage, underWay(95));
    stage.counterparty.sells(10, BID);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([SELL]);
    await stage.passes(600_000);
    expect(stage.quotes()).toEqual([BUY, SELL]);
  });
});
