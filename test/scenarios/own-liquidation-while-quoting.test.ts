import { describe, expect, it } from "vitest";
import type { Lots } from "#core/units.js";
import { AcquiringStage, MARK } from "./acquiring-stage.js";
import { ASK, BID } from "./stage.js";

/** `limits.maxPositionBase` of the stage. */
const MOST: Lots = 100;
/** The request that reads the position from the exchange. */
const QUESTION = "balances";

describe("the own account is liquidated while its bot quotes", () => {
  it("nothing is bought on the position that is gone: no order leaves before the exchange has said what is held now", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    for (let lot = 0; lot < 6; lot++) {
      stage.counterparty.buys(10, ASK);
      await stage.passes(1_000);
    }
    expect(stage.positionLots()).toBe(-60);
    stage.wants({ lots: 40 });
    await stage.passes(1_000);
    const ends = stage.network.every(QUESTION, { is: "answer late", byMs: 1_500 });
    stage.applies({ lots: 60, credit: -60n * BigInt(MARK) * 100n }, { type: "LIQUIDATED" });
    let most = 0;
    for (let sale = 0; sale < 20; sale++) {
      stage.counterparty.sells(40, BID);
      await stage.passes(100);
      most = Math.max(most, Math.abs(stage.positionLots()));
    }
    expect(most).toBeLessThanOrEqual(MOST);
    expect(stage.halts()).toContain("position-unknown");
    ends();
    await stage.passes(10_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.rig.bot.context.account.positionLots("btcusdc")).toBe(stage.positionLots());
    stage.expectUnwound();
  });

  it("so it is where somebody takes a position over for the account, and no liquidator runs with the bot", async () => {
    const stage = new AcquiringStage({ bot: { chain: undefined, liquidator: undefined } });
    await stage.botStarts();
    const ends = stage.network.every(QUESTION, { is: "answer late", byMs: 1_500 });
    stage.applies({ lots: 60, credit: -60n * BigInt(MARK) * 100n });
    await stage.passes(500);
    expect(stage.halts()).toEqual(["position-unknown"]);
    expect(stage.quotes()).toEqual([]);
    ends();
    await stage.passes(10_000);
    expect([stage.halts(), stage.rig.bot.context.account.positionLots("btcusdc")]).toEqual([
      [],
      60,
    ]);
  });
});
