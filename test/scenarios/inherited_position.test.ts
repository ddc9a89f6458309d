import { describe, expect, it } from "vitest";
import { InheritingStage, MARK } from "./inheriting-stage.js";

describe("a position inherited where nothing is quoted", () => {
  it.each([
    [10, "SELL"],
    [-10, "BUY"],
  ] as const)("of %d lots is offered first, then taken down by its trajectory, and is gone before its deadline", async (lots, side) => {
    const stage = new InheritingStage({ alone: true });
    await stage.botStarts();
    expect(stage.quotes()).toEqual([]);
    const takeover = stage.takeover(lots);
    stage.inherits(takeover);
    expect(stage.rig.bot.context.account.positionLots("btcusdc"), "at once").toBe(lots);
    await stage.passes(300);
    stage.applies(takeover);
    await stage.passes(4_000);
    expect(stage.quotes()).toEqual([`${side} 10 @ ${MARK}`]);
    expect(stage.slices()).toEqual([]);

    await stage.passes(30_000);
    expect(stage.report()).toMatchObject({ state: "done", soldLots: lots, remainingLots: 0, nettedLots: 0 });
    expect(stage.slices()).toHaveLength(4);
    expect(stage.positionLots()).toBe(0);
    expect(stage.quotes()).toEqual([]);
    expect(stage.states()).toEqual(["open", "done"]);
    stage.expectUnwound();
    expect(stage.differences()).toEqual([]);
  });
});
