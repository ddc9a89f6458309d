import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Duck, type Row } from "#history/duck.js";
import type { HistoryStore } from "#history/history-store.js";
import { type Imported, type ImportOptions, importFiles } from "#history/import-files.js";

/** A folder that is deleted after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-history-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file into a folder. @returns its path */
export function fileOf(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Imports files of one market with the defaults of the command. */
export function take(
  store: HistoryStore,
  files: readonly string[],
  options: Partial<ImportOptions> = {},
): Promise<Imported> {
  return importFiles(store, {
    market: "btcusdt",
    files,
    clock: { partsAt: [], baseLatencyNs: 0n },
    replace: false,
    ...options,
  });
}

/** The rows that another program reads from Parquet files. */
export async function query(store: HistoryStore, sql: string): Promise<readonly Row[]> {
  const duck = await Duck.open(store.spillFolder, { memoryMb: 200, threads: 1 });
  try {
    return await duck.rows(sql);
  } finally {
    duck.close();
  }
}
