import { describe, expect, it } from "vitest";
import { buildReadiness } from "#bot/bot-status.js";
import { ASK, BID, Stage } from "./stage.js";

describe("a bot whose event loop lags", () => {
  it("sheds load and says so while it quotes, and its quotes come down while it reacts too late to be safe", async () => {
    const stage = new Stage();
    await stage.botStarts(5_000);
    expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);

    stage.machine.lateMs = 150;
    await stage.passes(10_000);
    expect(stage.quotes()).toHaveLength(2);
    expect(buildReadiness(stage.rig.bot)).toEqual({
      ready: true,
      reasons: [expect.stringMatching(/^load is shed: the event loop is 1\d\d ms late/)],
    });

    stage.machine.lateMs = 1_000;
    await stage.passes(10_000);
    expect(stage.halts()).toEqual(["loop-lag"]);
    expect(stage.saidOfHalt("loop-lag")).toMatch(/^this bot reacts \d+ ms late, allowed 500 ms/);
    expect(stage.quotes()).toEqual([]);
    expect(buildReadiness(stage.rig.bot).ready).toBe(false);

    stage.machine.lateMs = 0;
    await stage.passes(15_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.quotes()).toHaveLength(2);
    expect(buildReadiness(stage.rig.bot)).toEqual({ ready: true, reasons: [] });
    stage.expectAgreement();
  });

  it("asks its strategy about the newest book alone, as often as it can keep up, and at once after a fill", async () => {
    const asked = async (lateMs: number): Promise<number> => {
      const stage = new Stage({ bot: { decide: { everyMs: 1_000, minGapMs: 5 } } });
      await stage.botStarts(5_000);
      stage.machine.lateMs = lateMs;
      await stage.passes(5_000);
      const before = stage.notices.filter(({ kind }) => kind === "intent").length;
      for (let count = 0; count < 100; count++) {
        stage.counterparty.rests("BUY", 1, BID - 150 + count);
        await stage.passes(20);
      }
      return stage.notices.filter(({ kind }) => kind === "intent").length - before;
    };
    const [prompt, lagging] = [await asked(0), await asked(150)];
    expect(prompt).toBeGreaterThan(40);
    expect(lagging).toBeLessThan(prompt / 2);
    expect(lagging).toBeGreaterThan(5);
  });
});
