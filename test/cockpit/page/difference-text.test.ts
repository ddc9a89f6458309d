import { describe, expect, it } from "vitest";
import {
  differenceSentence,
  fateText,
  ordersSentence,
  quoteChanges,
} from "#bot/difference-text.js";
import { describeDifference } from "#cli/describe-difference.js";
import type { ConfigDifference } from "../../../assets/cockpit/frame.js";
import { fullPath, typedValue } from "../../../assets/cockpit/parameter-values.js";
import { sampleDifference } from "./sample-difference.js";

describe("a difference on the page", () => {
  it("has the words of the command line", () => {
    const preview = sampleDifference("preview");
    const differences: readonly ConfigDifference[] = [
      preview,
      { ...preview, changes: [], markets: {} },
      sampleDifference("applied"),
      { ...sampleDifference("applied"), saved: false },
      sampleDifference("same"),
      { ...sampleDifference("same"), saved: true },
      ...(["same", "applied"] as const).map((state) => ({
        ...sampleDifference(state),
        saved: true,
        written: [{ path: "risk.maxLeverage", before: "2", after: "3" }],
      })),
    ];
    for (const difference of differences) {
      const [first] = describeDifference(difference).split("\n");
      expect(differenceSentence(difference)).toBe(first);
    }
    const text = describeDifference(preview);
    const market = preview.markets.btcusdc;
    if (market === undefined) throw new Error("no market");
    expect(text).toContain(`btcusdc: ${ordersSentence(market)}\n`);
    const fates = quoteChanges(market).map(({ after }) => fateText(after));
    expect(fates).toEqual(["placed", "stays", "withheld: over limits.maxPositionBase"]);
    const swapped = { ...market, before: market.after, after: market.before };
    expect(
      quoteChanges(swapped)
        .map(({ after }) => fateText(after))
        .at(-1),
    ).toBe("cancelled");
    for (const fate of fates) expect(text).toContain(` ${fate}\n`);
  });
});

describe("a typed value", () => {
  it("is of the market, and a parameter if its name has no dot", () => {
    expect(fullPath("halfSpreadBps", "btcusdc")).toBe("markets.btcusdc.params.halfSpreadBps");
    expect(fullPath("limits.maxOrderBase", "btcusdc")).toBe("markets.btcusdc.limits.maxOrderBase");
    expect(fullPath("markets.ethusdc.decide", "btcusdc")).toBe("markets.ethusdc.decide");
    expect(fullPath("risk.maxLeverage", undefined)).toBe("risk.maxLeverage");
  });

  it("keeps the digits of a limit, and is JSON otherwise", () => {
    expect(typedValue("markets.btcusdc.limits.maxOrderBase", "0.100000000000000001")).toBe(
      "0.100000000000000001",
    );
    expect(typedValue("markets.btcusdc.params.sizeBase", "0.02")).toBe(0.02);
    expect(typedValue("risk.maxDrawdownQuote", "null")).toBeNull();
    expect(typedValue("quotes.priceToleranceTicks", " 5 ")).toBe(5);
    expect(typedValue("risk.onDrawdown", "flatten")).toBe("flatten");
    expect(typedValue("risk.ladder.drawdown", '[{"fromQuote":50}]')).toEqual([{ fromQuote: 50 }]);
  });
});
