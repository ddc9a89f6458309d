import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { currentProcessName, parsePid, processLifeFor } from "../../core/files/process-life.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { MarketId } from "../../core/units.js";
import { partsIn, recordingFolder, referenceRecordingFolder } from "../record/recording-part.js";
import { type HistoryStore, STAGING } from "./history-store.js";
import { StoreLock } from "./store-lock.js";

/**
 * Work in progress on a store, or the remains of a killed process. Readers of the store do not see
 * it.
 */
export interface StagedWork {
  readonly what: "recording" | "download" | "import" | "day";
  /** Undefined for an import, whose market is unknown until it writes. */
  readonly market: MarketId | undefined;
  readonly path: string;
  readonly bytes: number;
  /** The process that does the work; undefined if it has ended. */
  readonly process: number | undefined;
  /** The advice to the user if the process has ended. */
  readonly advice: string;
}

/** The staged work of a store. */
export function stagedWork(store: HistoryStore): readonly StagedWork[] {
  const staging = join(store.root, STAGING);
  const found: StagedWork[] = [];
  for (const name of foldersIn(staging)) {
    const path = join(staging, name);
    const importer = importerOf(name);
    if (importer !== undefined) {
      const advice = "none of it is in the store; importing the files again removes it";
      found.push({
        what: "import",
        market: undefined,
        path,
        bytes: bytesIn(path),
        process: livesIn(path, importer) ? parsePid(importer) : undefined,
        advice,
      });
      continue;
    }
    const recording = recordingFolder(store.root, name);
    if (partsIn(recording).length > 0) {
      const advice = `the next recording of the market stores it: marketwright data record --store ${shellWord(store.root)} --market ${name} --for 1s`;
      found.push({
        what: "recording",
        market: name,
        path: recording,
        bytes: bytesIn(recording),
        process: StoreLock.holder(recording),
        advice,
      });
    }
    const reference = referenceRecordingFolder(store.root, name);
    if (partsIn(reference).length > 0) {
      found.push({
        what: "recording",
        market: name,
        path: reference,
        bytes: bytesIn(reference),
        process: StoreLock.holder(reference),
        advice: `the next recording of the reference source ${name} into this store stores it`,
      });
    }
    for (const kind of foldersIn(path)) {
      const folder = join(path, kind);
      if (folder === recording || !readdirSync(folder).some((file) => file.endsWith(".ndjson")))
        continue;
      const advice = `the same download of ${kind} continues from its last record`;
      found.push({
        what: "download",
        market: name,
        path: folder,
        bytes: bytesIn(folder),
        process: StoreLock.holder(folder),
        advice,
      });
    }
  }
  for (const series of store.series()) {
    const folder = store.folder(series);
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".next"))) {
      const path = join(folder, name);
      const advice = `the next import or download of ${series.kind} of ${series.market} completes or undoes it; repeat the command`;
      const holder = StoreLock.holder(store.staging(series));
      found.push({
        what: "day",
        market: series.market,
        path,
        bytes: statSync(path).size,
        process: holder,
        advice,
      });
    }
  }
  return found;
}

/** The folder of this process's import. */
export function importFolder(store: HistoryStore): string {
  return join(store.root, STAGING, `import-${currentProcessName()}`);
}

/** The process id in the name of an import's staging folder; undefined for another folder. */
function importerOf(name: string): string | undefined {
  const importer = name.startsWith("import-") ? name.slice("import-".length) : "";
  return processLifeFor(importer) === undefined ? undefined : importer;
}

/** True if the import of a staging folder was killed. */
export function isDeadImport(store: HistoryStore, name: string): boolean {
  const importer = importerOf(name);
  return importer !== undefined && !livesIn(join(store.root, STAGING, name), importer);
}

/**
 * For a process in another container, which cannot be checked directly, its lock shows whether it
 * lives.
 */
function livesIn(folder: string, importer: string): boolean {
  const life = processLifeFor(importer);
  return life === "lives" || (life === "elsewhere" && StoreLock.holder(folder) !== undefined);
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort();
}

function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesIn(path);
    // Another process may delete it at this moment.
    else if (entry.isFile()) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
