import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { toDay } from "#history/day.js";
import { Duck } from "#history/duck.js";
import { DAY_COLUMNS, dayColumnType } from "#ledger/day-columns.js";
import { parquetPath } from "#ledger/day-folder.js";
import { readDays } from "#ledger/read-days.js";
import { writeDayParquet } from "#ledger/seal-days.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { median } from "./rounds.js";

const DAYS = effort(366, 3);
const ROUNDS = effort(3, 1);
const MARKETS = ["btcusdc", "ethusdc", "solusdc"];
const MINUTES_A_DAY = 1_440;
const DAY_MS = 86_400_000;
const START_MS = 1_767_225_600_000;

/**
 * The time until a year of day files is in memory, row by row, against a plain scan of the same
 * files by the database's own client.
 */
export const bench: Bench = {
  about:
    "a year of day files of three markets, a row a minute, read as rows, against a plain scan of the same files",
  floor: 0.33,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), "marketwright-open-days-"));
    try {
      const rows = await writeYear(folder);
      const ours: number[] = [];
      const reference: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        reference.push(rows / (await seconds(() => plainScan(folder))));
        ours.push(rows / (await seconds(() => allRows(folder))));
      }
      return {
        ours: median(ours) / 1e6,
        reference: median(reference) / 1e6,
        unit: "million rows/s",
        ratio: median(ours.map((each, at) => each / (reference[at] as number))),
        referenceIs: "DuckDB's Node client: the same columns, every value of every chunk",
        details: { "million rows": rows / 1e6, files: DAYS },
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Rows as a bot writes them, a fill with its markouts in every tenth row of a market. */
async function writeYear(folder: string): Promise<number> {
  const duck = await Duck.open(folder);
  try {
    for (let day = 0; day < DAYS; day += 1) {
      const fromMs = START_MS + day * DAY_MS;
      await writeDayParquet(duck, daySql(fromMs), parquetPath(folder, toDay(fromMs)));
    }
  } finally {
    duck.close();
  }
  return DAYS * MINUTES_A_DAY * (1 + MARKETS.length);
}

function daySql(fromMs: number): string {
  const markets = ["", ...MARKETS].map((id) => `'${id}'`).join(", ");
  const columns = DAY_COLUMNS.map((column) => {
    const { name, kind } = column;
    const type = dayColumnType(column);
    const value = valueSql(name, kind, fromMs, type);
    return `CAST(${value} AS ${type}) AS "${name}"`;
  });
  return `SELECT ${columns.join(", ")} FROM range(${MINUTES_A_DAY}) m(i), unnest([${markets}]) WITH ORDINALITY t(market, place) ORDER BY i, place`;
}

function valueSql(name: string, kind: string, fromMs: number, type: string): string {
  if (name === "marketId") return "market";
  if (name === "session") return String(START_MS);
  if (name === "fromMs") return `${fromMs} + i * 60000`;
  if (name === "atMs") return `${fromMs} + (i + 1) * 60000`;
  if (name === "facts") return "NULL";
  if (kind === "whole" || kind === "units") return "hash(i, place) % 1000000000";
  if (kind === "causes")
    return "CASE WHEN i % 7 = 0 THEN [{'cause': 'in-flight', 'us': i * 1000}] END";
  if (kind === "markouts" || kind === "fills") {
    const fields = [...type.matchAll(/"(\w+)" (\w+)/g)].map(
      ([, field, of]) =>
        `'${field}': ${of === "VARCHAR" ? "'BUY'" : of === "BOOLEAN" ? "true" : "i"}`,
    );
    const one = `{${fields.join(", ")}}`;
    const list = kind === "fills" ? one : Array.from({ length: 8 }, () => one).join(", ");
    return `CASE WHEN market <> '' AND i % 10 = 0 THEN [${list}] END`;
  }
  return "NULL";
}

async function allRows(folder: string): Promise<void> {
  let seen = 0;
  for await (const { rows } of readDays(folder)) seen += rows.length;
  if (seen === 0) throw new Error("no row was read");
}

async function plainScan(folder: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const connection = await instance.connect();
  const result = await connection.stream(
    `SELECT * FROM read_parquet('${join(folder, "*.parquet")}')`,
  );
  for (let chunk = await result.fetchChunk(); chunk !== null; chunk = await result.fetchChunk()) {
    if (chunk.rowCount === 0) break;
    for (let column = 0; column < chunk.columnCount; column += 1) {
      const vector = chunk.getColumnVector(column);
      for (let row = 0; row < chunk.rowCount; row += 1) vector.getItem(row);
    }
  }
  connection.closeSync();
  instance.closeSync();
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}
