import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import { playReport } from "#backtest/play-path.js";
import { renderResolvedFiles } from "#backtest/render-resolved-files.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { ConfigError } from "#core/errors.js";
import { importFiles } from "#history/import-files.js";
import { generateHistory } from "../../support/generated-history.js";
import { backtest, FROM_MS, LadderHistory } from "./ladder-history.js";
import { ladderConfig, ladders, MARKET } from "./ladder-run.js";

const ladder = new LadderHistory();

describe("the span of a backtest", () => {
  it.each(["books", "trades", "klines"])(
    "replays all %s of the store without a span, and reports no gap outside of them",
    async (grade) => {
      const named = await openHistory(
        ladder.written(backtest("", `from: 2026-01-05, to: 2026-01-07, grade: ${grade}`), "named"),
      );
      const whole = await openHistory(ladder.written(backtest("", `grade: ${grade}`), "whole"));
      expect([whole.startUs, whole.endUs, whole.files]).toEqual([
        named.startUs,
        named.endUs,
        named.files,
      ]);
      expect(whole.gaps).toEqual([]);
      expect(named.gaps).toHaveLength(grade === "books" ? 4 : 2);
    },
  );

  it("lists the gaps between the ends of an open span: a day without either stream, and one without trades", async () => {
    const late = join(ladder.folder, "late");
    mkdirSync(late);
    const store = await generateHistory(late, {
      market: MARKET,
      fromMs: FROM_MS - 86_400_000,
      seconds: 10,
    });
    const next = await generateHistory(join(ladder.folder, "next"), {
      market: MARKET,
      fromMs: FROM_MS + 86_400_000,
      seconds: 10,
      seed: "2",
    });
    const day = { market: MARKET, kind: "book" };
    mkdirSync(store.folder(day), { recursive: true });
    for (const { day: name } of next.days(day))
      for (const path of [next.dataPath(day, name), next.manifestPath(day, name)])
        cpSync(path, join(store.folder(day), basename(path)));
    const { gaps } = await openHistory(
      ladder.written(backtest("", `grade: books, store: ${join(late, "history")}`), "between"),
    );
    expect(gaps).toEqual([
      `${MARKET} book: 2026-01-04T23:59:09.901Z to 2026-01-06T23:59:00Z`,
      `${MARKET} trades: 2026-01-04T23:59:09.801Z to 2026-01-06T23:59:10.900Z`,
    ]);
  });

  it("names the store's data where the requested data is missing", async () => {
    const config = ladder.written(backtest("", "from: 2025-01-05, to: 2025-01-07"));
    await expect(openHistory(config)).rejects.toThrow(ConfigError);
    await expect(openHistory(config)).rejects.toThrow(
      /btcusdc: has no klines-1M at that time \(got "2025-01-05 to 2025-01-06"\); expected a time within the store's data: .*klines-1M of 2026-01-05.*marketwright data list/,
    );
    const hours = ladder.written(backtest("", "grade: klines, interval: 1H"));
    await expect(openHistory(hours), "and its intervals").rejects.toThrow(
      /has no klines-1H at that time.*klines-1M of 2026-01-05/,
    );
  });
});

describe("a span to the microsecond", () => {
  it("is read as reports and sweeps write their windows, and shown so that it runs again", () => {
    const config = ladder.written(
      backtest("", "from: 2026-01-05T23:59:00.010001Z, to: 2026-01-06T00:00:00.000000Z"),
    );
    expect(config.history).toMatchObject({
      fromUs: 1_767_657_540_010_001,
      toUs: 1_767_657_600_000_000,
    });
    const [shown] = renderResolvedFiles(config, {
      grade: "books",
      interval: undefined,
      sampleMs: 1000,
    });
    expect(shown?.yaml).toContain(
      "from: 2026-01-05T23:59:00.010001Z\n  to: 2026-01-06T00:00:00Z\n",
    );
  });
});

describe("a span that the store does not fill", () => {
  const asked = (history: string) => openHistory(ladder.written(backtest("", history)));

  it("refuses a covered time without a record, and a warm-up that leaves nothing to report", async () => {
    await expect(
      asked("from: 2026-01-05T23:59:00.010Z, to: 2026-01-05T23:59:00.060Z, grade: trades"),
    ).rejects.toThrow(
      /history\.markets\.btcusdc: has no data at that time \(got "2026-01-05T23:59:00\.010Z to 2026-01-05T23:59:00\.060Z"\).*has data of btcusdc/,
    );
    const directory = join(ladder.folder, "all-warm-up");
    const warm = ladder.written(backtest("warmupMs: 200000", "from: 2026-01-05, to: 2026-01-07"));
    await expect(runBacktest(warm, { ...ladders(), directory, replace: false })).rejects.toThrow(
      /warmupMs: is as long as the history and leaves nothing to report.*less than the 1\d+(\.\d+)? ms/,
    );
    expect(existsSync(directory)).toBe(false);
  });

  it("lists the gap of a market that ends before the span does: its last book is not trusted there", async () => {
    for (const grade of ["books", "trades", "klines"]) {
      const { markets } = await asked(`from: 2026-01-05, to: 2026-01-07, grade: ${grade}`);
      const [lastFromMs, lastToMs] = markets[0]?.missingSpans.at(-1) ?? [];
      expect(lastToMs).toBe(Date.UTC(2026, 0, 7));
      expect(lastFromMs).toBeGreaterThan(FROM_MS + 148_000);
      expect(lastFromMs).toBeLessThanOrEqual(Date.UTC(2026, 0, 6, 0, 2));
    }
  });
});

describe("a history with incomplete marks and funding", () => {
  it("lists the gaps and the derived values: a frozen mark hides a loss, and missing funding a cost", async () => {
    const other = mkdtempSync(join(tmpdir(), "backtest-marks-"));
    try {
      const store = await generateHistory(other, { market: MARKET, fromMs: FROM_MS, seconds: 100 });
      const config = ladderConfig(other, backtest());
      const carryOf = async () => {
        const report = await playReport(config, ladders(), await openHistory(config), "ohlc");
        return report.models.find(({ name }) => name === `Mark and funding in ${MARKET}`)?.value;
      };
      expect(await carryOf()).toBe(
        "mark: the middle of the best prices; funding: none, since none was recorded",
      );
      const marks = join(other, "marks.csv");
      const row = (ms: number): string => `${ms},60000,60000,0.0001,${FROM_MS + 60_000}\n`;
      writeFileSync(
        marks,
        `time,markPrice,indexPrice,fundingRate,nextFundingTime\n${row(FROM_MS)}${row(FROM_MS + 30_000)}`,
      );
      await importFiles(store, {
        market: MARKET,
        files: [marks],
        clock: { partsAt: [], baseLatencyNs: 0n },
        replace: false,
      });
      expect(await carryOf()).toBe(
        "mark: as recorded; funding: the rates recorded with the mark prices",
      );
      const { gaps } = await openHistory(config);
      expect(
        gaps.filter((gap) => gap.startsWith(`${MARKET} marks: 2026-01-05T23:59:30`)),
      ).toHaveLength(1);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });
});
