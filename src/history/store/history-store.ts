import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../core/errors.js";
import { renameDurably } from "../../core/files/atomic-file.js";
import { readPathKind } from "../../core/files/path-kind.js";
import type { MarketId } from "../../core/units.js";
import { type Day, parseDayStart } from "../day.js";
import { hashFile } from "../file-hash.js";
import { HistoryError } from "../history-errors.js";
import { familyFor, type HistoryKind } from "../kinds.js";
import { type DayManifest, readManifest } from "./day-manifest.js";
import { resolveDays } from "./known-days.js";
import { makeStoreFolder } from "./store-folder.js";
import { StoreLock } from "./store-lock.js";

/** The folder of work in progress, which readers of the store do not see. */
export const STAGING = ".staging";
/**
 * The folder of data derived from the kinds of a market, beside them. It can be deleted at any
 * time.
 */
export const COLUMNS = ".columns";
const MARKET = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** One kind of history of one market. */
export interface Series {
  readonly market: MarketId;
  readonly kind: HistoryKind;
}

/**
 * A folder of history: `<market>/<kind>/<day>.parquet`, each with its manifest `<day>.json`.
 *
 * A day is replaced completely. The new file is written as `.<day>.parquet.next`, then the manifest
 * with its checksum, then the file is renamed. If the process ends in between, {@link recover}
 * completes or undoes the change.
 */
export class HistoryStore {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /**
   * Every series, by market and kind.
   * @throws HistoryError naming files that do not belong in the store
   */
  series(): readonly Series[] {
    if (readPathKind(this.root) === undefined) return [];
    if (readPathKind(this.root) !== "folder")
      throw new HistoryError(this.root, "is not a folder", {
        expected: "the folder of a history store",
      });
    const found: Series[] = [];
    for (const market of namesIn(this.root)) {
      if (market === STAGING) continue;
      const folder = join(this.root, market);
      if (readPathKind(folder) !== "folder" || !MARKET.test(market))
        throw foreign(folder, "a folder named as a market");
      for (const kind of namesIn(folder)) {
        if (kind === COLUMNS) continue;
        const path = join(folder, kind);
        if (readPathKind(path) !== "folder" || !isKind(kind))
          throw foreign(path, "a folder named as a kind of history, such as trades");
        found.push({ market, kind });
      }
    }
    return found;
  }

  /**
   * The reason why the store has nothing to read; undefined if it has any series.
   * @throws HistoryError as {@link series} does
   */
  emptyReason(): string | undefined {
    if (readPathKind(this.root) === undefined) return "does not exist";
    return this.series().length === 0 ? "is a folder without any history" : undefined;
  }

  /** The folder of a series. @throws ConfigError when its names cannot be a market and a kind */
  folder({ market, kind }: Series): string {
    if (!MARKET.test(market)) {
      throw new ConfigError("cannot name a market", {
        field: "market",
        value: market,
        expected: "letters, digits, dots, dashes and underscores",
      });
    }
    familyFor(kind);
    return join(this.root, market, kind);
  }

  /** The folder for work in progress on a series; created if missing. */
  staging(series: Series): string {
    this.folder(series);
    const folder = join(this.root, STAGING, series.market, series.kind);
    makeStoreFolder(folder);
    return folder;
  }

  /** A folder for data that does not fit into memory. */
  get spillFolder(): string {
    return join(this.root, STAGING, "spill");
  }

  dataPath(series: Series, day: Day): string {
    return join(this.folder(series), `${day}.parquet`);
  }

  manifestPath(series: Series, day: Day): string {
    return join(this.folder(series), `${day}.json`);
  }

  /** The path for the next version of a day. */
  nextPath(series: Series, day: Day): string {
    return join(this.folder(series), `.${day}.parquet.next`);
  }

  /**
   * The days of a series, ascending; `covered` excludes missing data in and between them.
   * @throws HistoryError naming the first file that is broken or foreign
   */
  days(series: Series): readonly DayManifest[] {
    return resolveDays(this.writtenDays(series));
  }

  /**
   * The days as written, with missing data within `covered`, for writers.
   * @throws as {@link days}
   */
  writtenDays(series: Series): readonly DayManifest[] {
    const { days, problems } = this.#read(series);
    if (problems[0] !== undefined) throw problems[0];
    return days;
  }

  /**
   * One day as written, or undefined if there is none.
   * @throws HistoryError naming a file that is broken
   */
  day(series: Series, day: Day): DayManifest | undefined {
    const dataPath = this.dataPath(series, day);
    const manifestPath = this.manifestPath(series, day);
    const isThere = existsSync(dataPath);
    if (!existsSync(manifestPath)) {
      if (isThere)
        throw new HistoryError(dataPath, "has no manifest", {
          expected: `${day}.json beside it, which this program writes with each day`,
        });
      return undefined;
    }
    const manifest = readManifest(manifestPath, series.market, series.kind, day);
    if (!isThere)
      throw new HistoryError(dataPath, "is missing, although its manifest exists", {
        expected: `a file of ${manifest.bytes} bytes`,
      });
    const { size } = statSync(dataPath);
    if (size !== manifest.bytes) {
      throw new HistoryError(dataPath, "is broken: its size has changed", {
        value: size,
        expected: `${manifest.bytes} bytes`,
      });
    }
    return manifest;
  }

  /** The same as {@link days}, with all faults of the folder. */
  inspect(series: Series): {
    readonly days: readonly DayManifest[];
    readonly problems: readonly HistoryError[];
  } {
    const { days, problems } = this.#read(series);
    return { days: resolveDays(days), problems };
  }

  #read(series: Series): {
    readonly days: readonly DayManifest[];
    readonly problems: readonly HistoryError[];
  } {
    const folder = this.folder(series);
    const names = readPathKind(folder) === "folder" ? namesIn(folder) : [];
    const days: DayManifest[] = [];
    const problems: HistoryError[] = [];
    const seen = new Set<Day>();
    for (const name of names) {
      const day = /^(\d{4}-\d{2}-\d{2})\.(?:parquet|json)$/.exec(name)?.[1];
      if (day === undefined || parseDayStart(day) === undefined) {
        // From a running writer, or from a killed one that the next writer will clean up.
        if (!name.endsWith(".next"))
          problems.push(foreign(join(folder, name), "a day's file, such as 2024-08-08.parquet"));
        continue;
      }
      if (seen.has(day)) continue;
      seen.add(day);
      try {
        const manifest = this.day(series, day);
        if (manifest !== undefined) days.push(manifest);
      } catch (error) {
        if (!(error instanceof HistoryError)) throw error;
        problems.push(error);
      }
    }
    return { days, problems };
  }

  /**
   * Compares a day's file with its checksum.
   * @throws HistoryError naming the file that differs, and whether another process has replaced the
   * day
   */
  async verify(manifest: DayManifest): Promise<void> {
    const path = this.dataPath(manifest, manifest.day);
    const sha256 = await checksumOf(path);
    if (sha256 === manifest.sha256) return;
    if (this.day(manifest, manifest.day)?.sha256 === sha256) {
      throw new HistoryError(path, "was replaced while it was read", {
        value: sha256,
        expected: `${manifest.sha256}, as at the start; repeat the command to read the new file`,
      });
    }
    throw new HistoryError(path, "is broken: its checksum differs", {
      value: sha256,
      expected: manifest.sha256,
    });
  }

  /**
   * The time at which a day's file was written, nanoseconds since 1970, which changes if the file
   * is replaced; empty if it is gone.
   */
  modifiedNs(manifest: DayManifest): string {
    return String(
      statSync(this.dataPath(manifest, manifest.day), { bigint: true, throwIfNoEntry: false })
        ?.mtimeNs ?? "",
    );
  }

  /**
   * Locks a series for writing, and cleans up after a killed writer.
   * @throws RunError when another process writes it
   */
  async open(series: Series): Promise<StoreLock> {
    const lock = StoreLock.take(this.staging(series));
    try {
      makeStoreFolder(this.folder(series));
      await this.recover(series);
      return lock;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Completes or undoes the work of a killed writer: a day with its new manifest is put in place,
   * anything less is undone.
   */
  async recover(series: Series): Promise<void> {
    const folder = this.folder(series);
    for (const name of namesIn(folder)) {
      if (!name.endsWith(".next")) continue;
      const path = join(folder, name);
      const day = /^\.(\d{4}-\d{2}-\d{2})\.parquet\.next$/.exec(name)?.[1];
      const manifestPath = day === undefined ? undefined : this.manifestPath(series, day);
      const isMeant =
        day !== undefined &&
        manifestPath !== undefined &&
        existsSync(manifestPath) &&
        readManifest(manifestPath, series.market, series.kind, day).sha256 ===
          (await hashFile(path));
      if (isMeant) renameDurably(path, this.dataPath(series, day));
      else rmSync(path);
    }
  }
}

/** @throws HistoryError if the folder may not be read */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    throw new HistoryError(folder, "cannot be read", {
      expected: "a folder that this user may read",
      cause,
    });
  }
}

/** @throws HistoryError if the file cannot be read */
async function checksumOf(path: string): Promise<string> {
  try {
    return await hashFile(path);
  } catch (cause) {
    throw new HistoryError(path, "cannot be read", {
      expected: "a file that this user may read",
      cause,
    });
  }
}

function isKind(name: string): boolean {
  try {
    familyFor(name);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

function foreign(path: string, expected: string): HistoryError {
  return new HistoryError(path, "does not belong in the store", { expected });
}
