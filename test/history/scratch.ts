import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Duck, type Row } from "#history/duck.js";
import type { HistoryStore } from "#history/history-store.js";
import { type Imported, type ImportOptions, importFiles } from "#history/import-files.js";

/** A folder that goes with the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-history-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file in a folder. @returns its path */
export function fileOf(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Imports files of one market as the command does when nothing else is said. */
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

/** What another program reads out of Parquet files. */
export async function query(store: HistoryStore, sql: string): Promise<readonly Row[]> {
  const duck = await Duck.open(store.spillFolder, { memoryMb: 200, threads: 1 });
  try {
    return await duck.rows(sql);
  } finally {
    duck.close();
  }
}
