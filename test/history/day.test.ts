import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instantText, parseDayStart, parseInstant, parseInstantUs, toDay } from "#history/day.js";
import { clipSpans, findGaps, mergeSpans, type Span } from "#history/spans.js";

describe("a day of the store", () => {
  it("is the UTC day that the platform's calendar names, from 1970 to 2200", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) }), (instantMs) => {
        const iso = new Date(instantMs).toISOString();
        expect(toDay(instantMs)).toBe(iso.slice(0, 10));
        expect(parseDayStart(toDay(instantMs))).toBe(Date.parse(iso.slice(0, 10)));
        expect(parseInstant(instantText(instantMs), "at")).toBe(instantMs);
      }),
    );
  });

  it.each(["2024-02-30", "2023-02-29", "2024-13-01", "2024-1-1", "yesterday"])(
    "is not %s",
    (text) => {
      expect(parseDayStart(text)).toBeUndefined();
      expect(() => parseInstant(text, "--from")).toThrow(/--from: is not a time/);
    },
  );

  it("knows leap days and times within a day", () => {
    expect(toDay(parseDayStart("2024-02-29") as number)).toBe("2024-02-29");
    expect(parseInstant("2024-08-08T23:54:16.322Z", "--from")).toBe(1723161256322);
    expect(parseInstant("1723161256322", "--from")).toBe(1723161256322);
    expect(() => parseInstant("2024-08-08T24:00:00Z", "--to")).toThrow(/--to/);
  });

  it("is read to the microsecond as reports write it, and refused instead of rounded to milliseconds", () => {
    expect(parseInstantUs("2024-08-08T23:54:16.322001Z", "history.from")).toBe(1723161256322001);
    expect(parseInstant("2024-08-08T23:54:16.322000Z", "--from")).toBe(1723161256322);
    expect(() => parseInstant("2024-08-08T23:54:16.322001Z", "--from")).toThrow(
      /whole milliseconds/,
    );
    expect(() => parseInstantUs("2024-08-08T23:54:16.3220010Z", "history.from")).toThrow(
      /is not a time/,
    );
  });
});

describe("spans of time", () => {
  const span = fc
    .tuple(fc.nat(40), fc.nat(40))
    .map(([from, length]): Span => [from, from + length]);
  const isIn = (spans: readonly Span[], at: number): boolean =>
    spans.some(([from, to]) => at >= from && at < to);

  it("are united, cut and complemented instant by instant", () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 8 }), span, (spans, within) => {
        const instants = Array.from({ length: 90 }, (_, at) => at);
        const told = (spansOf: readonly Span[]) => instants.map((at) => isIn(spansOf, at));
        expect(told(mergeSpans(spans))).toEqual(told(spans));
        expect(told(clipSpans(spans, within))).toEqual(
          instants.map((at) => isIn(spans, at) && isIn([within], at)),
        );
        expect(told(findGaps(spans, within))).toEqual(
          instants.map((at) => isIn([within], at) && !isIn(spans, at)),
        );
        const united = mergeSpans(spans);
        expect(
          united.every(([from], index) => index === 0 || from > (united[index - 1] as Span)[1]),
        ).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
