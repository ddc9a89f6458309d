import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import { playReport } from "#backtest/play-path.js";
import type { Report } from "#backtest/report-schema.js";
import { importFiles } from "#history/import-files.js";
import { generateHistory } from "../../support/generated-history.js";
import { ladderBacktest, ladderConfig, ladders, MARKET } from "./ladder-run.js";

const MIDNIGHT_MS = Date.UTC(2026, 0, 6);
const RATE = 0.0001;

// Every run begins without a position. So funding stamped where one run ends and the next begins is
// paid by the first, or not at all. A walk forward in windows of eight hours would never pay any.
describe.each([
  ["at the very end of a run", 0],
  ["16 ms after it, as exchanges stamp what they pay at a boundary,", 16],
  ["almost a second after it", 999],
])("funding that is stamped %s", (_when, lateMs) => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "backtest-funding-"));
    const store = await generateHistory(folder, {
      market: MARKET,
      fromMs: MIDNIGHT_MS - 60_000,
      seconds: 120,
    });
    const stamps = [MIDNIGHT_MS + lateMs, MIDNIGHT_MS + 28_800_000 + lateMs].map((fundingTime) =>
      JSON.stringify({ fundingRate: String(RATE), fundingTime }),
    );
    const file = join(folder, "funding.ndjson");
    writeFileSync(file, `${stamps.join("\n")}\n`);
    await importFiles(store, {
      market: MARKET,
      files: [file],
      clock: { partsAt: [], baseLatencyNs: 0n },
      replace: false,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function reportOfSpan(from: string, to: string): Promise<Report> {
    const config = ladderConfig(folder, ladderBacktest(`from: ${from}, to: ${to}`));
    return playReport(config, ladders(), await openHistory(config), "ohlc");
  }

  it("is paid by the position at its boundary, and not again by the run that begins there", async () => {
    const { markets, profit, data } = await reportOfSpan("2026-01-05", "2026-01-06");
    expect(data.map(({ file }) => file)).toContain(`${MARKET}/funding/2026-01-06.parquet`);
    const [market] = markets;
    const position = Number(market?.position.last);
    expect(position).not.toBe(0);
    expect(market?.funding.payments).toBe(1);
    const mark = Number(market?.series.mid.last.findLast((mid) => mid !== null));
    expect(Number(profit.funding) / (-position * mark * RATE)).toBeCloseTo(1, 4);
    const next = await reportOfSpan("2026-01-06", "2026-01-07");
    expect(next.profit.funding).toBe("0");
  });

  it("is not paid by a run that ends before the boundary", async () => {
    const { markets, data } = await reportOfSpan("2026-01-05", "2026-01-05T23:59:59.5Z");
    expect(markets[0]?.funding.payments).toBe(0);
    expect(data.map(({ kind }) => kind)).not.toContain("funding");
  });
});
