import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { map } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFeed, type FeedFactory } from "#backtest/create-feed.js";
import { checkLookAhead } from "#backtest/look-ahead.js";
import type { Tape } from "#history/tape.js";
import type { BoundStrategy } from "#strategies/strategy.js";
import { generateHistory } from "../../support/generated-history.js";
import { ladderBacktest, ladderConfig, ladders, MARKET } from "./ladder-run.js";

const FROM_MS = Date.UTC(2026, 0, 5, 23, 59, 0);
const SHORT = "from: 2026-01-05, to: 2026-01-05T23:59:12Z";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "look-ahead-"));
  await generateHistory(folder, { market: MARKET, fromMs: FROM_MS, seconds: 150, klines: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the check for look-ahead", () => {
  it("finds nothing in a strategy that uses its views alone", async () => {
    const config = ladderConfig(folder, ladderBacktest(SHORT));
    const check = await checkLookAhead(config, ladders(), 4);
    expect(check.cuts).toBe(4);
    expect(check.decisions).toBeGreaterThan(50);
    expect(check.changed).toEqual([]);
  });

  it("truncates after the warm-up alone, where something is left to run, and compares earlier decisions too", async () => {
    const config = ladderConfig(folder, ladderBacktest(SHORT, "warmupMs: 10000"));
    const told: number[] = [];
    const check = await checkLookAhead(config, ladders(), 12, (done) => told.push(done));
    expect(check).toMatchObject({ cuts: 12, changed: [] });
    expect(told).toHaveLength(12);
    let runs = 0;
    const fickle: BoundStrategy = () => {
      runs += 1;
      const ticks = runs;
      return (view$) =>
        view$.pipe(
          map((view) => ({
            kind: "quotes" as const,
            marketId: MARKET,
            viewSequence: view.sequence,
            quotes: [
              { side: "BUY" as const, level: 0, ticks: view.bids[0].ticks - ticks, lots: 1 },
            ],
            reason: {
              fairTicks: 0,
              reservationTicks: 0,
              halfSpreadTicks: 0,
              terms: {},
              clamps: [],
            },
          })),
        );
    };
    const { changed } = await checkLookAhead(
      config,
      { ...ladders(), strategies: new Map([[MARKET, fickle]]) },
      2,
    );
    expect(changed).toHaveLength(2);
    for (const { atUs } of changed) expect(atUs).toBeLessThan(FROM_MS * 1000 + 10_000_000);
  });

  it("finds a strategy that decides by what another run of it has seen", async () => {
    const config = ladderConfig(folder, ladderBacktest(SHORT));
    let furthestMs = 0;
    const cheating: BoundStrategy = () => (view$) =>
      view$.pipe(
        map((view) => {
          // After the first run its memory holds the whole history: the future, to every later run.
          const isKnown = view.timeMs < furthestMs;
          furthestMs = Math.max(furthestMs, view.timeMs);
          return {
            kind: "quotes" as const,
            marketId: MARKET,
            viewSequence: view.sequence,
            quotes: [
              {
                side: "BUY" as const,
                level: 0,
                ticks: view.bids[0].ticks - (isKnown ? 1 : 2),
                lots: 1,
              },
            ],
            reason: {
              fairTicks: 0,
              reservationTicks: 0,
              halfSpreadTicks: 0,
              terms: {},
              clamps: [],
            },
          };
        }),
      );
    const check = await checkLookAhead(
      config,
      { ...ladders(), strategies: new Map([[MARKET, cheating]]) },
      3,
    );
    expect(check.changed).toHaveLength(3);
    expect(check.changed[0]?.atUs).toBeLessThanOrEqual(check.changed[0]?.cutUs ?? 0);
  });

  it.each(["books", "trades"])(
    "finds a feed of %s that shows data stamped already but not yet received",
    async (grade) => {
      const config = ladderConfig(
        folder,
        ladderBacktest(`from: 2026-01-05, to: 2026-01-05T23:59:05Z, grade: ${grade}`),
      );
      const early = (tape: Tape): Tape => ({
        ...tape,
        localUs: tape.exchangeUs,
        byLocal: undefined,
      });
      const eager: FeedFactory = (history, ...more) =>
        createFeed(
          history.grade === "klines" ? history : { ...history, tape: early(history.tape) },
          ...more,
        );
      const check = async (feed: FeedFactory) =>
        checkLookAhead(config, { ...ladders(), createFeed: feed }, 4);
      expect((await check(createFeed)).changed).toEqual([]);
      expect((await check(eager)).changed.length).toBeGreaterThan(0);
    },
  );

  it("finds a feed that shows a candle at its beginning, and none in one that waits for its end", async () => {
    const config = ladderConfig(
      folder,
      ladderBacktest("from: 2026-01-05, to: 2026-01-07, grade: klines"),
    );
    const eager: FeedFactory = (history, ...more) => {
      if (history.grade !== "klines") return createFeed(history, ...more);
      const { klines } = history;
      return createFeed(
        {
          ...history,
          klines: { ...klines, startUs: klines.startUs.map((us) => us - klines.intervalUs) },
        },
        ...more,
      );
    };
    const check = async (feed: FeedFactory) =>
      checkLookAhead(config, { ...ladders(), createFeed: feed }, 8);
    expect((await check(createFeed)).changed).toEqual([]);
    expect((await check(eager)).changed.length).toBeGreaterThan(0);
  });
});
