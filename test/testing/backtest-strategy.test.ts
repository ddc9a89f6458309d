import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NEVER, switchMap } from "rxjs";
import { afterEach, describe, expect, it } from "vitest";
import { backtestStrategy } from "#testing/backtest-strategy.js";
import { createCapture } from "#testing/create-capture.js";
import { generateCapture } from "#testing/generate-capture.js";
import { recordViews } from "#testing/record-views.js";
import { openCapture, writeCapture } from "#testing/stored-capture.js";
import { CLOSE, SKEWED, spreadOf, strategyOf } from "./strategies.js";

const capture = generateCapture({ seconds: 60, seed: 3 });
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("a backtest of a strategy in one call", () => {
  it("gives the fills, and the same to the byte a second time", async () => {
    const first = await backtestStrategy(SKEWED, { params: CLOSE, capture });
    const again = await backtestStrategy(SKEWED, { params: CLOSE, capture });
    expect(first.fills.length).toBeGreaterThan(5);
    expect(first.report.fills.all.fills).toBe(first.fills.length);
    expect(again.fills).toEqual(first.fills);
    expect(first.intents.length).toBe(first.views.length);
    expect(first.report.profit.total).toBe(again.report.profit.total);
  });

  it("keeps the position within the limit that the test names", async () => {
    const { views } = await backtestStrategy(SKEWED, {
      params: CLOSE,
      capture,
      limits: { maxPositionBase: 0.02 },
    });
    const most = Math.max(...views.map(({ positionLots }) => Math.abs(positionLots)));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(20);
    expect(views[0]?.maxPositionLots).toBe(20);
  });

  it("charges the fees that the test names", async () => {
    const { report } = await backtestStrategy(SKEWED, {
      params: CLOSE,
      capture,
      rules: { makerFeeRate: 0.0001, takerFeeRate: 0.0005 },
    });
    expect(Number(report.profit.fees)).toBeLessThan(0);
  });

  it("refuses an unknown key, so that no test passes by a limit that was misspelt", async () => {
    const limits = { maxPositonBase: 0.02 };
    await expect(backtestStrategy(SKEWED, { params: CLOSE, capture, limits })).rejects.toThrow(
      "markets.btcusdc.limits.maxPositonBase",
    );
  });

  it("fails where the strategy fails: a test of a run without quotes would pass", async () => {
    const broken = spreadOf(() => Number.NaN);
    await expect(backtestStrategy(broken, { params: {}, capture })).rejects.toThrow(
      "halfSpreadBps",
    );
  });

  it("plays trades alone, from a list of records in plain numbers", async () => {
    const trades = Array.from({ length: 60 }, (_, at) => ({
      timeMs: 1_000_000 + at * 500,
      takerSide: at % 2 === 0 ? ("BUY" as const) : ("SELL" as const),
      price: at % 2 === 0 ? 60_001 : 59_999,
      amount: 0.5,
    }));
    const { report, fills } = await backtestStrategy(
      spreadOf(() => 0.1),
      {
        params: {},
        capture: createCapture(trades),
      },
    );
    expect(report.grade).toBe("trades");
    expect(fills.length).toBeGreaterThan(0);
  });
});

describe("views of a capture", () => {
  it("are those that a strategy gets that quotes nothing", async () => {
    const idle = strategyOf(() => (view$) => view$.pipe(switchMap(() => NEVER)));
    const { views } = await backtestStrategy(idle, { params: {}, capture });
    expect(await recordViews({ capture })).toEqual(views);
    expect(views.length).toBeGreaterThan(200);
  });

  it("follow the decision points that the test names", async () => {
    const decide = { everyMs: 5000, onTouchChange: false };
    const views = await recordViews({ capture, bot: { decide }, viewLevels: 1 });
    expect(views.length).toBeLessThan(20);
    expect(views.every(({ bids }) => bids.length === 1)).toBe(true);
  });

  it("have the name of the market that was read: its limits are those of that market", async () => {
    const store = mkdtempSync(join(tmpdir(), "kit-store-"));
    folders.push(store);
    const times = { from: "2026-01-01", to: "2026-01-02" };
    await writeCapture(generateCapture({ seconds: 5 }), { store, market: "ethusdc" });
    const read = await openCapture({ store, market: "ethusdc", ...times });
    const [view] = await recordViews({ capture: read });
    expect(view?.marketId).toBe("ethusdc");
  });

  it("are the same after the capture was written to a store and read again", async () => {
    const store = mkdtempSync(join(tmpdir(), "kit-store-"));
    folders.push(store);
    const short = generateCapture({ seconds: 20, seed: 3 });
    await writeCapture(short, { store, market: "btcusdc" });
    const read = await openCapture({
      store,
      market: "btcusdc",
      from: "2026-01-01",
      to: "2026-01-02",
    });
    expect(await recordViews({ capture: read })).toEqual(await recordViews({ capture: short }));
  });
});
