import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shortestInterval } from "#backtest/best-grade.js";
import { missingCandles } from "#backtest/missing-candles.js";
import { openHistory } from "#backtest/open-history.js";
import { type DayManifest, manifestText } from "#history/day-manifest.js";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { take } from "../../history/scratch.js";
import { backtest, LadderHistory } from "./ladder-history.js";
import { MARKET } from "./ladder-run.js";

const DAY_MS = Date.UTC(2026, 0, 5);
const MINUTE_MS = 60_000;

// An exchange was down for three hours: the rest of the day's candles looked complete, and the
// hours without a quote were not reported.
describe("a backtest on candles of which some are missing", () => {
  const ladder = new LadderHistory();
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mw-"));
    const minutes = Array.from({ length: 1440 }, (_, minute) => minute).filter(
      (minute) => minute >= 120 && (minute < 600 || minute >= 780),
    );
    const rows = minutes.map(
      (minute) => `${DAY_MS + minute * MINUTE_MS},60000,60010,59990,60000,3`,
    );
    const path = join(folder, "hole.csv");
    writeFileSync(path, `time,open,high,low,close,volume\n${rows.join("\n")}\n`);
    await take(new HistoryStore(join(folder, "history")), [path], { market: MARKET });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const gapsOf = async (span: string): Promise<readonly string[]> =>
    (
      await openHistory(
        ladder.written(
          backtest("", `grade: klines, store: ${join(folder, "history")}${span}`),
          "hole",
        ),
      )
    ).gaps;

  it("names the hours within the day, and where a span is asked for its beginning", async () => {
    const hole = `${MARKET} klines-1M: 2026-01-05T10:00:00Z to 2026-01-05T13:00:00Z`;
    expect(await gapsOf("")).toEqual([hole]);
    expect(await gapsOf(", from: 2026-01-05, to: 2026-01-06")).toEqual([
      `${MARKET} klines-1M: 2026-01-05T00:00:00Z to 2026-01-05T02:00:00Z`,
      hole,
    ]);
    expect(await gapsOf(", from: 2026-01-05T02:00:30Z, to: 2026-01-05T09:59:30Z")).toEqual([]);
  });
});

// The report named the hours, and the bot quoted through them. A store of an earlier version does
// not name them at all.
describe("a backtest's bot and the store's listing", () => {
  const ladder = new LadderHistory();
  const HOLE = [DAY_MS + 600 * MINUTE_MS, DAY_MS + 780 * MINUTE_MS];

  it("lack the same candles, also where an earlier version imported them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mw-"));
    try {
      const store = new HistoryStore(join(folder, "history"));
      const path = join(folder, "hole.csv");
      const minutes = Array.from({ length: 1440 }, (_, minute) => minute).filter(
        (minute) => minute < 600 || minute >= 780,
      );
      const rows = minutes.map(
        (minute) => `${DAY_MS + minute * MINUTE_MS},60000,60010,59990,60000,3`,
      );
      writeFileSync(path, `time,open,high,low,close,volume\n${rows.join("\n")}\n`);
      await take(store, [path], { market: MARKET });
      const lacking = async (): Promise<unknown> =>
        (
          await openHistory(
            ladder.written(
              backtest("", `grade: klines, store: ${store.root}, from: 2026-01-05, to: 2026-01-06`),
              "same",
            ),
          )
        ).markets[0]?.missingSpans;
      const [listed] = await listHistory(store, { verify: false });
      expect(listed?.gaps).toEqual([HOLE]);
      expect(await lacking()).toEqual([HOLE]);
      const series = { market: MARKET, kind: "klines-1M" };
      const { holes: _, ...former } = store.day(series, "2026-01-05") as DayManifest;
      writeFileSync(store.manifestPath(series, "2026-01-05"), manifestText(former));
      expect(await lacking()).toEqual([HOLE]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("does not play candles of a month, which an earlier version took, in place of those of an hour", () => {
    const root = mkdtempSync(join(tmpdir(), "mw-"));
    try {
      for (const interval of ["1MO", "1H", "15M"])
        mkdirSync(join(root, MARKET, `klines-${interval}`), { recursive: true });
      expect(shortestInterval(new HistoryStore(root), [MARKET])).toBe("15M");
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

// Run from another folder than the store's, the error was that the store lacks a market: the trader
// downloaded it again.
describe("a backtest of a store that is not there", () => {
  const ladder = new LadderHistory();

  it.each(["", "grade: books, ", "grade: trades, ", "grade: klines, "])(
    "says that the store is missing, with or without a requested grade: %s",
    async (grade) => {
      const folder = mkdtempSync(join(tmpdir(), "mw-"));
      try {
        const opened = (): Promise<unknown> =>
          openHistory(
            ladder.written(
              backtest(
                "",
                `${grade}store: ${join(folder, "history")}, from: 2026-01-05, to: 2026-01-06`,
              ),
              "absent",
            ),
          );
        await expect(opened()).rejects.toThrow(
          /store: does not exist.*a relative path begins at the current folder/,
        );
        mkdirSync(join(folder, "history"));
        await expect(opened()).rejects.toThrow(/store: is a folder without any history/);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

describe("candles that are missing", () => {
  const tape = (minutes: readonly number[]) => ({
    bars: minutes.length,
    intervalUs: 60e6,
    startUs: Float64Array.from(minutes, (minute) => minute * 60e6),
  });

  it("are counted where they are many and far between, as in a thinly traded market", () => {
    const even = tape(Array.from({ length: 40 }, (_, at) => (at < 20 ? 2 * at : 2 * at + 5)));
    const all =
      "44 of 84 candles, in 39 stretches, the longest 1970-01-01T00:39:00Z to 1970-01-01T00:45:00Z";
    expect(missingCandles(even, 0, 84 * 60e6, [[0, 84 * 60e3]])).toEqual([all]);
    expect(missingCandles(even, 0, 84 * 60e6, [])).toEqual([
      `${all}, taken for times without a trade: quotes stay`,
    ]);
  });

  it("are listed separately where the store lacks some, and takes others for times without trades", () => {
    expect(missingCandles(tape([0, 1, 3, 4, 9]), 0, 600e6, [[300e3, 540e3]])).toEqual([
      "1970-01-01T00:05:00Z to 1970-01-01T00:09:00Z",
      "1 of 10 candles, in 1 stretch, the longest 1970-01-01T00:02:00Z to 1970-01-01T00:03:00Z, taken for times without a trade: quotes stay",
    ]);
  });

  it("are none where each follows on the one before", () => {
    expect(missingCandles(tape([0, 1, 2]), 0, 180e6 + 1e6, [])).toEqual([]);
  });
});
