import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { map } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BacktestConfig } from "../../../src/backtest/config/backtest-config.js";
import { shownFiles } from "../../../src/backtest/config/shown-files.js";
import { openHistory } from "../../../src/backtest/run/open-history.js";
import { reportOf } from "../../../src/backtest/run/play-path.js";
import { runBacktest } from "../../../src/backtest/run/run-backtest.js";
import { ConfigError } from "../../../src/core/errors.js";
import { importFiles } from "../../../src/history/import-files.js";
import { builtInStrategies } from "../../../src/strategies/built-in.js";
import type { BoundStrategy } from "../../../src/strategies/strategy.js";
import { generateHistory } from "../../support/generated-history.js";
import { LADDER, ladderBacktest, ladderConfig, ladders, MARKET } from "./ladder-run.js";

const FROM_MS = Date.UTC(2026, 0, 5, 23, 59, 0);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "backtest-"));
  // Two UTC days: the book goes on over midnight.
  await generateHistory(folder, { market: MARKET, fromMs: FROM_MS, seconds: 150, klines: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(backtest: string, name?: string, limits?: string, exchange?: string): BacktestConfig {
  return ladderConfig(folder, backtest, { name, limits, exchange });
}

const backtest = (more = "", history?: string): string => ladderBacktest(history, more);

describe("a backtest from its file", () => {
  it("replays books over midnight, and reports figures whose parts sum", async () => {
    const config = written(backtest());
    const result = await runBacktest(config, { ...ladders(), directory: join(folder, "out"), replace: false });
    const { report, gaps } = result;
    expect(report.grade).toBe("books");
    expect(report.isIndicative).toBe(false);
    expect(report.fills.all.fills).toBeGreaterThan(10);
    expect(Date.parse(report.span.to)).toBeGreaterThan(FROM_MS + 149_000);
    expect(gaps.every((gap) => gap.startsWith(MARKET))).toBe(true);
    const { total, ...parts } = report.profit;
    const sum = Object.values(parts).reduce((all, part) => all + Math.round(Number(part) * 1e7), 0);
    expect(sum).toBe(Math.round(Number(total) * 1e7));
    expect(Math.round((Number(report.equity.end) - Number(report.equity.start)) * 1e7)).toBe(sum);
  });

  it.each(["books", "trades", "klines"])(
    "replays all %s that the store has where no span is named, and tells nothing outside of them as a gap",
    async (grade) => {
      const named = await openHistory(written(backtest("", `from: 2026-01-05, to: 2026-01-07, grade: ${grade}`), "named"));
      const whole = await openHistory(written(backtest("", `grade: ${grade}`), "whole"));
      expect([whole.startUs, whole.endUs, whole.files]).toEqual([named.startUs, named.endUs, named.files]);
      expect(whole.gaps).toEqual([]);
      if (grade !== "klines") expect(named.gaps).toHaveLength(grade === "books" ? 4 : 2);
    },
  );

  it("tells what lies between the ends of a span that is not named: a day without either stream, and one without trades", async () => {
    const late = join(folder, "late");
    mkdirSync(late);
    const store = await generateHistory(late, { market: MARKET, fromMs: FROM_MS - 86_400_000, seconds: 10 });
    const next = await generateHistory(join(folder, "next"), { market: MARKET, fromMs: FROM_MS + 86_400_000, seconds: 10, seed: "2" });
    const day = { market: MARKET, kind: "book" };
    mkdirSync(store.folder(day), { recursive: true });
    for (const { day: name } of next.days(day))
      for (const path of [next.dataPath(day, name), next.manifestPath(day, name)]) cpSync(path, join(store.folder(day), basename(path)));
    const { gaps } = await openHistory(written(backtest("", `grade: books, store: ${join(late, "history")}`), "between"));
    expect(gaps).toEqual([
      `${MARKET} book: 2026-01-04T23:59:09.901Z to 2026-01-06T23:59:00Z`,
      `${MARKET} trades: 2026-01-04T23:59:09.801Z to 2026-01-06T23:59:10.900Z`,
    ]);
  });

  it.each(["books", "trades", "klines"])("doubts %s under a tick that is finer than the recorded market's", async (grade) => {
    // From the middle of a recording on, a run begins with the book that stood there: a few levels tell no tick, what follows does.
    const from = grade === "klines" ? "2026-01-05" : "2026-01-05T23:59:30Z";
    const doubtsAt = async (tick: string): Promise<readonly string[]> => {
      const file = backtest("fills: { queueAheadBase: 0.1 }", `from: ${from}, to: 2026-01-06, grade: ${grade}`);
      const config = written(file.replace("tickSizeQuote: 0.1", `tickSizeQuote: ${tick}`), `doubt-${grade}-${tick}`);
      const directory = join(folder, `doubt-${grade}-${tick}`);
      const { report } = await runBacktest(config, { ...ladders(), directory, replace: false });
      const ofTicks = report.doubts.filter((text) => text.includes("has nobody ahead of it"));
      expect(report.notes.first.map(({ text }) => text).filter((text) => text.includes("has nobody ahead of it"))).toEqual(ofTicks);
      return ofTicks;
    };
    // One candle has too few prices to tell a grid by.
    const isTold = grade !== "klines";
    expect(await doubtsAt("0.02")).toEqual(isTold ? [expect.stringContaining("multiples of 0.1")] : []);
    expect(await doubtsAt("0.1")).toEqual([]);
  });

  // A trade of a lot beyond a quote fills all of it: the profit of a size that the market never had grows in proportion, and looks as good as any.
  it.each(["books", "trades"])("says of %s when the fills are much of what traded, and nothing of small ones", async (grade) => {
    const doubtsWith = async (sizeBase: number): Promise<readonly string[]> => {
      const file = backtest("account: { creditQuote: 1e9 }", `from: 2026-01-05, to: 2026-01-06, grade: ${grade}`);
      const config = written(file, `large-${grade}`, "maxPositionBase: 500, maxOrderBase: 50");
      const strategies = new Map([[MARKET, builtInStrategies.ladder.bind({ ...LADDER, sizeBase, levels: 1 })]]);
      const directory = join(folder, `large-${grade}`);
      const { report } = await runBacktest(config, { ...ladders(), strategies, directory, replace: true });
      expect(report.fills.all.fills).toBeGreaterThan(0);
      const { doubts } = report;
      expect(report.notes.first.map(({ text }) => text)).toEqual(expect.arrayContaining([...doubts]));
      // Whoever is sent the page has no terminal to read.
      const page = readFileSync(join(directory, "report.html"), "utf8");
      for (const doubt of doubts)
        expect(page).toMatch(new RegExp(`class="warning" role="note">Do not believe this without a second look: ${doubt.slice(0, 30)}`));
      const own = report.markets[0]?.fills;
      if (doubts.length > 0) expect(doubts[0]).toContain(`had ${own?.all.amount} base`);
      return doubts;
    };
    expect(await doubtsWith(0.001)).toEqual([]);
    expect(await doubtsWith(50)).toEqual([
      expect.stringMatching(/^btcusdc: its .*orders had [\d.]+ base, [\d.]+ times the [\d.]+ that traded/),
    ]);
  });

  // A taker of three coins has them at a touch that shows a tenth of one: of two runs that one looks better, and the page is what is sent on.
  it("says where fills are whole ones that they are nobody's", async () => {
    const doubtsWith = async (partialFills: boolean): Promise<readonly string[]> => {
      const name = `whole-${partialFills}`;
      const config = written(backtest(`fills: { partialFills: ${partialFills} }`, "from: 2026-01-05, to: 2026-01-06"), name);
      const { report } = await runBacktest(config, { ...ladders(), directory: join(folder, name), replace: false });
      return report.doubts.filter((doubt) => doubt.includes("partialFills"));
    };
    expect(await doubtsWith(true)).toEqual([]);
    expect(await doubtsWith(false)).toEqual([
      expect.stringMatching(/^fills\.partialFills is false: a lot that reaches an order fills all of it/),
    ]);
  });

  // A bar's volume traded at all its prices: who takes ten times what candles give by default has it at the best of them.
  it("says of candles when they were made to give more of their volume than by default", async () => {
    const doubtsWith = async (volumeShare: number): Promise<readonly string[]> => {
      const fills = `account: { creditQuote: 1e9 }\nfills: { volumeShare: ${volumeShare} }`;
      const config = written(
        backtest(fills, "from: 2026-01-05, to: 2026-01-07, grade: klines"),
        "shares",
        "maxPositionBase: 500, maxOrderBase: 50",
      );
      const strategies = new Map([[MARKET, builtInStrategies.ladder.bind({ ...LADDER, sizeBase: 50, levels: 1 })]]);
      const report = await reportOf(config, { ...ladders(), strategies }, await openHistory(config), "ohlc");
      expect(report.fills.all.fills).toBeGreaterThan(0);
      return report.doubts;
    };
    expect(await doubtsWith(0.1)).toEqual([]);
    expect(await doubtsWith(1)).toEqual([
      expect.stringMatching(/^btcusdc: its orders had [\d.]+ base, \d+ % of the [\d.]+ that traded: so much of a bar's volume/),
    ]);
  });

  // Nothing is filled while a run warms up: what trades then would make every share small.
  it("holds fills against what traded since the warm-up, not before", async () => {
    const tradedIn = async (more: string, from: string): Promise<string | undefined> => {
      const file = backtest(`account: { creditQuote: 1e9 }\n${more}`, `from: ${from}, to: 2026-01-06, grade: books`);
      const config = written(file, "warm-volume", "maxPositionBase: 500, maxOrderBase: 50");
      const strategies = new Map([[MARKET, builtInStrategies.ladder.bind({ ...LADDER, sizeBase: 50, levels: 1 })]]);
      const { doubts } = await reportOf(config, { ...ladders(), strategies }, await openHistory(config), "ohlc");
      return /the ([\d.]+) that traded/.exec(doubts.join())?.[1];
    };
    expect(await tradedIn("warmupMs: 50000", "2026-01-05T23:59:00Z")).toBe(await tradedIn("", "2026-01-05T23:59:50Z"));
  });

  // Live an order carries the rates that were agreed on, and pays them. A replay that charged the public ones would show a rebate to somebody who pays.
  it("charges the fees that the bot signs where they were agreed on, and says which", async () => {
    const of = async (name: string, agreed: string) => {
      const config = written(backtest("fills: { queue: power-2 }", "from: 2026-01-05, to: 2026-01-06"), name, undefined, agreed);
      const { report } = await runBacktest(config, { ...ladders(), directory: join(folder, name), replace: false });
      const { turnover, fees } = report.fills.byCause.queue;
      expect(Number(turnover)).toBeGreaterThan(0);
      return {
        bps: (10_000 * Number(fees)) / Number(turnover),
        shown: report.models.find(({ name: model }) => model === `Fees in ${MARKET}`),
      };
    };
    const open = await of("open-rates", "");
    expect(open.bps).toBeCloseTo(1, 3);
    const agreed = await of("agreed-rates", ", makerFeeRate: 0.0004, takerFeeRate: 0.001");
    expect(agreed.bps).toBeCloseTo(4, 3);
    expect(agreed.shown?.value).toBe("maker 4 bps, taker 10 bps");
  });

  it("fills by no queue where none was recorded, and calls candles indicative with both paths told", async () => {
    const of = async (grade: string, more = "") => {
      const config = written(backtest(more, `from: 2026-01-05, to: 2026-01-07, grade: ${grade}`), grade);
      return runBacktest(config, { ...ladders(), directory: join(folder, `out-${grade}`), replace: true });
    };
    const [books, trades, klines] = [await of("books"), await of("trades"), await of("klines")];
    const byCause = (result: typeof books) => result.report.fills.byCause;
    expect(byCause(books).queue.fills).toBeGreaterThan(0);
    expect(byCause(trades).queue.fills).toBe(0);
    expect(klines.report.isIndicative).toBe(true);
    expect(klines.report.alternatives).toHaveLength(1);
    expect(Number(klines.report.profit.total)).toBeLessThanOrEqual(Number(klines.report.alternatives[0]?.profit));
  });

  // A path that was halted on its first day may have earned more than one that traded to the end: nobody should take its profit for the same.
  it("tells how each path through the candles ended", async () => {
    const config = written(backtest("", "from: 2026-01-05, to: 2026-01-07, grade: klines"), "broken-path");
    const bound = builtInStrategies.ladder.bind(LADDER);
    let runs = 0;
    const broken: BoundStrategy = (context) => {
      runs += 1;
      if (runs === 1) return bound(context);
      return map(() => {
        throw new Error("broke on this path alone");
      });
    };
    const strategies = new Map([[MARKET, broken]]);
    const { report } = await runBacktest(config, { ...ladders(), strategies, directory: join(folder, "broken-path"), replace: false });
    const ends = [report, ...report.alternatives].map(({ ended, reason }) => [ended, reason]);
    expect(ends).toContainEqual(["end-of-history", null]);
    expect(ends).toContainEqual(["halted", expect.stringContaining("broke on this path alone")]);
  });

  it("tells of a run that was interrupted which path it is of, and leaves nothing of the other", async () => {
    const config = written(backtest("", "from: 2026-01-05, to: 2026-01-07, grade: klines"), "halves");
    const parent = join(folder, "halves");
    const run = async (hasPlayed: (pieces: number, isSecond: boolean) => boolean) => {
      let [pieces, lastUs, isSecond] = [0, 0, false];
      const onProgress = (atUs: number): boolean => {
        isSecond ||= atUs <= lastUs;
        lastUs = atUs;
        pieces += 1;
        return hasPlayed(pieces, isSecond);
      };
      const directory = join(parent, "report");
      const { report } = await runBacktest(config, { ...ladders(), directory, replace: true, onProgress });
      expect(readdirSync(parent)).toEqual(["report"]);
      return report;
    };
    const [whole, second, first] = [await run(() => true), await run((_, isSecond) => !isSecond), await run(() => false)];
    expect([whole.ended, whole.alternatives.length]).toEqual(["end-of-history", 1]);
    for (const { ended, reason, alternatives } of [second, first]) {
      expect([ended, alternatives]).toEqual(["stopped", []]);
      expect(reason).toMatch(/interrupted before both paths.*the high before the low in every candle alone/);
    }
    // The first path was played to its end, though it may be the better one.
    expect(second.span.to).toBe(whole.span.to);
  });

  it("says the same with small tapes as with large ones, and again when it is asked again", async () => {
    const config = written(backtest());
    const once = await reportOf(config, ladders(), await openHistory(config), "ohlc");
    const again = await reportOf(config, ladders(), await openHistory(config), "ohlc");
    expect(JSON.stringify(again)).toBe(JSON.stringify(once));
  });

  it("says of a run that a halt ended, or a liquidation, that it did not go to the end of its history", async () => {
    const config = written(backtest());
    const risk = { ...config.bot.risk, maxDrawdownQuote: "0.01" };
    const halted = await reportOf({ ...config, bot: { ...config.bot, risk } }, ladders(), await openHistory(config), "ohlc");
    expect(halted.ended).toBe("halted");
    expect(halted.reason).toMatch(/^since 2026-01-0\dT\d\d:\d\d:\d\d(\.\d{3})?Z by drawdown: net value/);
  });

  it.each([
    ["history: { from: 2026-01-05, to: 2026-01-06 }", /history: names no market.*expected either market/],
    [backtest("", "from: 2026-01-06, to: 2026-01-05"), /history\.to: is not after history\.from/],
    [backtest("fills: { queue: hopeful }"), /fills\.queue.*no queue model.*risk-averse, log/],
    [backtest("fills: { orderLatencyMs: -3 }"), /fills\.orderLatencyMs/],
    [backtest("sampleMs: 7000"), /sampleMs.*does not divide a day/],
    [backtest().replace(MARKET, "ethusdc"), /history\.markets\.ethusdc: is no market of the bot's/],
    [backtest().replace("tickSizeQuote: 0.1", "tickSizeQuote: 0"), /rules\.markets\.btcusdc\.tickSizeQuote/],
    [backtest().replace(/rules: .*/, "rules: { exchangeInfo: nowhere.json }"), /rules\.exchangeInfo.*cannot be read/],
    [backtest("wamrupMs: 3"), /wamrupMs.*unknown key.*warmupMs/],
  ])("refuses a file that cannot be meant so: %#", (text, message) => {
    expect(() => written(text.includes("bot:") ? text : `${text}\nbot: bot.yaml\nrules: { markets: {} }\n`, "wrong")).toThrow(message);
  });

  it("names what the store has where it lacks what is asked for", async () => {
    const config = written(backtest("", "from: 2025-01-05, to: 2025-01-07"));
    await expect(openHistory(config)).rejects.toThrow(ConfigError);
    await expect(openHistory(config)).rejects.toThrow(/btcusdc: has no klines-1M of that time.*marketwright data list/);
  });
});

describe("a span to the microsecond", () => {
  it("is read as reports and sweeps write their windows, and shown so that it runs again", () => {
    const config = written(backtest("", "from: 2026-01-05T23:59:00.010001Z, to: 2026-01-06T00:00:00.000000Z"));
    expect(config.history).toMatchObject({ fromUs: 1_767_657_540_010_001, toUs: 1_767_657_600_000_000 });
    const [shown] = shownFiles(config, { grade: "books", interval: undefined, sampleMs: 1000 });
    expect(shown?.yaml).toContain("from: 2026-01-05T23:59:00.010001Z\n  to: 2026-01-06T00:00:00Z\n");
  });
});

describe("a span that the store does not fill", () => {
  const asked = (history: string) => openHistory(written(backtest("", history)));

  it("refuses a time that it covers without a record, and a warm-up that leaves nothing to report", async () => {
    await expect(asked("from: 2026-01-05T23:59:00.010Z, to: 2026-01-05T23:59:00.060Z, grade: trades")).rejects.toThrow(
      /history\.markets\.btcusdc: has no record of that time \(got "2026-01-05T23:59:00\.010Z to 2026-01-05T23:59:00\.060Z"\).*any of btcusdc/,
    );
    const directory = join(folder, "all-warm-up");
    const warm = written(backtest("warmupMs: 200000", "from: 2026-01-05, to: 2026-01-07"));
    await expect(runBacktest(warm, { ...ladders(), directory, replace: false })).rejects.toThrow(
      /warmupMs: leaves nothing of the history to report.*less than the 1\d+(\.\d+)? ms/,
    );
    expect(existsSync(directory)).toBe(false);
  });

  it("knows what it lacks of a market that ends before the span does: its last book is not to be trusted there", async () => {
    for (const grade of ["books", "trades", "klines"]) {
      const { markets } = await asked(`from: 2026-01-05, to: 2026-01-07, grade: ${grade}`);
      const [lastFromMs, lastToMs] = markets[0]?.lacking.at(-1) ?? [];
      expect(lastToMs).toBe(Date.UTC(2026, 0, 7));
      expect(lastFromMs).toBeGreaterThan(FROM_MS + 148_000);
      expect(lastFromMs).toBeLessThanOrEqual(Date.UTC(2026, 0, 6, 0, 2));
    }
  });
});

describe("a history whose marks and funding are not whole", () => {
  it("says where it lacks them, and what it made instead: a frozen mark hides a loss, and funding that is missing a cost", async () => {
    const other = mkdtempSync(join(tmpdir(), "backtest-marks-"));
    try {
      const store = await generateHistory(other, { market: MARKET, fromMs: FROM_MS, seconds: 100 });
      const whole = folder;
      folder = other;
      const config = written(backtest());
      folder = whole;
      const carryOf = async () => {
        const report = await reportOf(config, ladders(), await openHistory(config), "ohlc");
        return report.models.find(({ name }) => name === `Mark and funding in ${MARKET}`)?.value;
      };
      expect(await carryOf()).toBe("mark: the middle of the best prices; funding: none paid: none recorded");
      const marks = join(other, "marks.csv");
      const row = (ms: number): string => `${ms},60000,60000,0.0001,${FROM_MS + 60_000}\n`;
      writeFileSync(marks, `time,markPrice,indexPrice,fundingRate,nextFundingTime\n${row(FROM_MS)}${row(FROM_MS + 30_000)}`);
      await importFiles(store, { market: MARKET, files: [marks], clock: { partsAt: [], baseLatencyNs: 0n }, replace: false });
      expect(await carryOf()).toBe("mark: as recorded; funding: what the marks said would be paid");
      const { gaps } = await openHistory(config);
      expect(gaps.filter((gap) => gap.startsWith(`${MARKET} marks: 2026-01-05T23:59:30`))).toHaveLength(1);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });
});
