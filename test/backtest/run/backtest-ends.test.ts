import { readdirSync } from "node:fs";
import { join } from "node:path";
import { map } from "rxjs";
import { describe, expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import { playReport } from "#backtest/play-path.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { builtInStrategies } from "#strategies/built-in.js";
import type { BoundStrategy } from "#strategies/strategy.js";
import { backtest, LadderHistory } from "./ladder-history.js";
import { LADDER, ladders, MARKET } from "./ladder-run.js";

const ladder = new LadderHistory();

describe("how a backtest ended", () => {
  // A path that was halted on its first day may have earned more than one that traded to the end:
  // their profits must not be confused.
  it("tells how each path through the candles ended", async () => {
    const config = ladder.written(
      backtest("", "from: 2026-01-05, to: 2026-01-07, grade: klines"),
      "broken-path",
    );
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
    const { report } = await runBacktest(config, {
      ...ladders(),
      strategies,
      directory: join(ladder.folder, "broken-path"),
      replace: false,
    });
    expect(report.strategyErrors, "whichever path is reported").toEqual([
      expect.objectContaining({
        marketId: MARKET,
        why: expect.stringContaining("broke on this path alone"),
      }),
    ]);
    const ends = [report, ...report.alternatives].map(({ ended, reason }) => [ended, reason]);
    expect(ends).toContainEqual(["end-of-history", null]);
    expect(ends).toContainEqual(["halted", expect.stringContaining("broke on this path alone")]);
  });

  it("reports a broken intent as a strategy error: a run with a size of NaN says nothing about the strategy", async () => {
    const config = ladder.written(
      backtest("", "from: 2026-01-05, to: 2026-01-07, grade: klines"),
      "broken-intent",
    );
    const bound = builtInStrategies.ladder.bind(LADDER);
    const broken: BoundStrategy = (context) => (view$) =>
      view$.pipe(
        bound(context),
        map((intent) =>
          intent.kind === "quotes"
            ? { ...intent, quotes: intent.quotes.map((quote) => ({ ...quote, lots: Number.NaN })) }
            : intent,
        ),
      );
    const directory = join(ladder.folder, "broken-intent");
    const { report } = await runBacktest(config, {
      ...ladders(),
      strategies: new Map([[MARKET, broken]]),
      directory,
      replace: false,
    });
    expect(report.strategyErrors).toEqual([
      expect.objectContaining({
        marketId: MARKET,
        why: expect.stringContaining("lots is NaN"),
      }),
    ]);
    expect([report.ended, report.orders.placed]).toEqual(["halted", 0]);
  });

  it("names the path of an interrupted run, and leaves nothing of the other", async () => {
    const config = ladder.written(
      backtest("", "from: 2026-01-05, to: 2026-01-07, grade: klines"),
      "halves",
    );
    const parent = join(ladder.folder, "halves");
    const run = async (hasPlayed: (pieces: number, isSecond: boolean) => boolean) => {
      let [pieces, lastUs, isSecond] = [0, 0, false];
      const onProgress = (atUs: number): boolean => {
        isSecond ||= atUs <= lastUs;
        lastUs = atUs;
        pieces += 1;
        return hasPlayed(pieces, isSecond);
      };
      const directory = join(parent, "report");
      const { report } = await runBacktest(config, {
        ...ladders(),
        directory,
        replace: true,
        onProgress,
      });
      expect(readdirSync(parent)).toEqual(["report"]);
      return report;
    };
    const [second, first, whole] = [
      await run((_, isSecond) => !isSecond),
      await run(() => false),
      await run(() => true),
    ];
    expect([whole.ended, whole.alternatives.length]).toEqual(["end-of-history", 1]);
    for (const { ended, reason, alternatives } of [second, first]) {
      expect([ended, alternatives]).toEqual(["stopped", []]);
      expect(reason).toMatch(
        /interrupted before both paths.*has only the high before the low in every candle/,
      );
    }
    // The first path was played to its end, though it may be the better one.
    expect(second.span.to).toBe(whole.span.to);
  });

  it("reports that a run ended by a halt or a liquidation did not reach the end of its history", async () => {
    const config = ladder.written(backtest());
    const risk = { ...config.bot.risk, maxDrawdownQuote: "0.01" };
    const halted = await playReport(
      { ...config, bot: { ...config.bot, risk } },
      ladders(),
      await openHistory(config),
      "ohlc",
    );
    expect(halted.ended).toBe("halted");
    expect(halted.reason).toMatch(
      /^since 2026-01-0\dT\d\d:\d\d:\d\d(\.\d{3})?Z by drawdown: net value/,
    );
  });
});
