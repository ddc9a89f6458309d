import { describe, expect, it } from "vitest";
import { renderLiquidatorPanel } from "#monitoring/screen-liquidator.js";
import type { ScreenLiquidator } from "#monitoring/screen-model.js";

const VICTIM = `0x${"ab".repeat(20)}`;
const liquidator: ScreenLiquidator = {
  paused: undefined,
  dryRun: false,
  blockNumber: 1_234,
  watched: 57,
  inFlight: 0,
  counts: [
    ["seen", 9],
    ["won", 4],
    ["lost", 2],
  ],
  profitQuote: "1491.25",
  gasEth: "0.00123",
  rpcs: [
    { name: "node-a", text: "0.4 s", isBelieved: true },
    { name: "node-b", text: "its head is 20000 ms old, allowed 15000", isBelieved: false },
  ],
  nearest: [
    { account: VICTIM, distance: "unsafe", discountQuote: "560" },
    { account: `0x${"cd".repeat(20)}`, distance: "12.5 bps", discountQuote: "80" },
  ],
  liquidations: ["won", "lost", "unprofitable"].map((outcome, i) => ({
    atMs: 45_296_000 + i * 1_000,
    marketId: "btcusdc",
    victim: VICTIM,
    outcome,
    detail: ["sold", "to 0x99, 1 blocks before", "short of the least profit by 3.5"][i] ?? "",
    profitQuote: outcome === "won" ? "512.25" : outcome === "lost" ? "-0.15" : undefined,
  })),
};

const spans = (of: ScreenLiquidator, height = 12) => renderLiquidatorPanel(of, height);
const lines = (of: ScreenLiquidator, height = 12) =>
  spans(of, height).map((line) => line.map(([text]) => text).join(""));
const styleOf = (of: ScreenLiquidator, part: string) =>
  spans(of)
    .flat()
    .find(([text]) => text.includes(part))?.[1];

describe("the liquidator's panel", () => {
  it("shows its state: block, accounts, RPCs with the age of their heads, and which of them is not trusted", () => {
    expect(lines(liquidator)[0]).toBe(
      "liquidator  watching   block 1234   accounts 57   node-a 0.4 s   node-b its head is 20000 ms old, allowed 15000",
    );
    expect(styleOf(liquidator, "its head is")).toBe("red");
    expect(styleOf(liquidator, "0.4 s")).toBe("plain");
  });

  it("says what was earned, what the gas came to, and how the opportunities ended", () => {
    expect(lines(liquidator)[1]).toBe(
      "earned +1491.25   gas 0.00123 ETH   seen 9   won 4   lost 2",
    );
    expect(lines({ ...liquidator, profitQuote: "-0.45" })[1]).toContain("earned -0.45");
  });

  it("shows who is nearest to the edge, then the newest liquidations with their profit and why", () => {
    const shown = lines(liquidator);
    expect(shown[2]).toBe(`  near ${VICTIM}  unsafe  discount 560`);
    expect(shown[3]).toContain("12.5 bps  discount 80");
    expect(shown[4]).toBe(`  12:34:56 won          btcusdc ${VICTIM} +512.25 sold`);
    expect(shown[5]).toBe(
      `  12:34:57 lost         btcusdc ${VICTIM} -0.15 to 0x99, 1 blocks before`,
    );
    expect(shown[6]).toBe(
      `  12:34:58 unprofitable btcusdc ${VICTIM} short of the least profit by 3.5`,
    );
  });

  it("distinguishes a dry run, a pause and takeovers in flight", () => {
    expect(lines({ ...liquidator, dryRun: true })[0]).toContain(
      "liquidator  dry run, nothing is sent  watching",
    );
    expect(lines({ ...liquidator, paused: "drawdown 510 of 500" })[0]).toContain(
      "liquidator  paused: drawdown 510 of 500",
    );
    expect(styleOf({ ...liquidator, paused: "drawdown" }, "paused")).toBe("yellow");
    expect(lines({ ...liquidator, inFlight: 2 })[0]).toContain("liquidator  2 under way");
    expect(lines({ ...liquidator, blockNumber: undefined })[0]).toContain("block unknown");
  });

  it("keeps to its height, the newest liquidations and the nearest accounts first", () => {
    for (let height = 0; height <= 12; height += 1)
      expect(lines(liquidator, height).length).toBeLessThanOrEqual(height);
    expect(lines(liquidator, 5).filter((line) => line.includes("12:34:58"))).toHaveLength(1);
    expect(lines(liquidator, 5).filter((line) => line.includes("near "))).toHaveLength(1);
  });
});
