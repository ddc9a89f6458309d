import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { currentProcessName, parsePid, processLifeFor } from "../../core/files/process-life.js";
import type { MarketId } from "../../core/units.js";
import { partsIn, recordingFolder } from "../record/recording-part.js";
import { type HistoryStore, STAGING } from "./history-store.js";
import { StoreLock } from "./store-lock.js";

/** Work on a store that is in progress, or that a killed process left: nothing of it is history yet. */
export interface StagedWork {
  readonly what: "recording" | "download" | "import" | "day";
  /** Undefined for an import, which tells its market only when it writes. */
  readonly market: MarketId | undefined;
  readonly path: string;
  readonly bytes: number;
  /** The process that is at it; undefined where that is gone. */
  readonly process: number | undefined;
  /** What to do where the process is gone, in words. */
  readonly advice: string;
}

/** What lies staged in a store. */
export function stagedWork(store: HistoryStore): readonly StagedWork[] {
  const staging = join(store.root, STAGING);
  const found: StagedWork[] = [];
  for (const name of foldersIn(staging)) {
    const path = join(staging, name);
    const importer = importerOf(name);
    if (importer !== undefined) {
      const advice = "nothing of it is in the store: import the files again, and it goes";
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
      const advice = `the next recording of the market puts it into the store: npx marketwright data record --store ${store.root} --market ${name} --for 1s`;
      found.push({
        what: "recording",
        market: name,
        path: recording,
        bytes: bytesIn(recording),
        process: StoreLock.holder(recording),
        advice,
      });
    }
    for (const kind of foldersIn(path)) {
      const folder = join(path, kind);
      if (folder === recording || !readdirSync(folder).some((file) => file.endsWith(".ndjson")))
        continue;
      const advice = `the same download of ${kind} again goes on from its last record`;
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
      const advice = `whoever writes ${series.kind} of ${series.market} next ends it or undoes it: the same import or download again`;
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

/** The folder in which an import works. */
export function importFolder(store: HistoryStore): string {
  return join(store.root, STAGING, `import-${currentProcessName()}`);
}

/** The process whose import a staging folder is of, by its name; undefined for another folder. */
function importerOf(name: string): string | undefined {
  const importer = name.startsWith("import-") ? name.slice("import-".length) : "";
  return processLifeFor(importer) === undefined ? undefined : importer;
}

/** Whether the import that a staging folder is of is over, by a kill. */
export function isDeadImport(store: HistoryStore, name: string): boolean {
  const importer = importerOf(name);
  return importer !== undefined && !livesIn(join(store.root, STAGING, name), importer);
}

/** Its lock shows of a process that nobody here can ask whether it lives. */
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
    // Another process may take it away in this moment.
    else if (entry.isFile()) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
