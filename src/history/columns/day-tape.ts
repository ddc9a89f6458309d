import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";
import { renameDurably } from "../../core/files/atomic-file.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { currentProcessName, processLifeFor } from "../../core/files/process-life.js";
import { createLiveRuntime } from "../../core/runtime/live-runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { Day } from "../day.js";
import { HistoryError } from "../history-errors.js";
import type { DayManifest } from "../store/day-manifest.js";
import { Duck, type DuckLimits } from "../store/duck.js";
import { COLUMNS, type HistoryStore } from "../store/history-store.js";
import { toDiskError } from "../store/to-disk-error.js";
import { chooseTieBreak, type TieBreak, type TieBreakFile } from "./choose-tie-break.js";
import { findBookBreaks } from "./day-book-breaks.js";
import { DayRows } from "./day-rows.js";
import { localClock } from "./local-clock.js";
import { readFooter, TAPE_FORMAT, TapeFileWriter, type TapeFooter } from "./tape/tape-file.js";
import type { Steps } from "./tape/tape-grid.js";
import { writeBlocks } from "./tape/write-blocks.js";

/** A day of the store from which columns are built. */
export interface DayInput {
  readonly market: MarketId;
  readonly day: Day;
  /** Undefined if the store has no book of that day. */
  readonly book: DayManifest | undefined;
  readonly trades: DayManifest | undefined;
  /** All kinds with local stamps. Stamps of one recorder are corrected together. */
  readonly stamped: readonly DayManifest[];
}

/** How columns are built. */
export interface DayTapeOptions {
  readonly steps: Steps;
  readonly baseLatencyNs: bigint;
  /**
   * Rows per block. Columns on disk with larger blocks are rebuilt: they would take more memory
   * than the caller allows.
   */
  readonly blockRows: number;
  readonly limits?: DuckLimits;
  /** Called when the columns of a day are rebuilt. */
  readonly onMake?: (day: Day) => void;
}

/** A day's columns on disk. */
export interface DayTape {
  readonly path: string;
  readonly footer: TapeFooter;
}

/**
 * The time without growth after which a file of an unreachable process, such as one in another
 * container, counts as abandoned.
 */
const LEFT_MS: Ms = 3_600_000;

let made = 0;

/**
 * Opens the columns of a day, which lie beside its Parquet files. Columns that are absent,
 * truncated, foreign or built from other sources are rebuilt first. A new file is written under a
 * hidden name and renamed when it is complete.
 * @throws HistoryError when a source is broken, or holds a value that columns cannot hold; RunError
 * if the disk is full or cannot be written
 */
export async function openDayTape(
  store: HistoryStore,
  input: DayInput,
  options: DayTapeOptions,
): Promise<DayTape> {
  const { market, day } = input;
  const folder = join(store.root, market, COLUMNS);
  const key = keyOf(input, options);
  const path = join(folder, `${day}-${key.slice(0, 32)}.tape`);
  const footer = readFooter(path, key);
  if (footer !== undefined) {
    // A file written since may have the same length and other contents. A copied file keeps its
    // time.
    if (footer.modifiedNs?.join() !== modifiedNs(store, input).join()) await verify(store, input);
    return { path, footer };
  }
  options.onMake?.(day);
  made += 1;
  const hidden = join(folder, `.${day}-${currentProcessName()}-${made}.next`);
  try {
    makeFolder(folder);
    sweep(folder, day, sourcesOf(input));
    await write(hidden, store, input, options, key);
    renameDurably(hidden, path);
  } catch (error) {
    throw toDiskError(error, folder) ?? error;
  } finally {
    rmSync(hidden, { force: true });
  }
  const written = readFooter(path, key);
  if (written === undefined)
    throw new HistoryError(path, "cannot be read back after writing", {
      expected: "a disk without faults",
    });
  return { path, footer: written };
}

async function write(
  path: string,
  store: HistoryStore,
  input: DayInput,
  options: DayTapeOptions,
  key: string,
): Promise<void> {
  const { baseLatencyNs, steps, blockRows } = options;
  const modified = modifiedNs(store, input);
  await verify(store, input);
  // Their stamps show how far the local clock lagged on that day.
  for (const manifest of input.stamped)
    if (filesOf(input).every(({ kind }) => kind !== manifest.kind)) await store.verify(manifest);
  const duck = await Duck.open(store.spillFolder, options.limits);
  const writer = await TapeFileWriter.create(path);
  try {
    const clock = await localClock(store, duck, input.stamped, baseLatencyNs);
    const [book, trades] = [input.book, input.trades].map((manifest) =>
      manifest === undefined ? undefined : DayRows.of(store, duck, manifest, steps, clock),
    );
    const order = await orderOf(duck, store, input);
    const facts = await writeBlocks(
      writer,
      book,
      trades,
      blockRows,
      order,
      findBookBreaks(input.book),
    );
    // An import may have replaced a file after the check. Its rows then do not match the manifest.
    if (modifiedNs(store, input).join() !== modified.join()) await verify(store, input);
    await writer.finish({
      ...facts,
      key,
      modifiedNs: modified,
      blockRows,
      addedLocalNs: String(clock.addedNs),
    });
  } finally {
    await writer.close();
    duck.close();
  }
}

async function orderOf(
  duck: Duck,
  store: HistoryStore,
  { book, trades }: DayInput,
): Promise<TieBreak> {
  if (book === undefined || trades === undefined) return "place";
  const fileOf = (of: DayManifest): TieBreakFile => ({
    path: store.dataPath(of, of.day),
    sources: of.sources,
  });
  return chooseTieBreak(duck, fileOf(book), fileOf(trades));
}

function filesOf({ book, trades }: DayInput): DayManifest[] {
  return [book, trades].filter((manifest) => manifest !== undefined);
}

function modifiedNs(store: HistoryStore, input: DayInput): string[] {
  return filesOf(input).map((manifest) => store.modifiedNs(manifest));
}

async function verify(store: HistoryStore, input: DayInput): Promise<void> {
  for (const manifest of filesOf(input)) await store.verify(manifest);
}

/**
 * Deletes the files of killed builders of a day, and columns whose sources the day no longer has.
 */
function sweep(folder: string, day: Day, sources: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const maker = new RegExp(`^\\.${day}-(.+)-\\d+\\.next$`).exec(name)?.[1];
    const isDead = maker !== undefined && isLeft(path, maker);
    const isStale = name.startsWith(`${day}-`) && !name.startsWith(`${day}-${sources}`);
    if (isDead || isStale) rmSync(path, { force: true });
  }
}

/** True if no process writes a hidden file any more. */
function isLeft(path: string, maker: string): boolean {
  const life = processLifeFor(maker);
  if (life !== "elsewhere") return life === "gone";
  const written = statSync(path, { throwIfNoEntry: false });
  return (
    written !== undefined && Math.abs(createLiveRuntime().clock.nowMs() - written.mtimeMs) > LEFT_MS
  );
}

/**
 * The name of a day's columns: its first half identifies the sources, the second how the columns
 * are built.
 */
function keyOf(input: DayInput, { steps, baseLatencyNs, blockRows }: DayTapeOptions): string {
  const made = {
    format: TAPE_FORMAT,
    endianness: endianness(),
    ...steps,
    baseLatencyNs: String(baseLatencyNs),
    blockRows,
  };
  return `${sourcesOf(input)}${digest({ ...made, sources: sourcesOf(input) })}`;
}

function sourcesOf({ market, day, book, trades, stamped }: DayInput): string {
  const files = {
    book: book?.sha256,
    trades: trades?.sha256,
    stamped: stamped.map(({ kind, sha256 }) => [kind, sha256]),
  };
  // Equal rows may come from another source, so the sources count too.
  const places = [book, trades].map((manifest) => manifest?.sources.map((source) => source.places));
  return digest({ market, day, ...files, places, losses: findBookBreaks(book) });
}

function digest(value: object): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
