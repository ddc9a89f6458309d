import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeLiveReport } from "#backtest/live-report.js";
import { openLiveRun } from "#backtest/live-run.js";
import { MemoryStateStore, type StateStore } from "#bot/state-dir.js";
import { RunError } from "#core/errors.js";
import { linesPath, listDays } from "#ledger/day-folder.js";
import type { DayRow } from "#ledger/day-row.js";
import { summariseDay } from "#ledger/day-summary.js";
import { DayWriter } from "#ledger/day-writer.js";
import { readDays } from "#ledger/read-days.js";
import { sealDays } from "#ledger/seal-days.js";
import { MemoryJournal, startVirtualRun } from "../bot/recorded-run.js";
import { openRecordedDays, type RecordedDays } from "./recorded-days.js";

/** Forty seconds before a midnight of UTC. */
const BEFORE_MIDNIGHT_MS = 1_780_272_000_000 - 40_000;

/** Lets a process of Node find no DuckDB, as where that optional package is not installed. */
const HOOK = `export async function resolve(name, context, next) {
  if (name === "@duckdb/node-api")
    throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: "ERR_MODULE_NOT_FOUND" });
  return next(name, context);
}`;
const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const WITHOUT_DUCKDB = dataUrl(
  `import { register } from "node:module"; register(${JSON.stringify(dataUrl(HOOK))});`,
);
/** The address of a built module of the day files, as a literal. */
const moduleOf = (name: string) =>
  JSON.stringify(new URL(`../../dist/ledger/days/${name}.js`, import.meta.url).href);

async function rowsOf(folder: string): Promise<DayRow[]> {
  const rows: DayRow[] = [];
  for await (const part of readDays(folder)) rows.push(...part.rows);
  return rows;
}

/** @param store of the run; its exchange is a new one, which sets aside the files of another */
async function record(
  days: RecordedDays,
  startMs: number,
  forMs: number,
  store: StateStore = days.store,
): Promise<number> {
  const run = await startVirtualRun({
    store,
    dayRecorderOf: days.recorderOf,
    startMs,
  });
  await run.clock.runFor(forMs);
  days.close();
  const endMs = run.clock.nowMs();
  await run.stop();
  return endMs;
}

describe("the day files of a bot", () => {
  it("split at midnight, and lose nothing when a day is sealed, or sealed twice", async () => {
    const days = openRecordedDays(10_000);
    await record(days, BEFORE_MIDNIGHT_MS, 75_000);
    expect(days.days).toEqual(["2026-05-31", "2026-06-01"]);
    const written = days.rows.map(({ facts: _, ...row }) => row);
    const read = async () => (await rowsOf(days.folder)).map(({ facts: _, ...row }) => row);
    expect(await read()).toEqual(written);
    const lines = readFileSync(linesPath(days.folder, "2026-05-31"), "utf8");
    expect(await sealDays(days.folder, "2026-06-01")).toEqual(["2026-05-31"]);
    expect(listDays(days.folder)).toEqual([
      { day: "2026-05-31", hasLines: false, hasParquet: true },
      { day: "2026-06-01", hasLines: true, hasParquet: false },
    ]);
    expect(await read()).toEqual(written);
    // A kill between the two steps of a sealing leaves both files.
    writeFileSync(linesPath(days.folder, "2026-05-31"), lines);
    expect(await read()).toEqual(written);
    await sealDays(days.folder, "2026-06-01");
    const key = ({ session, atMs, marketId }: Omit<DayRow, "facts">): string =>
      `${session} ${atMs} ${marketId}`;
    expect((await read()).map(key).sort()).toEqual(written.map(key).sort());
    const [first, second] = [
      await summariseDay(days.folder, "2026-05-31"),
      await summariseDay(days.folder, "2026-06-01"),
    ];
    expect(second.equity.start).toBe(first.equity.end);
    expect(first.to).toBe("2026-06-01T00:00:00Z");
    expect(first.fills + second.fills).toBe(
      days.rows.reduce((sum, { fills = [] }) => sum + fills.length, 0),
    );
  });

  it("lose at most the interval whose line a crash cut; its fills come from the state", async () => {
    const days = openRecordedDays(10_000);
    const endMs = await record(days, BEFORE_MIDNIGHT_MS - 600_000, 45_000);
    const path = linesPath(days.folder, "2026-05-31");
    const whole = readFileSync(path, "utf8");
    writeFileSync(path, whole.slice(0, -40));
    const span = { fromMs: undefined, toMs: undefined };
    // By now a running bot would have written more.
    const run = await openLiveRun(days.stateDir, span, endMs + 30_000);
    const { report } = await makeLiveReport(run, "cut");
    const cut = days.rows.at(-1)?.fills?.length ?? 0;
    expect(report.live.unseenFills).toBe(cut);
    const seen = days.rows.reduce((sum, { fills = [] }) => sum + fills.length, 0);
    expect(report.fills.all.fills).toBe(seen);
    // The next run drops the half line, and goes on behind it.
    await record(days, BEFORE_MIDNIGHT_MS - 180_000, 21_000, new MemoryStateStore());
    expect((await rowsOf(days.folder)).length).toBe(days.rows.length - 1);
    appendFileSync(path, "not a row\n");
    const again = await openLiveRun(days.stateDir, span, BEFORE_MIDNIGHT_MS);
    expect(again.unread).toBe(1);
    const joined = (await makeLiveReport(again, "two runs")).report;
    expect(joined.live.runs.length).toBe(2);
    expect(joined.gaps.some((gap) => gap.endsWith("not running"))).toBe(true);
    for (const { down } of joined.live.uptime)
      expect(down.find(({ cause }) => cause === "not running")?.seconds).toBeGreaterThan(100);
  });

  it("stay lines without DuckDB, and are read as well", async () => {
    const days = openRecordedDays(10_000);
    await record(days, BEFORE_MIDNIGHT_MS - 60_000, 25_000);
    const script = `
      const { sealDays } = await import(${moduleOf("seal-days")});
      const { summariseDay } = await import(${moduleOf("day-summary")});
      const refused = await sealDays(${JSON.stringify(days.folder)}, "2026-06-01").catch(String);
      const { markets } = await summariseDay(${JSON.stringify(days.folder)}, "2026-05-31");
      console.log(JSON.stringify({ refused, markets: markets.length }));
    `;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", WITHOUT_DUCKDB, "--input-type=module", "--eval", script],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    const { refused, markets } = JSON.parse(stdout);
    expect(refused).toContain("@duckdb/node-api");
    expect(markets).toBe(2);
    expect(listDays(days.folder).every(({ hasLines }) => hasLines)).toBe(true);
  });

  it("change no byte of the journal: a recorded run acts as one without", async () => {
    const run = async (days: RecordedDays | undefined): Promise<readonly string[]> => {
      const journal = new MemoryJournal();
      const virtual = await startVirtualRun({
        journal,
        ...(days === undefined ? {} : { dayRecorderOf: days.recorderOf }),
      });
      await virtual.clock.runFor(40_000);
      days?.close();
      await virtual.stop();
      return journal.lines;
    };
    expect(await run(openRecordedDays(5_000))).toEqual(await run(undefined));
  });

  it("follow the exchange's clock while that of the machine is set back by an hour", async () => {
    const days = openRecordedDays(10_000);
    let skewMs = 0;
    const run = await startVirtualRun({
      store: days.store,
      dayRecorderOf: days.recorderOf,
      machineOf: (world) => ({
        nowMs: () => world.nowMs() + skewMs,
        monotonicMs: () => world.monotonicMs(),
        setTimer: (delayMs, fire) => world.setTimer(delayMs, fire),
      }),
    });
    await run.clock.runFor(30_000);
    skewMs = -3_600_000;
    await run.clock.runFor(30_000);
    days.close();
    await run.stop();
    const accounts = days.rows.filter(({ marketId }) => marketId === "");
    const apart = accounts.slice(1).map(({ atMs }, at) => atMs - (accounts[at]?.atMs ?? 0));
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...apart)).toBeLessThan(11_000);
    expect(new Set(days.days).size).toBe(1);
  });

  it("have no record before their first version: the error says so", async () => {
    const days = openRecordedDays();
    const span = { fromMs: undefined, toMs: undefined };
    await expect(openLiveRun(days.stateDir, span, BEFORE_MIDNIGHT_MS)).rejects.toThrow(RunError);
    await expect(summariseDay(days.folder, "2026-06-01")).rejects.toThrow("no record of this day");
  });

  it("wait for room on a full disk, and follow in order once there is some", async () => {
    const days = openRecordedDays(10_000);
    await record(days, BEFORE_MIDNIGHT_MS - 600_000, 15_000);
    const troubles: (string | undefined)[] = [];
    // A file where the folder should be: every write fails.
    const folder = join(days.stateDir, "blocked");
    writeFileSync(folder, "");
    const writer = new DayWriter({
      folder,
      onTrouble: (why) => troubles.push(why),
      onDay: () => {},
    });
    const [account, ...others] = days.rows.slice(0, 3) as [DayRow, DayRow, DayRow];
    writer.write([account, ...others], days.facts());
    writer.write([account, ...others], days.facts());
    expect(troubles.length).toBe(1);
    const { rmSync } = await import("node:fs");
    rmSync(folder);
    writer.write([account, ...others], days.facts());
    writer.close();
    expect(troubles.at(-1)).toBeUndefined();
    expect((await rowsOf(folder)).length).toBe(9);
  });
});
