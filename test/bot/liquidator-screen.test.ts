import { expect, it } from "vitest";
import { distanceText } from "#bot/liquidator-screen.js";

it.each([
  [0, "unsafe"],
  [12.54, "12.5 bps"],
  [9_999.9, "9999.9 bps"],
  [10_000, "far"],
  [1_533_691_017_048.2, "far"],
  [Number.POSITIVE_INFINITY, "far"],
])(
  "an account that becomes liquidatable after a move of %s basis points is shown as %s",
  (distanceBps, text) => {
    expect(distanceText(distanceBps)).toBe(text);
  },
);
