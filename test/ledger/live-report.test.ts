import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Decimal } from "decimal.js";
import { beforeAll, describe, expect, it } from "vitest";
import { makeLiveReport } from "#backtest/live-report.js";
import { type LiveReport, liveReportSchema } from "#backtest/live-report-schema.js";
import { openLiveRun } from "#backtest/live-run.js";
import { writeLiveReport } from "#backtest/write-live-report.js";
import { type BotStatus, buildBotStatus } from "#bot/bot-status.js";
import { type DaySummary, summariseDay } from "#ledger/day-summary.js";
import { formatDaySummary } from "#ledger/day-summary-text.js";
import { sealDays } from "#ledger/seal-days.js";
import { START_MS, startVirtualRun } from "../bot/recorded-run.js";
import { openRecordedDays } from "./recorded-days.js";

const RUN_MS = 2 * 60_000 + 20_000;

describe("the report of a live bot", () => {
  const days = openRecordedDays();
  let status: BotStatus;
  let report: LiveReport;
  let summary: DaySummary;
  let endMs: number;

  beforeAll(async () => {
    const run = await startVirtualRun({ store: days.store, dayRecorderOf: days.recorderOf });
    await run.clock.runFor(30_000);
    run.running.command({ command: "halt", reason: "lunch", marketId: "btcusdc" });
    await run.clock.runFor(45_000);
    run.running.command({ command: "resume", marketId: "btcusdc" });
    await run.clock.runFor(RUN_MS - 75_000);
    status = buildBotStatus(run.running.bot);
    days.close();
    endMs = run.clock.nowMs();
    await run.stop();
    report = (
      await makeLiveReport(
        await openLiveRun(days.stateDir, { fromMs: undefined, toMs: undefined }, endMs),
        "bot.yaml",
      )
    ).report;
    summary = await summariseDay(days.folder, "2026-06-01");
  });

  it("has the fills, the fees and every part of the profit of the bot's own status", () => {
    expect(liveReportSchema.parse(report)).toEqual(report);
    const fills = Object.values(status.markets).reduce((sum, market) => sum + market.fills, 0);
    expect(fills).toBeGreaterThan(20);
    expect(report.fills.all.fills).toBe(fills);
    expect(report.profit.total).toBe(status.pnlTotalQuote);
    expect(report.profit.fees).toBe(status.pnlQuote.fees);
    expect(new Decimal(report.fills.all.fees).neg().toFixed()).toBe(status.pnlQuote.fees);
    for (const market of report.markets) {
      const own = status.markets[market.marketId];
      expect(market.profit.total).toBe(own?.pnlTotalQuote);
      expect(market.profit.spread).toBe(own?.pnlQuote.spread);
      expect(
        new Decimal(market.profit.inventory).plus(market.profit.adverseSelection).toFixed(),
      ).toBe(own?.pnlQuote.inventory);
      expect(market.profit.basis).toBe(own?.pnlQuote.basis);
      expect(market.profit.failed).toBe(own?.pnlQuote.failed);
      expect(market.position.last).toBe(own?.positionBase);
    }
    expect(new Decimal(report.equity.end).toFixed()).toBe(status.equityQuote);
    expect(report.live.settlementFailures).toBe(status.counts.failedTrades);
  });

  it("agrees with the record of fills that the bot keeps: volume and fees to the unit", () => {
    const lines = readFileSync(join(days.stateDir, "fills.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line.includes('"event":"fill"'))
      .map((line) => JSON.parse(line) as { quote: string; commission: string; timeMs: number })
      .filter(({ timeMs }) => timeMs < endMs);
    const sum = (of: (line: (typeof lines)[number]) => string): string =>
      new Decimal(String(lines.reduce((total, line) => total + BigInt(of(line)), 0n)))
        .div(1e6)
        .toFixed();
    expect(report.live.unseenFills).toBe(0);
    expect(new Decimal(report.fills.all.turnover).toFixed()).toBe(sum(({ quote }) => quote));
    expect(new Decimal(report.fills.all.fees).toFixed()).toBe(sum(({ commission }) => commission));
  });

  it("has the markouts of the status, by side, level and horizon", () => {
    for (const { marketId, markouts } of report.markets) {
      const own = status.markets[marketId]?.markouts ?? [];
      const all = own.filter(({ side, level }) => side === "both" && level === "all");
      expect(all.length).toBeGreaterThan(3);
      const both = markouts.find(({ side, level }) => side === "BOTH" && level === "ALL");
      expect(both?.horizons.filter((band) => band !== null).map((band) => band?.fills)).toEqual(
        all.map(({ fills }) => fills),
      );
      const daily = summary.markets.find((market) => market.marketId === marketId);
      expect(daily?.markouts.map(({ quote, bps }) => ({ quote, bps }))).toEqual(
        all.map(({ quote, bps }) => ({ quote, bps })),
      );
    }
  });

  it("counts each second that is not on both sides, with its cause: a halt has its length", () => {
    for (const { marketId, seconds, both, down } of report.live.uptime) {
      const lost = down.reduce((sum, cause) => sum + cause.seconds, 0);
      // The exchange's clock, as the bot estimates it, may step by some milliseconds.
      expect(Math.abs(lost + both * seconds - seconds)).toBeLessThan(0.2);
      const own = status.markets[marketId]?.quoting.bothSidesFraction ?? 0;
      expect(both).toBeCloseTo(own, 3);
    }
    const halted = report.live.uptime.find(({ marketId }) => marketId === "btcusdc")?.down;
    const manual = halted?.find(({ cause }) => cause === "manual");
    expect(manual?.seconds).toBeGreaterThan(43);
    expect(manual?.seconds).toBeLessThan(47);
    const halt = report.live.halts.first.find(({ name }) => name === "manual");
    expect(halt?.marketId).toBe("btcusdc");
    expect(halt?.seconds).toBeCloseTo(45, 1);
    expect(
      report.live.uptime.find(({ marketId }) => marketId === "ethusdc")?.down,
    ).not.toContainEqual(expect.objectContaining({ cause: "manual" }));
  });

  it("says what it cannot know instead of zero", () => {
    expect(report).not.toHaveProperty("seed");
    expect(report.fills).not.toHaveProperty("byCause");
    const { start, end } = report.equity;
    const explained = [report.profit.total, report.equity.transfers, report.live.underWay];
    expect(explained.reduce((sum, amount) => sum.plus(amount), new Decimal(start)).toFixed()).toBe(
      new Decimal(end).toFixed(),
    );
    expect(report.markets[0]?.fills).not.toHaveProperty("doubtful");
    expect(report.live.absent.length).toBeGreaterThan(2);
  });

  it("is the same from Parquet as from lines, and writes a page and every fill", async () => {
    expect(await sealDays(days.folder, "2026-06-02")).toEqual(["2026-06-01"]);
    const run = await openLiveRun(days.stateDir, { fromMs: undefined, toMs: undefined }, endMs);
    const directory = join(days.stateDir, "report");
    const sealed = await writeLiveReport(run, "bot.yaml", { directory, replace: false });
    expect(sealed).toEqual(report);
    const csv = readFileSync(join(directory, "fills.csv"), "utf8").trim().split("\n");
    expect(csv.length).toBe(1 + report.fills.all.fills);
    const page = readFileSync(join(directory, "report.html"), "utf8");
    expect(page).toContain("Live bot");
    expect(page).toContain("not on both sides because");
    expect(await summariseDay(days.folder, "2026-06-01")).toEqual(summary);
  });

  it("cuts a span at its records: two halves sum to the whole", async () => {
    const cutMs = START_MS - 10_000 + 2 * 60_000;
    const part = async (fromMs: number | undefined, toMs: number | undefined) =>
      (await makeLiveReport(await openLiveRun(days.stateDir, { fromMs, toMs }, endMs), "b")).report;
    const [before, after] = [await part(undefined, cutMs), await part(cutMs, undefined)];
    expect(before.equity.end).toBe(after.equity.start);
    for (const name of ["spread", "fees", "basis", "total"] as const)
      expect(new Decimal(before.profit[name]).plus(after.profit[name]).toFixed()).toBe(
        report.profit[name],
      );
    expect(before.fills.all.fills + after.fills.all.fills).toBe(report.fills.all.fills);
  });

  it("summarises the day as text and JSON with the same figures", () => {
    expect(summary.profit.total).toBe(report.profit.total);
    expect(summary.fills).toBe(report.fills.all.fills);
    expect(summary.volume).toBe(report.fills.all.turnover);
    expect(summary.drawdown).toBe(report.drawdown.max);
    const text = formatDaySummary(summary);
    expect(text).toContain("halt manual of btcusdc");
    expect(text).toContain(`fills ${summary.fills}`);
    expect(text.split("\n").length).toBeLessThan(20);
  });

  it("names the longest halts of a day: those of many starts would hide the one that cost quotes", () => {
    const [halt] = summary.halts;
    if (halt === undefined) throw new Error("the run has no halt");
    const starts = Array.from({ length: 7 }, () => ({
      ...halt,
      name: "clock-unknown",
      seconds: 2,
    }));
    const halts = [
      ...starts,
      { ...halt, name: "drawdown", seconds: 900 },
      { ...halt, name: "manual", to: null, seconds: 1 },
    ];
    const lines = formatDaySummary({ ...summary, halts }).split("\n");
    expect(lines.filter((line) => /^halt /.test(line)).map((line) => line.split(" ")[1])).toEqual([
      ...Array.from({ length: 3 }, () => "clock-unknown"),
      "drawdown",
      "manual",
    ]);
    expect(lines).toContain("4 shorter halts");
  });

  it("is refused for a span that ends where the first run begins: its zeros would pass for a flat day", async () => {
    await expect(
      openLiveRun(days.stateDir, { fromMs: START_MS - 3_600_000, toMs: START_MS }, endMs),
    ).rejects.toThrow("there is no record of this span");
  });
});
