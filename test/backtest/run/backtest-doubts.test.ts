import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import { playReport } from "#backtest/play-path.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { backtest, LadderHistory } from "./ladder-history.js";
import { LADDER, ladders, MARKET } from "./ladder-run.js";

const ladder = new LadderHistory();

describe("the warnings of a backtest about its own figures", () => {
  it.each(["books", "trades", "klines"])(
    "include %s under a tick that is finer than the recorded market's",
    async (grade) => {
      // A run from the middle of a recording begins with the book at that time: its few levels show
      // no tick size, the later data does.
      const from = grade === "klines" ? "2026-01-05" : "2026-01-05T23:59:30Z";
      const doubtsAt = async (tick: string): Promise<readonly string[]> => {
        const file = backtest(
          "fills: { queueAheadBase: 0.1 }",
          `from: ${from}, to: 2026-01-06, grade: ${grade}`,
        );
        const config = ladder.written(
          file.replace("tickSizeQuote: 0.1", `tickSizeQuote: ${tick}`),
          `doubt-${grade}-${tick}`,
        );
        const directory = join(ladder.folder, `doubt-${grade}-${tick}`);
        const { report } = await runBacktest(config, { ...ladders(), directory, replace: false });
        const ofTicks = report.doubts.filter((text) => text.includes("has no orders ahead of it"));
        expect(
          report.notes.first
            .map(({ text }) => text)
            .filter((text) => text.includes("has no orders ahead of it")),
        ).toEqual(ofTicks);
        return ofTicks;
      };
      // One candle has too few prices to tell a grid by.
      const isTold = grade !== "klines";
      expect(await doubtsAt("0.02")).toEqual(
        isTold ? [expect.stringContaining("multiples of 0.1")] : [],
      );
      expect(await doubtsAt("0.1")).toEqual([]);
    },
  );

  // A trade of one lot beyond a quote fills all of it: the profit of an impossible size grows in
  // proportion, and looks as good as any.
  it.each(["books", "trades"])(
    "report for %s fills that are a large share of the volume, and no small ones",
    async (grade) => {
      const doubtsWith = async (sizeBase: number): Promise<readonly string[]> => {
        const file = backtest(
          "account: { creditQuote: 1e9 }",
          `from: 2026-01-05, to: 2026-01-06, grade: ${grade}`,
        );
        const config = ladder.written(
          file,
          `large-${grade}`,
          "maxPositionBase: 500, maxOrderBase: 50",
        );
        const strategies = new Map([
          [MARKET, builtInStrategies.ladder.bind({ ...LADDER, sizeBase, levels: 1 })],
        ]);
        const directory = join(ladder.folder, `large-${grade}`);
        const { report } = await runBacktest(config, {
          ...ladders(),
          strategies,
          directory,
          replace: true,
        });
        expect(report.fills.all.fills).toBeGreaterThan(0);
        // Most fills of a ladder at the touch are ambiguous: that is another warning.
        const doubts = report.doubts.filter(
          (doubt) => !doubt.includes("most of its fills are ambiguous"),
        );
        expect(report.notes.first.map(({ text }) => text)).toEqual(
          expect.arrayContaining([...doubts]),
        );
        // The reader of the page has no terminal output.
        const page = readFileSync(join(directory, "report.html"), "utf8");
        for (const doubt of doubts)
          expect(page).toMatch(
            new RegExp(
              `class="warning" role="note">This run may be too optimistic: ${doubt.slice(0, 30)}`,
            ),
          );
        const own = report.markets[0]?.fills;
        if (doubts.length > 0) expect(doubts[0]).toContain(`had ${own?.all.amount} base`);
        return doubts;
      };
      expect(await doubtsWith(0.001)).toEqual([]);
      expect(await doubtsWith(50)).toEqual([
        expect.stringMatching(
          /^btcusdc: its .*orders had [\d.]+ base, [\d.]+ times the [\d.]+ that traded/,
        ),
      ]);
    },
  );

  // A taker of three coins gets them at a touch that shows a tenth of one: that run looks better,
  // and the page is what is passed on.
  it("include that whole fills are not possible on a real market", async () => {
    const doubtsWith = async (partialFills: boolean): Promise<readonly string[]> => {
      const name = `whole-${partialFills}`;
      const config = ladder.written(
        backtest(`fills: { partialFills: ${partialFills} }`, "from: 2026-01-05, to: 2026-01-06"),
        name,
      );
      const { report } = await runBacktest(config, {
        ...ladders(),
        directory: join(ladder.folder, name),
        replace: false,
      });
      return report.doubts.filter((doubt) => doubt.includes("partialFills"));
    };
    expect(await doubtsWith(true)).toEqual([]);
    expect(await doubtsWith(false)).toEqual([
      expect.stringMatching(/^fills\.partialFills is false: a single lot fills the whole order/),
    ]);
  });

  // A bar's volume traded at all its prices: ten times the default share gets it at the best of
  // them.
  it("include candles that give more of their volume than by default", async () => {
    const doubtsWith = async (volumeShare: number): Promise<readonly string[]> => {
      const fills = `account: { creditQuote: 1e9 }\nfills: { volumeShare: ${volumeShare} }`;
      const config = ladder.written(
        backtest(fills, "from: 2026-01-05, to: 2026-01-07, grade: klines"),
        "shares",
        "maxPositionBase: 500, maxOrderBase: 50",
      );
      const strategies = new Map([
        [MARKET, builtInStrategies.ladder.bind({ ...LADDER, sizeBase: 50, levels: 1 })],
      ]);
      const report = await playReport(
        config,
        { ...ladders(), strategies },
        await openHistory(config),
        "ohlc",
      );
      expect(report.fills.all.fills).toBeGreaterThan(0);
      return report.doubts;
    };
    expect(await doubtsWith(0.1)).toEqual([]);
    expect(await doubtsWith(1)).toEqual([
      expect.stringMatching(
        /^btcusdc: its orders had [\d.]+ base, \d+ % of the [\d.]+ that traded: so large a share of a bar's volume/,
      ),
    ]);
  });

  // There are no fills during the warm-up: its volume would make every share small.
  it("compare fills with the volume since the warm-up, not before", async () => {
    const tradedIn = async (more: string, from: string): Promise<string | undefined> => {
      const file = backtest(
        `account: { creditQuote: 1e9 }\n${more}`,
        `from: ${from}, to: 2026-01-06, grade: books`,
      );
      const config = ladder.written(file, "warm-volume", "maxPositionBase: 500, maxOrderBase: 50");
      const strategies = new Map([
        [MARKET, builtInStrategies.ladder.bind({ ...LADDER, sizeBase: 50, levels: 1 })],
      ]);
      const { doubts } = await playReport(
        config,
        { ...ladders(), strategies },
        await openHistory(config),
        "ohlc",
      );
      return /the ([\d.]+) that traded/.exec(doubts.join())?.[1];
    };
    expect(await tradedIn("warmupMs: 50000", "2026-01-05T23:59:00Z")).toBe(
      await tradedIn("", "2026-01-05T23:59:50Z"),
    );
  });
});
