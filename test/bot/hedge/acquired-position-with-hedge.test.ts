import { describe, expect, it } from "vitest";
import { buildUnwindStatus } from "#bot/unwind-status.js";
import { brings, MARK } from "../../scenarios/acquiring-stage.js";
import { ASK, BID, MARKET } from "../../scenarios/stage.js";
import { AcquiringHedgedStage } from "./acquiring-hedged-stage.js";

const BOTH_SIDES = [`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`];

async function started(
  ...options: ConstructorParameters<typeof AcquiringHedgedStage>
): Promise<AcquiringHedgedStage> {
  const stage = new AcquiringHedgedStage(...options);
  await stage.botStarts(5_000);
  expect(stage.quotes()).toEqual(BOTH_SIDES);
  return stage;
}

describe("an acquired position in a market with a hedge", () => {
  it("is laid off where that is cheaper: it pays no taker fee here, and the quotes work it off", async () => {
    const stage = await started(1);
    stage.takesOver(10);
    await stage.passes(40_000);
    expect(stage.legs()).toEqual([10, -10]);
    expect(stage.hedges()).toEqual(["SELL 10"]);
    expect(stage.slices()).toEqual([]);
    expect(stage.quotes(), "the market is made as before").toEqual(BOTH_SIDES);
    expect(stage.states()).toEqual(["laid-off"]);
    const { decision, ...report } = stage.report();
    // Half a spread of 5 ticks in 600,005, and 0.01 %.
    const held = brings(10, MARK);
    expect(decision).toMatchObject({ way: "hedge", venue: "deep", layOffCost: 65_000n });
    expect(decision?.hereCost).toBeGreaterThan(65_000n);
    expect(report).toMatchObject({
      soldLots: 10,
      laidOffLots: 10,
      remainingLots: 0,
      proceedsCredit: held - 65_000n,
    });
    expect(stage.decisions().map(({ level, fields }) => [level, fields?.why])).toEqual([
      ["info", "laying it off is cheaper"],
    ]);
    expect(buildUnwindStatus(stage.rig.bot, stage.report(), undefined).decision).toMatchObject({
      way: "hedge",
      layOffCostQuote: "0.065",
    });
    stage.counterparty.buys(10, ASK);
    await stage.passes(5_000);
    expect(stage.legs()).toEqual([0, 0]);
    stage.expectUnwound();
  });

  it("is sold here where that is cheaper, and pays the hedge venue nothing", async () => {
    const stage = await started(50);
    stage.takesOver(10);
    await stage.passes(40_000);
    expect(stage.legs()).toEqual([0, 0]);
    expect(stage.hedges()).toEqual([]);
    expect(stage.states()).toEqual(["open", "done"]);
    expect(stage.report().decision).toMatchObject({ way: "here", venue: "deep" });
    stage.expectUnwound();
  });

  it("is sold here without a hedge also across a restart", async () => {
    const stage = await started(50);
    stage.takesOver(10);
    await stage.passes(3_000);
    stage.botIsKilled();
    await stage.botStarts(40_000);
    expect(stage.legs()).toEqual([0, 0]);
    expect(stage.hedges()).toEqual([]);
  });

  it("is hedged once it is sold no more", async () => {
    const stage = await started(50, { layOff: "here", maxSlippageBps: 10 });
    stage.buyersLeave();
    stage.takesOver(10);
    await stage.passes(20_000);
    expect(stage.hedges()).toEqual([]);
    await stage.passes(20_000);
    expect(stage.report().state).toBe("expired");
    expect(stage.legs()).toEqual([10, -10]);
  });

  it.each([
    ["its fee is not known", undefined, "hedgeVenues.deep.takerFeeBps is not set"],
    ["it is away", 1, "deep: its streams are down: the line was cut"],
  ] as const)(
    "is sold here and hedged as ever while the hedge venue cannot be valued: %s",
    async (_case, takerFeeBps, why) => {
      const stage = await started(takerFeeBps);
      if (takerFeeBps !== undefined) stage.deep.streamIsLost();
      stage.takesOver(10);
      await stage.passes(1_000);
      stage.deep.streamIsUp();
      await stage.passes(3_000);
      expect(stage.legs()).toEqual([10, -10]);
      await stage.passes(36_000);
      expect(stage.legs()).toEqual([0, 0]);
      expect(stage.report()).toMatchObject({ state: "done", decision: { way: "both", why } });
      expect(stage.decisions().map(({ level }) => level)).toEqual(["warn"]);
    },
  );

  it.each([
    ["here", 0, [0, 0]],
    ["hedge", 50, [10, -10]],
  ] as const)("goes where the file sends it: %s", async (layOff, takerFeeBps, legs) => {
    const stage = await started(takerFeeBps, { layOff });
    stage.takesOver(10);
    await stage.passes(40_000);
    expect(stage.legs()).toEqual(legs);
    expect(stage.report().decision).toMatchObject({ way: layOff });
  });

  it("is not laid off without margin there for it", async () => {
    const stage = await started(1);
    // 0.01 at 60,001 without leverage.
    stage.deep.equity = 600n * 10n ** 8n;
    await stage.passes(12_000);
    stage.takesOver(10);
    await stage.passes(1_000);
    expect(stage.report().decision).toMatchObject({
      way: "both",
      why: "the margin at deep is too small for its hedge",
    });
  });

  it("is not laid off with margin that another one takes, which nobody could hedge then", async () => {
    const stage = await started(1);
    // Enough for one of 0.01 at 60,001 without leverage, and not for two.
    stage.deep.equity = 900n * 10n ** 8n;
    await stage.passes(12_000);
    stage.takesOver(10);
    stage.takesOver(10);
    await stage.passes(1_000);
    expect(stage.decisions().map(({ fields }) => fields?.why)).toEqual([
      "laying it off is cheaper",
      "the margin at deep is too small for its hedge",
    ]);
  });

  it("pays the hedge venue nothing before its receipt if it is then sold here", async () => {
    const stage = await started(50);
    const takeover = stage.takeover(10);
    stage.applies(takeover);
    await stage.passes(3_000);
    expect(stage.rig.bot.context.account.positionLots(MARKET)).toBe(10);
    expect(stage.hedges()).toEqual([]);
    stage.acquires(takeover);
    await stage.passes(40_000);
    expect(stage.legs()).toEqual([0, 0]);
    expect(stage.hedges()).toEqual([]);
  });

  it("is hedged if its receipt is missing for longer than the market may be unhedged", async () => {
    const stage = await started(50);
    stage.applies(stage.takeover(10));
    await stage.passes(3_000);
    expect(stage.legs()).toEqual([10, 0]);
    await stage.passes(5_000);
    expect(stage.legs()).toEqual([10, -10]);
  });

  it("names a fee in the file that a fill there contradicts, once", async () => {
    const stage = await started(1, { layOff: "here" });
    for (const sold of [1, 2]) {
      stage.counterparty.sells(10, BID);
      await stage.passes(2_000);
      expect(stage.hedges()).toHaveLength(sold);
    }
    const warnings = stage.notices.flatMap((notice) =>
      notice.kind === "hedge" && notice.notice.kind === "warning" ? [notice.notice.message] : [],
    );
    expect(warnings).toEqual([expect.stringContaining("takerFeeBps is 1, and a fill has paid 0:")]);
  });

  it("ends on neither venue if the chain takes back what was laid off", async () => {
    const stage = await started(1);
    const takeover = stage.takeover(10);
    stage.acquires(takeover);
    await stage.passes(1_000);
    expect(stage.deep.positionLots).toBe(-10);
    stage.rig.bot.command({ command: "disinherit", takeoverId: takeover.id });
    await stage.passes(5_000);
    expect(stage.legs()).toEqual([0, 0]);
    expect(stage.report()).toMatchObject({ state: "undone", laidOffLots: 0, remainingLots: 0 });
    expect(stage.hedges()).toEqual(["SELL 10", "BUY 10"]);
  });
});
