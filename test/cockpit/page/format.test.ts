import { describe, expect, it } from "vitest";
import {
  decimalText,
  durationText,
  negative,
  numberText,
  signedText,
  signOf,
} from "../../../assets/cockpit/format.js";

describe("amounts on the page", () => {
  it("keep every digit that the bot sent, beyond those of a binary float", () => {
    expect(decimalText("12345678901234567890.123456789012345678")).toBe(
      "12\u202f345\u202f678\u202f901\u202f234\u202f567\u202f890.123456789012345678",
    );
    expect(signedText("0.100000000000000005551")).toBe("+0.100000000000000005551");
    expect(signedText("-1000.50")).toBe("−1\u202f000.50");
    expect(signedText("0.000")).toBe("0.000");
    expect(decimalText(null)).toBe("–");
  });

  it("know their sign by their digits", () => {
    expect([signOf("-0.00"), signOf("-0.01"), signOf("0.00001")]).toEqual([0, -1, 1]);
    expect([negative("-0.10"), negative("0.10"), negative("0")]).toEqual(["0.10", "-0.10", "0"]);
  });

  it("show a figure that is not known as a dash", () => {
    expect([numberText(undefined, 2), numberText(Number.NaN, 2)]).toEqual(["–", "–"]);
    expect(numberText(1234.567, 1)).toBe("1\u202f234.6");
  });

  it("show durations by their largest units", () => {
    expect([250, 4_000, 59_999, 61_000, 7_260_000, 180_000_000].map(durationText)).toEqual([
      "250 ms",
      "4.0 s",
      "59 s",
      "1 min 1 s",
      "2 h 1 min",
      "2 d 2 h",
    ]);
  });
});
