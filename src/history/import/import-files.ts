import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../core/files/make-folder.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { Day } from "../day.js";
import { HistoryError } from "../history-errors.js";
import { type HistoryKind, layoutFor } from "../kinds.js";
import {
  type ClockOptions,
  type ClockPart,
  cleanClocks,
  clockFindings,
  refuseImplausibleClocks,
  shiftSql,
} from "../staging/clean-clocks.js";
import { decimalColumns } from "../staging/decimal-places.js";
import type { LeftOutRow } from "../staging/left-out-rows.js";
import { importRules } from "../staging/plausible-times.js";
import type { RepairOptions } from "../staging/repair-rows.js";
import { dropRows, type StagedRows, stageRows } from "../staging/stage-rows.js";
import { hasNoSnapshot } from "../staging/staged-book.js";
import { stagedFindings } from "../staging/staged-findings.js";
import { prepareDays } from "../staging/write-days.js";
import type { DayManifest, SourceNote } from "../store/day-manifest.js";
import { Duck, type DuckLimits } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import { hasUncountedIds, UNCOUNTED } from "../store/known-days.js";
import { PendingDays } from "../store/pending-days.js";
import { findDaysReadOtherwise, hashReading } from "../store/reading.js";
import { importFolder, isDeadImport } from "../store/staged-work.js";
import { StoreLock } from "../store/store-lock.js";
import { toDiskError } from "../store/to-disk-error.js";
import type { LinedFile } from "./bad-lines.js";
import { findChangedSteps } from "./find-changed-steps.js";
import { chooseMappings } from "./formats/choose-mapping.js";
import { refuseForeign } from "./formats/foreign-formats.js";
import type { Mapping } from "./formats/mapping.js";
import { readLineLayout, type ShapeOptions } from "./formats/recognise.js";
import type { ShapedFile } from "./formats/shape.js";
import { ReadableRows } from "./readable-rows.js";
import { shapeFile, withTextChecks } from "./shape-file.js";
import { type JsonFields, withExactNumbers } from "./text/json-numbers.js";
import { type UnpackedFile, unpack, withoutMark } from "./unpack.js";

/**
 * The interval at which an interrupt is repeated. A database interrupted just before a statement
 * begins ignores it.
 */
const INTERRUPT_EVERY_MS: Ms = 20;

/** The files to import, and the user's choices. */
export interface ImportOptions extends ShapeOptions {
  /** Further mappings, if several of the files need one. */
  readonly mappings?: readonly Mapping[] | undefined;
  readonly market: MarketId;
  /** Files of one capture: they share a clock. */
  readonly files: readonly string[];
  readonly clock: ClockOptions;
  /** Drops the existing data of the days. */
  readonly replace: boolean;
  /** Permitted repairs of rows that would be refused; none if absent. */
  readonly repairs?: RepairOptions;
  readonly limits?: DuckLimits;
  /** Called when the import begins a file. */
  readonly onFile?: (file: string) => void;
  /**
   * Cancels the import: nothing of it reaches the store, and its unpacked and staged files are
   * deleted. A signal after the import began to write its days has no effect.
   */
  readonly cancellation?: { readonly signal: AbortSignal; readonly clock: Pick<Clock, "setTimer"> };
}

/** The result for one file. */
export interface ImportedFile {
  readonly file: string;
  readonly kind: string;
  readonly rows: number;
  readonly days: readonly DayManifest[];
  readonly findings: readonly string[];
  /**
   * Numbers that were rounded, and rows that were left out; none for a file that the store already
   * has.
   */
  readonly rounded: number;
  readonly dropped: number;
  /**
   * Days of the store that still hold the file under an earlier mapping, clock or repair,
   * ascending.
   */
  readonly stayed: readonly Day[];
}

/** The result of an import. */
export interface Imported {
  readonly files: readonly ImportedFile[];
  /**
   * The files of which the store already has all days, as they were read then. `stayed` of each
   * names the days of another reading.
   */
  readonly unchanged: readonly string[];
  /** The corrections of local stamps; empty if no rows with such stamps were written. */
  readonly clock: readonly ClockPart[];
}

/**
 * Imports files into the store: all of them, or none if one is broken or contradicts another or the
 * store.
 * @throws HistoryError naming a file that is broken, unknown or contradicts the store; ConfigError
 * for options that do not fit; RunError if the store's disk is full or cannot be written
 */
export async function importFiles(store: HistoryStore, options: ImportOptions): Promise<Imported> {
  try {
    return await imported(store, options);
  } catch (error) {
    throw toDiskError(error, store.root) ?? error;
  }
}

async function imported(store: HistoryStore, options: ImportOptions): Promise<Imported> {
  store.folder({ market: options.market, kind: "trades" });
  dropDeadImports(store);
  const { cancellation } = options;
  const unpacked = importFolder(store);
  const lock = StoreLock.take(unpacked, "one import in a process at a time");
  try {
    // The checksums are computed from here on, while the database starts.
    const plain: UnpackedFile[] = [];
    for (const file of options.files) {
      options.onFile?.(file);
      const found = await unpack(file, unpacked, cancellation?.signal);
      refuseForeign(found);
      for (const each of found) plain.push(await withoutMark(each, unpacked));
      cancellation?.signal.throwIfAborted();
    }
    const duck = await Duck.open(store.spillFolder, options.limits);
    let again: Timer | undefined;
    const interrupt = (): void => {
      duck.interrupt();
      again = cancellation?.clock.setTimer(INTERRUPT_EVERY_MS, interrupt);
    };
    cancellation?.signal.addEventListener("abort", interrupt);
    try {
      cancellation?.signal.throwIfAborted();
      return await taken(store, duck, plain, unpacked, options);
    } finally {
      cancellation?.signal.removeEventListener("abort", interrupt);
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
  const found: {
    readonly plain: UnpackedFile;
    readonly shaped: ShapedFile;
    readonly leftOut: readonly LeftOutRow[];
    readonly lined: LinedFile | undefined;
  }[] = [];
  const mostDropped = options.repairs?.maxDropped ?? 0;
  const readable = new ReadableRows(duck, unpacked, mostDropped);
  const { mapping: first, mappings: further = [] } = options;
  const mappings = chooseMappings(files, [...(first === undefined ? [] : [first]), ...further]);
  for (const [index, plain] of files.entries()) {
    const lined = mostDropped === 0 ? undefined : readLineLayout(plain, mappings[index]);
    const file = await readable.withoutBadLines(plain, lined);
    found.push({
      ...(await readable.read(file, lined, (read) =>
        shapeFile(duck, read, { ...options, mapping: mappings[index] }),
      )),
      lined,
    });
  }
  const staged: StagedRows[] = [];
  for (const [index, first] of found.entries()) {
    const { lined } = first;
    const rows = await readable.read(first, lined, async (file) => {
      // A file without some rows has to be analysed again, for example the chain of a book.
      const read =
        file === first
          ? first
          : { ...(await shapeFile(duck, file, { ...options, mapping: mappings[index] })), lined };
      found[index] = read;
      const { kind, select, numbered, csv, json, text, isByMessage, messageRows } = read.shaped;
      const path = join(unpacked, `${index}.parquet`);
      const rules = importRules(kind);
      const { plain, leftOut } = read;
      const staging = {
        series: { market, kind },
        select,
        numbered,
        csv,
        text,
        isByMessage,
        messageRows,
        file: plain.file,
        path,
        rules,
        repairs: options.repairs,
        leftOut,
      };
      const exact =
        options.repairs?.round === true ? exactFields(json, kind, mappings[index]) : json;
      return withTextChecks(plain, () =>
        withExactNumbers(plain, exact, () => stageRows(duck, staging)),
      );
    });
    staged.push(rows);
  }
  const stamped = found.flatMap(({ plain, shaped }, index) => {
    const rows = staged[index];
    return rows?.isStamped !== true
      ? []
      : [{ file: plain.file, shaped: { ...shaped, select: rows.select } }];
  });
  const parts = await cleanClocks(duck, stamped, clock);
  await refuseImplausibleClocks(duck, stamped, parts);
  const note = parts.map(({ fromSeq, addedNs, smallestNs, isByHand }) => ({
    fromSeq: String(fromSeq),
    addedNs: String(addedNs),
    smallestNs: String(smallestNs),
    isByHand,
  }));
  for (const [index, { plain }] of found.entries()) {
    // If a file is written or replaced during the import, its parts do not belong together.
    if (!plain.isUnchanged())
      throw new HistoryError(plain.file, "changed while it was read", {
        expected: "a file that does not change: import a copy of it",
      });
    if (staged[index]?.rows === 0)
      throw new HistoryError(plain.file, "has no record", { expected: "at least one record" });
  }
  const changed = await findChangedSteps(
    duck,
    found.map(({ shaped: { kind } }, index) => ({ kind, rows: staged[index] as StagedRows })),
    {
      of: (kind) => store.inspect({ market, kind }).days,
      pathOf: (manifest) => store.dataPath(manifest, manifest.day),
    },
  );
  const done: (Omit<ImportedFile, "stayed"> & {
    readonly source: Pick<SourceNote, "sha256" | "reading">;
  })[] = [];
  const unchanged: string[] = [];
  let isStampWritten = false;
  const locks: StoreLock[] = [];
  const pending = new PendingDays(store, replace);
  try {
    for (const kind of new Set(found.map(({ shaped }) => shaped.kind)))
      locks.push(await store.open({ market, kind }));
    for (const [index, { plain, shaped }] of found.entries()) {
      const rows = staged[index] as StagedRows;
      const isStamped =
        parts.length > 0 && layoutFor(shaped.kind).columns.some(({ name }) => name === "recvNs");
      const findings = [
        ...shaped.findings,
        ...(await stagedFindings(duck, shaped.kind, rows)),
        ...(isStamped ? clockFindings(parts) : []),
        ...(changed.get(index) ?? []),
      ];
      const source = {
        sha256: await plain.sha256,
        reading: hashReading({
          shaped,
          mapping: mappings[index],
          repaired: rows,
          clock: isStamped ? clock : undefined,
        }),
      };
      const days = await prepareDays(pending, duck, {
        series: { market, kind: shaped.kind },
        rows,
        file: plain.file,
        source: {
          ...source,
          name: plain.name,
          isNumbered: shaped.isNumbered,
          isInContracts: shaped.isInContracts,
          hasNoSnapshot:
            shaped.kind === "book" && (await hasNoSnapshot(duck, rows)) ? true : undefined,
          clock: isStamped ? note : undefined,
          rounded: rows.rounded === 0 ? undefined : rows.rounded,
          dropped: rows.dropped === 0 ? undefined : rows.dropped,
          cutSnapshots: rows.gaps.cutSnapshots === 0 ? undefined : rows.gaps.cutSnapshots,
        },
        recvShift:
          isStamped && parts.some(({ addedNs }) => addedNs !== 0n) ? shiftSql(parts) : undefined,
        findings,
        lost: [...(shaped.lost ?? []), ...rows.gaps.lost],
        leftOut: rows.gaps.holes,
        chain: shaped.chain,
        isByMessage: shaped.isByMessage,
      });
      dropRows(rows);
      if (days.length === 0) {
        unchanged.push(plain.file);
        done.push({
          file: plain.file,
          kind: shaped.kind,
          rows: rows.rows,
          days,
          findings: [],
          rounded: 0,
          dropped: 0,
          source,
        });
        continue;
      }
      isStampWritten ||= isStamped;
      const again =
        rows.repeated === 0
          ? []
          : [`${rows.repeated} of its rows are duplicates: one of each is kept`];
      done.push({
        file: plain.file,
        kind: shaped.kind,
        rows: rows.rows,
        days,
        findings: [
          ...findings,
          ...again,
          ...(days.some(hasUncountedIds) ? [`its ids ${UNCOUNTED}`] : []),
        ],
        rounded: rows.rounded,
        dropped: rows.dropped,
        source,
      });
    }
    options.cancellation?.signal.throwIfAborted();
    pending.commit();
  } finally {
    pending.drop();
    for (const lock of locks) lock.release();
  }
  const known = done.map(({ source, ...file }) => ({
    ...file,
    days: asKnown(store, market, file),
    stayed: findDaysReadOtherwise(store, { market, kind: file.kind }, source),
  }));
  return { files: known, unchanged, clock: isStampWritten ? parts : [] };
}

/**
 * The days of a file as readers see them, now that the neighbouring days exist. Gaps between them
 * are reported at once.
 */
function asKnown(
  store: HistoryStore,
  market: MarketId,
  { kind, days }: Pick<ImportedFile, "kind" | "days">,
): readonly DayManifest[] {
  if (days.length === 0) return days;
  const known = new Map(
    store.inspect({ market, kind }).days.map((manifest) => [manifest.day, manifest]),
  );
  return days.map((manifest) => known.get(manifest.day) ?? manifest);
}

/**
 * The fields whose numbers have to be exact if decimals are rounded: all except the decimal ones,
 * which are read as text.
 */
function exactFields(
  json: JsonFields | undefined,
  kind: HistoryKind,
  mapping: Mapping | undefined,
): JsonFields | undefined {
  if (json === undefined) return undefined;
  const mapped =
    mapping === undefined
      ? undefined
      : new Set(decimalColumns(kind).map(({ name }) => mapping.columns[name]));
  const isRounded = (name: string, type: string): boolean =>
    mapped?.has(name) ?? type.startsWith("VARCHAR");
  return Object.fromEntries(Object.entries(json).filter(([name, type]) => !isRounded(name, type)));
}

/** Deletes the unpacked and staged files of killed imports. */
function dropDeadImports(store: HistoryStore): void {
  const staging = dirname(importFolder(store));
  makeFolder(staging);
  for (const name of readdirSync(staging)) {
    if (isDeadImport(store, name)) rmSync(join(staging, name), { recursive: true, force: true });
  }
}
