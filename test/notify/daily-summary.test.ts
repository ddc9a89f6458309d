import { describe, expect, it } from "vitest";
import {
  countForSummary,
  dayStateSchema,
  isSummaryDue,
  makeSummary,
} from "#notify/daily-summary.js";
import type { Notice } from "#notify/notice.js";

const time = { dailySummaryAt: "07:00", timeZone: "Europe/Berlin" };
/** 07:00 in Berlin, in winter. */
const SEVEN = Date.UTC(2026, 0, 5, 6);
const DAY = 86_400_000;

const fill = (marketId: string, volumeQuote: string): Notice => ({
  atMs: SEVEN,
  severity: "info",
  kind: "fill",
  title: "a fill",
  marketId,
  volumeQuote,
});
const halt = (cause: string): Notice => ({
  atMs: SEVEN,
  severity: "critical",
  kind: "halt",
  title: "halted",
  cause,
});
const status = (spread: string, fees: string, total: string, startedAtMs = 1) => ({
  startedAtMs,
  equityQuote: "100012.3456",
  quoteAsset: "USDC",
  pnlQuote: { spread, fees, inventory: "0" },
  pnlTotalQuote: total,
  drawdownQuote: "3.1",
});

describe("the daily summary", () => {
  it("comes once a day at the trader's time, in summer too, and late after an outage", () => {
    const day = dayStateSchema.parse({});
    expect(isSummaryDue(day, time, SEVEN - 60_000)).toBe(false);
    expect(isSummaryDue(day, time, SEVEN)).toBe(true);
    makeSummary(day, undefined, time, SEVEN);
    expect(isSummaryDue(day, time, SEVEN + 3_600_000)).toBe(false);
    expect(isSummaryDue(day, time, SEVEN + 2 * DAY + 5 * 3_600_000)).toBe(true);
    const summer = Date.UTC(2026, 6, 5, 5);
    expect(isSummaryDue(dayStateSchema.parse({ date: "x" }), time, summer - 60_000)).toBe(false);
    expect(isSummaryDue(dayStateSchema.parse({ date: "x" }), time, summer)).toBe(true);
  });

  it("does not come at once when a sender runs for the first time in the afternoon", () => {
    const day = dayStateSchema.parse({});
    expect(isSummaryDue(day, time, SEVEN + 8 * 3_600_000)).toBe(false);
    expect(isSummaryDue(day, time, SEVEN + DAY)).toBe(true);
  });

  it("has profit, fills, volume and halts of the day alone", () => {
    const day = dayStateSchema.parse({});
    for (const notice of [
      fill("btcusdc", "100.5"),
      fill("btcusdc", "0.25"),
      fill("ethusdc", "7"),
      halt("drawdown"),
      halt("stale-book"),
      halt("stale-book"),
    ])
      countForSummary(day, notice);
    const first = makeSummary(day, status("10", "-2", "8"), time, SEVEN);
    expect(first.text).toBe(
      "profit since the bot's start +8.00 USDC (spread +10.00, fees -2.00); equity 100012.35 USDC; drawdown 3.10 USDC; volume: btcusdc 2 fills, 100.75 USDC, ethusdc 1 fill, 7.00 USDC; halts: stale-book 2, drawdown 1",
    );
    countForSummary(day, fill("btcusdc", "1"));
    const second = makeSummary(day, status("9", "-2", "7"), time, SEVEN + DAY);
    expect(second.text).toContain("profit -1.00 USDC (spread -1.00); ");
    expect(second.text).toContain("volume: btcusdc 1 fill, 1.00 USDC; no halts");
    const restarted = makeSummary(day, status("4", "0", "4", 2), time, SEVEN + 2 * DAY);
    expect(restarted.text).toContain("profit since the bot's start +4.00 USDC");
  });

  it("says that the bot does not run, in place of a profit", () => {
    const day = dayStateSchema.parse({});
    expect(makeSummary(day, undefined, time, SEVEN).text).toBe(
      "the bot does not run: its profit is not known; no fills; no halts",
    );
  });
});
