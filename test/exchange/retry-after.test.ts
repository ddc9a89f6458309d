import fc from "fast-check";
import { expect, it } from "vitest";
import { parseRetryAfterMs } from "#core/parse-retry-after.js";

it("reads every date as the calendar counts it", () => {
  const seconds = fc.integer({ min: 0, max: 7_258_118_400 });
  const httpDate = (second: number) => new Date(second * 1000).toUTCString();
  fc.assert(
    fc.property(seconds, fc.integer({ min: 1, max: 9_999_999 }), (from, wait) => {
      const times = { retryAfter: httpDate(from + wait), date: httpDate(from) };
      expect(parseRetryAfterMs(times, 0)).toBe(wait * 1000);
      expect(parseRetryAfterMs({ ...times, date: undefined }, from * 1000)).toBe(wait * 1000);
    }),
  );
});
