import { describe, expect, it } from "vitest";
import { dayStateSchema, isSummaryDue, makeSummary } from "#notify/daily-summary.js";

const time = { dailySummaryAt: "07:00", timeZone: "Europe/Berlin" };
/** 07:00 in Berlin, in winter. */
const SEVEN = Date.UTC(2026, 0, 5, 6);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("the daily summary", () => {
  it("comes once a day at the trader's time, in summer too, and late after an outage", () => {
    const day = dayStateSchema.parse({});
    expect(isSummaryDue(day, time, SEVEN - 60_000)).toBe(false);
    expect(isSummaryDue(day, time, SEVEN)).toBe(true);
    expect(isSummaryDue(day, time, SEVEN + 500)).toBe(false);
    expect(isSummaryDue(day, time, SEVEN + HOUR)).toBe(false);
    expect(isSummaryDue(day, time, SEVEN + 2 * DAY + 5 * HOUR)).toBe(true);
    const summer = Date.UTC(2026, 6, 5, 5);
    expect(isSummaryDue(dayStateSchema.parse({ date: "x" }), time, summer - 60_000)).toBe(false);
    expect(isSummaryDue(dayStateSchema.parse({ date: "x" }), time, summer)).toBe(true);
  });

  it("does not come at once when a sender runs for the first time in the afternoon", () => {
    const day = dayStateSchema.parse({});
    expect(isSummaryDue(day, time, SEVEN + 8 * HOUR)).toBe(false);
    expect(isSummaryDue(day, time, SEVEN + DAY)).toBe(true);
  });

  it("waits for the last record of a day that has just ended", () => {
    const day = dayStateSchema.parse({ date: "x" });
    const midnight = { dailySummaryAt: "00:00", timeZone: "UTC" };
    expect(isSummaryDue(day, midnight, Date.UTC(2026, 0, 5) + 59_000)).toBe(false);
    expect(isSummaryDue(day, midnight, Date.UTC(2026, 0, 5) + 60_000)).toBe(true);
  });

  it("is that of the last UTC day that is over, and says why where there is none", async () => {
    const of: string[] = [];
    const summarise = async (day: string): Promise<string> => {
      of.push(day);
      if (day === "2026-01-05") throw new Error("there is no record of this day");
      return "profit +1.00 USDC\nfills 2\n";
    };
    expect(await makeSummary(summarise, SEVEN)).toMatchObject({
      severity: "info",
      kind: "summary",
      text: "profit +1.00 USDC\nfills 2\n",
    });
    expect(await makeSummary(summarise, SEVEN + DAY)).toMatchObject({
      title: "no summary of 2026-01-05",
      text: "there is no record of this day",
    });
    expect(of).toEqual(["2026-01-04", "2026-01-05"]);
  });
});
