import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dayWarnings, repairWarnings } from "#backtest/day-warnings.js";
import { runBacktest } from "#backtest/run-backtest.js";
import type { DayManifest } from "#history/day-manifest.js";
import { GridError } from "#history/history-errors.js";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping, type Mapping } from "#history/mapping.js";
import type { RepairOptions } from "#history/repair-rows.js";
import { fileOf, scratchFolder, take } from "../../history/scratch.js";
import { ladderConfig, ladders, MARKET } from "./ladder-run.js";

const MIDNIGHT = Date.UTC(2025, 0, 1);
const MINUTES = 15;

/** A trade a second around midnight; prices of a cent before, and of ten from midnight on. */
function trades(extra = ""): string {
  const rows = Array.from({ length: MINUTES * 2 * 60 }, (_, at) => {
    const ms = MIDNIGHT + (at - MINUTES * 60) * 1000;
    const steps = (at * 7) % 41;
    return `${ms},${at + 1},${ms < MIDNIGHT ? (100 + steps / 100).toFixed(2) : (100 + steps / 10).toFixed(1)},0.5,${at % 2 === 0 ? "buy" : "sell"}${extra}\n`;
  });
  return `ts,id,price,qty,side${extra === "" ? "" : ",symbol"}\n${rows.join("")}`;
}

const COLUMNS = { time: "ts", id: "id", price: "price", amount: "qty", side: "side" };

async function storeOf(
  folder: string,
  text: string,
  mapping: Mapping = checkMapping({ kind: "trades", columns: COLUMNS }),
  repairs: RepairOptions = {},
): Promise<void> {
  await take(new HistoryStore(join(folder, "history")), [fileOf(folder, "trades.csv", text)], {
    mapping,
    market: MARKET,
    repairs,
  });
}

async function played(folder: string, tick: string, history = "grade: trades") {
  const text = `history: { market: ${MARKET}, ${history} }
bot: bot.yaml
rules: { markets: { ${MARKET}: { tickSizeQuote: ${tick}, stepSizeBase: 0.001, makerFeeRate: 0.0001, takerFeeRate: 0.0005 } } }
`;
  const config = ladderConfig(folder, text);
  return (
    await runBacktest(config, { ...ladders(), directory: join(folder, "report"), replace: true })
  ).report;
}

// Post-only orders of these trades are ambiguous on any grid.
const rulesDoubts = ({ doubts }: Awaited<ReturnType<typeof played>>): readonly string[] =>
  doubts.filter((doubt) => !doubt.includes("most of its fills are ambiguous"));

// The run's tick is the exchange's on one day, and a tenth of it on the other: there each quote
// improves the price for free.
describe("a backtest over days of two ticks", () => {
  it("warns about the day that does not need its tick, as in a run of that day alone", async () => {
    const folder = scratchFolder();
    await storeOf(folder, trades());
    const both = await played(folder, "0.01");
    expect(rulesDoubts(both)).toEqual([
      expect.stringMatching(
        /^btcusdc: a tick of 0\.01 is finer than that of the recording from 2025-01-01T00:00:00Z to .* multiples of 0\.1/,
      ),
    ]);
    expect(both.notes.first.map(({ text }) => text)).toEqual(
      expect.arrayContaining([...rulesDoubts(both)]),
    );
    const alone = await played(folder, "0.01", "grade: trades, from: 2025-01-01");
    expect(rulesDoubts(alone)).toEqual([
      expect.stringMatching(
        /a tick of 0\.01 is finer than that of the recording, whose first 900 prices/,
      ),
    ]);
    expect(rulesDoubts(await played(folder, "0.01", "grade: trades, to: 2025-01-01"))).toEqual([]);
  });

  it("is refused with the coarser tick, with the days of either", async () => {
    const folder = scratchFolder();
    await storeOf(folder, trades());
    const refusal = await played(folder, "0.1").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(GridError);
    expect(String(refusal)).toMatch(
      /off the grid on 2024-12-31, but on the grid on 2025-01-01: the market's tick or step size changed .*multiple of the tick size 0\.1; run each period separately/,
    );
    expect(rulesDoubts(await played(folder, "0.1", "grade: trades, from: 2025-01-01"))).toEqual([]);
    // If no day has the tick, it did not change: it is wrong.
    await expect(played(folder, "0.4")).rejects.toThrow(
      /row \d+: price is off the grid .*tick size 0\.4$/,
    );
  });
});

describe("the store's notes on its days", () => {
  it("give a warning in every run over amounts that count contracts", async () => {
    const folder = scratchFolder();
    await storeOf(folder, trades(",BTC-USDT-SWAP"));
    expect(rulesDoubts(await played(folder, "0.01"))[0]).toBe(
      "btcusdc trades: its amounts count contracts, and each contract is counted as one base unit (2024-12-31 to 2025-01-01)",
    );
  });

  // A run over data with rows left out at the import looked like one over a complete file.
  it("give a warning where numbers were rounded and rows left out at the import", async () => {
    const folder = scratchFolder();
    const noisy = trades()
      .replace(",0.5,buy", ",0.30000000000000004,buy")
      .replace(",0.5,sell", ",none,sell")
      .replace(",0.5,sell", ",0.5,up");
    await storeOf(folder, noisy, undefined, { round: true, maxDropped: 2 });
    expect((await played(folder, "0.01")).doubts).toEqual(
      expect.arrayContaining([
        "btcusdc trades: 1 number of trades.csv rounded at the import (--round) (2024-12-31 to 2025-01-01)",
        "btcusdc trades: 2 rows of trades.csv left out at the import (--drop-bad-rows) (2024-12-31 to 2025-01-01)",
      ]),
    );
  });

  const day = (of: Partial<DayManifest>): DayManifest =>
    ({ kind: "book", day: "2025-01-01", sources: [], ...of }) as DayManifest;
  const source = (smallestNs: bigint, isByHand?: true) => ({
    name: "x.csv",
    rows: 1,
    clock: [
      {
        fromSeq: "0",
        addedNs: "0",
        smallestNs: String(smallestNs),
        ...(isByHand === undefined ? {} : { isByHand }),
      },
    ],
  });

  it("give a warning where snapshots of its book lack rows that were left out", () => {
    const cut = day({ sources: [{ name: "b.csv", rows: 9, dropped: 2, cutSnapshots: 1 }] });
    expect(repairWarnings(MARKET, [cut])).toEqual([
      "btcusdc book: 2 rows of b.csv left out at the import (--drop-bad-rows) (2025-01-01)",
      "btcusdc book: 1 snapshot lacks rows that were left out: levels are missing until an update repeats them (b.csv) (2025-01-01)",
    ]);
  });

  // Existing stores hold such days: they open and are played, with a warning.
  it("give a warning where local stamps were moved by more than clocks are off, unless the user chose the amount", () => {
    const doubts = (each: DayManifest["sources"][number]) =>
      dayWarnings(MARKET, [day({ sources: [each] })], { tickSize: "1", stepSize: "1" });
    expect(doubts(source(-1_733_964_300_000_000_000n))).toEqual([
      expect.stringMatching(
        /^btcusdc book: local times are up to 1733964300 s before the exchange's, .*\(2025-01-01\)$/,
      ),
    ]);
    expect(doubts(source(28_800_000_000_000n))).toEqual([expect.stringMatching(/28800 s after/)]);
    expect(doubts(source(-800_000_000n))).toEqual([]);
    expect(doubts(source(-30_000_000_000n, true))).toEqual([]);
  });

  it("give a warning where the exchange published coarser steps than the run's on some of the days", () => {
    const days = [
      day({ day: "2024-12-30", grid: { tickSize: "0.01", stepSize: "0.001" } }),
      day({ day: "2024-12-31", grid: { tickSize: "0.10", stepSize: "0.001" } }),
      day({ day: "2025-01-01", grid: { tickSize: "0.10", stepSize: "0.01" } }),
    ];
    expect(dayWarnings(MARKET, days, { tickSize: "0.01", stepSize: "0.001" })).toEqual([
      "btcusdc book: a tick of 0.01 is finer than the exchange's, 0.10 (2024-12-31 to 2025-01-01)",
      "btcusdc book: a step of 0.001 is finer than the exchange's, 0.01 (2025-01-01)",
    ]);
    expect(dayWarnings(MARKET, days, { tickSize: "0.1", stepSize: "0.01" })).toEqual([]);
  });
});
