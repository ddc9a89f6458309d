import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeSharpe } from "#backtest/compute-sharpe.js";
import { formatInstant } from "#backtest/format-instant.js";
import {
  escapeHtml,
  exactText,
  figure,
  moneyText,
  roundedText,
  scriptJson,
  signedMoney,
} from "#backtest/html-text.js";
import { scaledToDecimal } from "#core/instrument.js";

describe("figures on the page", () => {
  it("round half away from zero, never by way of a float", () => {
    const decimals = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), decimals, (scaled, kept) => {
        const magnitude = scaled < 0n ? -scaled : scaled;
        const unit = 10n ** BigInt(12 - kept);
        const rounded = (magnitude + unit / 2n) / unit;
        const text = roundedText(scaledToDecimal(scaled, 12), kept);
        const plain = text.replaceAll("\u202f", "").replace("−", "-");
        expect(plain.replace(/[-.]/g, "").replace(/^0+(?=\d)/, "")).toBe(String(rounded));
        expect(plain.startsWith("-")).toBe(scaled < 0n && rounded !== 0n);
        expect(plain.split(".")[1]?.length ?? 0).toBe(kept);
      }),
      { numRuns: 200 },
    );
  });

  it("keep every digit where they are exact, and state their meaning", () => {
    expect(exactText("-1234567.000100")).toBe("−1\u202f234\u202f567.000100");
    expect(moneyText("12345.6")).toBe("12\u202f346");
    expect(moneyText("0.0000014")).toBe("0.000001");
    expect([signedMoney("5"), signedMoney("-5"), signedMoney("0")]).toEqual([
      "+5.00",
      "−5.00",
      "0.00",
    ]);
    expect([figure(0.5051), figure(60), figure(-1234.5), figure(0)]).toEqual([
      "0.5051",
      "60",
      "−1\u202f235",
      "0",
    ]);
    expect(formatInstant(1_723_161_260_000_007)).toBe("2024-08-08T23:54:20.000007Z");
  });

  it("let no name or note become markup, in the page or in its script", () => {
    expect(escapeHtml(`<b a="1">'&`)).toBe("&lt;b a=&quot;1&quot;&gt;&#39;&amp;");
    expect(scriptJson({ text: "</script><!--" })).not.toContain("<");
  });
});

describe("the Sharpe ratio", () => {
  it("is mean over deviation of daily profits, times the root of 365, with its standard error", () => {
    // Mean 1.5, deviation sqrt(0.25 * 10 / 9): by hand.
    const days = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2];
    const daily = 1.5 / Math.sqrt(2.5 / 9);
    const sharpe = computeSharpe(days);
    expect(sharpe?.value).toBeCloseTo(daily * Math.sqrt(365), 10);
    expect(sharpe?.standardError).toBeCloseTo(
      Math.sqrt((1 + daily ** 2 / 2) / 10) * Math.sqrt(365),
      10,
    );
  });

  it("is undefined for nine days, and for days that do not vary", () => {
    expect(computeSharpe([1, 2, 1, 2, 1, 2, 1, 2, 1])).toBeUndefined();
    expect(computeSharpe(new Array(12).fill(3))).toBeUndefined();
  });
});
