import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError } from "../core/errors.js";
import { makeFolder } from "../core/make-folder.js";
import type { Clock, Timer } from "../core/seam.js";
import type { MarketId, Ms } from "../core/units.js";
import { changedSteps } from "./changed-steps.js";
import { type ClockPart, type ClockWish, cleanClocks, oddClocks, refuseImplausibleClocks, shiftSql } from "./clean-clocks.js";
import type { DayManifest } from "./day-manifest.js";
import { diskTrouble } from "./disk-trouble.js";
import { Duck, type DuckLimits, literal, wholeOf } from "./duck.js";
import { HistoryError } from "./history-errors.js";
import { type HistoryKind, layoutOf } from "./kinds.js";
import { decimalsOf, parquetSql, reading } from "./measure.js";
import { PendingDays } from "./pending-days.js";
import type { PlainFile } from "./plain-file.js";
import { rulesOfImports } from "./plausible-times.js";
import { type Repairs, repairFindings } from "./repair-rows.js";
import { chooseMappings } from "./sources/choose-mapping.js";
import { refuseForeign } from "./sources/foreign-formats.js";
import { exactNumbersOnly, type JsonFields } from "./sources/json-numbers.js";
import { oneLineEnd } from "./sources/line-ends.js";
import type { Mapping } from "./sources/mapping.js";
import { recognise, type ShapeWish } from "./sources/recognise.js";
import type { ShapedFile } from "./sources/shape.js";
import { utf8Only } from "./sources/utf8.js";
import { dropRows, type StagedRows, stageRows } from "./stage-rows.js";
import { bookFindings } from "./staged-book.js";
import { importFolder, isDeadImport } from "./staged-work.js";
import type { HistoryStore } from "./store.js";
import { StoreLock } from "./store-lock.js";
import { type UnpackedFile, unpack, withoutMark } from "./unpack.js";
import { prepareDays } from "./write-days.js";

/** A database that is interrupted just before a statement begins does not hear of it. */
const INTERRUPT_EVERY_MS: Ms = 20;

/** What to import, and how. */
export interface ImportOptions extends ShapeWish {
  /** Further mappings, where several of the files need one. */
  readonly mappings?: readonly Mapping[] | undefined;
  readonly market: MarketId;
  /** Files of one capture: they share a clock. */
  readonly files: readonly string[];
  readonly clock: ClockWish;
  /** What the days hold already is dropped. */
  readonly replace: boolean;
  /** What may be done to rows that would be refused; nothing if absent. */
  readonly repairs?: Repairs;
  readonly limits?: DuckLimits;
  /** Told as each file is begun. */
  readonly onFile?: (file: string) => void;
  /** Ends the import: nothing of it is in the store then, and what it had unpacked and staged is gone. Too late once it writes its days. */
  readonly ends?: { readonly signal: AbortSignal; readonly clock: Pick<Clock, "setTimer"> };
}

/** What became of one file. */
export interface ImportedFile {
  readonly file: string;
  readonly kind: string;
  readonly rows: number;
  readonly days: readonly DayManifest[];
  readonly findings: readonly string[];
  /** Numbers that were rounded, and rows that were left out. */
  readonly rounded: number;
  readonly dropped: number;
}

/** What an import did. */
export interface Imported {
  readonly files: readonly ImportedFile[];
  /** What was added to local stamps; empty where there are none. */
  readonly clock: readonly ClockPart[];
}

/**
 * Imports files into the store: all of them, or none where one is broken or contradicts another or the store.
 * @throws HistoryError naming a file that is broken, unknown or contradicts the store; ConfigError for wishes that do not fit; RunError where the
 * store's disk is full or cannot be written
 */
export async function importFiles(store: HistoryStore, options: ImportOptions): Promise<Imported> {
  try {
    return await imported(store, options);
  } catch (error) {
    throw diskTrouble(error, store.root) ?? error;
  }
}

async function imported(store: HistoryStore, options: ImportOptions): Promise<Imported> {
  store.folder({ market: options.market, kind: "trades" });
  dropDeadImports(store);
  const { ends } = options;
  const unpacked = importFolder(store);
  const lock = StoreLock.take(unpacked, "one import a process at a time");
  try {
    // From here on their checksums are taken, while the database starts.
    const plain: UnpackedFile[] = [];
    for (const file of options.files) {
      options.onFile?.(file);
      const found = await unpack(file, unpacked, ends?.signal);
      refuseForeign(found);
      for (const each of found) plain.push(await withoutMark(each, unpacked));
      ends?.signal.throwIfAborted();
    }
    const duck = await Duck.open(store.spillFolder, options.limits);
    let again: Timer | undefined;
    const interrupt = (): void => {
      duck.interrupt();
      again = ends?.clock.setTimer(INTERRUPT_EVERY_MS, interrupt);
    };
    ends?.signal.addEventListener("abort", interrupt);
    try {
      ends?.signal.throwIfAborted();
      return await taken(store, duck, plain, unpacked, options);
    } finally {
      ends?.signal.removeEventListener("abort", interrupt);
      again?.cancel();
      duck.close();
    }
  } finally {
    lock.release();
    rmSync(unpacked, { recursive: true, force: true });
  }
}

async function taken(
  store: HistoryStore,
  duck: Duck,
  files: readonly UnpackedFile[],
  unpacked: string,
  options: ImportOptions,
): Promise<Imported> {
  const { market, clock, replace } = options;
  const found: { readonly plain: UnpackedFile; readonly shaped: ShapedFile }[] = [];
  const { mapping: first, mappings: further = [] } = options;
  const mappings = chooseMappings(files, [...(first === undefined ? [] : [first]), ...further]);
  for (const [index, plain] of files.entries()) {
    const wish = { ...options, mapping: mappings[index] };
    const shaped = await textOnly(plain, async () => ofOneSymbol(duck, plain.file, await recognise(duck, plain, wish), options.symbol));
    found.push({ plain, shaped });
  }
  const staged: StagedRows[] = [];
  for (const [index, { plain, shaped }] of found.entries()) {
    const { kind, select, csv, json, text, isByMessage } = shaped;
    const path = join(unpacked, `${index}.parquet`);
    const rules = rulesOfImports(kind);
    const staging = { series: { market, kind }, select, csv, text, isByMessage, file: plain.file, path, rules, repairs: options.repairs };
    const exact = options.repairs?.round === true ? exactFields(json, kind, mappings[index]) : json;
    staged.push(await textOnly(plain, () => exactNumbersOnly(plain, exact, () => stageRows(duck, staging))));
  }
  const heard = found.flatMap(({ plain, shaped }, index) => {
    const rows = staged[index];
    return rows?.isStamped !== true ? [] : [{ file: plain.file, shaped: { ...shaped, select: rows.select } }];
  });
  const parts = await cleanClocks(duck, heard, clock);
  refuseImplausibleClocks(heard, parts);
  const note = parts.map(({ fromSeq, addedNs, smallestNs, isByHand }) => ({
    fromSeq: String(fromSeq),
    addedNs: String(addedNs),
    smallestNs: String(smallestNs),
    isByHand,
  }));
  for (const [index, { plain }] of found.entries()) {
    // A file that is still being written, or was replaced, is read in parts that do not go together.
    if (!plain.isAsItWas())
      throw new HistoryError(plain.file, "changed while it was read", { expected: "a file that nobody writes: import a copy of it" });
    if (staged[index]?.rows === 0) throw new HistoryError(plain.file, "holds no record", { expected: "at least one" });
  }
  const changed = await changedSteps(
    duck,
    found.map(({ shaped: { kind } }, index) => ({ kind, rows: staged[index] as StagedRows })),
  );
  const done: ImportedFile[] = [];
  const locks: StoreLock[] = [];
  const pending = new PendingDays(store, replace);
  try {
    for (const kind of new Set(found.map(({ shaped }) => shaped.kind))) locks.push(await store.open({ market, kind }));
    for (const [index, { plain, shaped }] of found.entries()) {
      const rows = staged[index] as StagedRows;
      const isStamped = parts.length > 0 && layoutOf(shaped.kind).columns.some(({ name }) => name === "recvNs");
      const findings = [
        ...shaped.findings,
        ...(await orderFindings(duck, shaped.kind, rows)),
        ...(await bookFindings(duck, shaped.kind, rows)),
        ...reusedFindings(shaped.kind, rows),
        ...repairFindings(rows),
        ...(isStamped ? oddClocks(parts) : []),
        ...(changed.get(index) ?? []),
      ];
      const days = await prepareDays(pending, duck, {
        series: { market, kind: shaped.kind },
        rows,
        file: plain.file,
        source: {
          name: plain.name,
          sha256: await plain.sha256,
          isNumbered: shaped.isNumbered,
          isInContracts: shaped.isInContracts,
          clock: isStamped ? note : undefined,
          rounded: rows.rounded === 0 ? undefined : rows.rounded,
          dropped: rows.dropped === 0 ? undefined : rows.dropped,
        },
        recvShift: isStamped && parts.some(({ addedNs }) => addedNs !== 0n) ? shiftSql(parts) : undefined,
        findings,
        lost: shaped.lost,
        chain: shaped.chain,
        isByMessage: shaped.isByMessage,
      });
      const again = rows.repeated === 0 ? [] : [`${rows.repeated} of its rows are records that it holds already: one of each is kept`];
      done.push({
        file: plain.file,
        kind: shaped.kind,
        rows: rows.rows,
        days,
        findings: [...findings, ...again],
        rounded: rows.rounded,
        dropped: rows.dropped,
      });
      dropRows(rows);
    }
    options.ends?.signal.throwIfAborted();
    pending.commit();
  } finally {
    pending.drop();
    for (const lock of locks) lock.release();
  }
  return { files: done.map((file) => ({ ...file, days: asKnown(store, market, file) })), clock: parts };
}

/** The days of a file as readers take them, now that those before and after them are there: what is missing between them is said at once. */
function asKnown(store: HistoryStore, market: MarketId, { kind, days }: ImportedFile): readonly DayManifest[] {
  if (days.length === 0) return days;
  const known = new Map(store.inspect({ market, kind }).days.map((manifest) => [manifest.day, manifest]));
  return days.map((manifest) => known.get(manifest.day) ?? manifest);
}

/** What an import says of a book whose updates are put into another order: the last of a level is the one that stands. A snapshot that was asked for may be older than what is heard before it. */
async function orderFindings(duck: Duck, kind: HistoryKind, { isOrdered, path }: StagedRows): Promise<string[]> {
  if (kind !== "book" || isOrdered) return [];
  const updates = `SELECT timeNs, lag(timeNs) OVER () AS before FROM ${parquetSql(path)} WHERE NOT isSnapshot`;
  const back = wholeOf((await duck.row(`SELECT count(*) AS back FROM (${updates}) WHERE timeNs < before`)).back);
  return back === 0n ? [] : [`the stamps of ${back} updates are before the ones above them: they are in the order of their stamps`];
}

/** The fields whose numbers have to be exact where decimals are rounded: all but those that hold decimals, which are read as text. */
function exactFields(json: JsonFields | undefined, kind: HistoryKind, mapping: Mapping | undefined): JsonFields | undefined {
  if (json === undefined) return undefined;
  const mapped = mapping === undefined ? undefined : new Set(decimalsOf(kind).map(({ name }) => mapping.columns[name]));
  const isRounded = (name: string, type: string): boolean => mapped?.has(name) ?? type.startsWith("VARCHAR");
  return Object.fromEntries(Object.entries(json).filter(([name, type]) => !isRounded(name, type)));
}

/** What an import says of ids that stand for more than one record. */
function reusedFindings(kind: HistoryKind, { reused }: StagedRows): string[] {
  if (reused === undefined) return [];
  const { ids, example } = reused;
  return [`${ids === 1 ? "1 id is" : `${ids} ids are`} used for different ${kind} on different days, such as ${example}: all are kept`];
}

/** Does what reads a text. @throws HistoryError naming its first byte that is no UTF-8, or its first line that ends otherwise than the others */
function textOnly<T>(plain: PlainFile, work: () => Promise<T>): Promise<T> {
  return utf8Only(plain, () => oneLineEnd(plain, work));
}

/** Takes away what imports that were killed had unpacked and staged. */
function dropDeadImports(store: HistoryStore): void {
  const staging = dirname(importFolder(store));
  makeFolder(staging);
  for (const name of readdirSync(staging)) {
    if (isDeadImport(store, name)) rmSync(join(staging, name), { recursive: true, force: true });
  }
}

/** The file's rows of one market. @throws ConfigError where it holds several and none is named, not the one that is, or does not tell its markets */
async function ofOneSymbol(duck: Duck, file: string, shaped: ShapedFile, symbol: string | undefined): Promise<ShapedFile> {
  if (shaped.symbol === undefined) {
    if (symbol === undefined) return shaped;
    throw new ConfigError(`${file} has no column that is known to tell the market of a row`, {
      field: "symbol",
      value: symbol,
      expected: "a column called symbol, market, ticker, instrument, pair, coin or the like, or a file of one market and no --symbol",
    });
  }
  const asked = shaped.symbol;
  const symbols = (await reading(file, () => duck.rows(asked))).map((row) => String(row.symbol)).sort();
  if (symbol === undefined) {
    if (symbols.length < 2) return shaped;
    throw new ConfigError(`${file} holds several markets`, {
      field: "symbol",
      value: symbols.join(", "),
      expected: "--symbol with one of them",
    });
  }
  if (symbols.length > 0 && !symbols.includes(symbol)) {
    throw new ConfigError(`${file} does not hold this market`, {
      field: "symbol",
      value: symbol,
      expected: `one of ${symbols.join(", ")}`,
    });
  }
  if (symbols.length < 2) return shaped;
  if (shaped.ofSymbol === undefined)
    throw new HistoryError(file, "holds several markets", { value: symbols.join(", "), expected: "one market a file of this shape" });
  const { csv: _, ...asText } = shaped;
  return { ...asText, select: shaped.ofSymbol(literal(symbol)) };
}
