import { renameSync, rmSync, statSync } from "node:fs";
import { syncPath } from "../../core/files/atomic-file.js";
import { DAY_MS } from "../../core/units.js";
import { type Day, nsToMs } from "../day.js";
import { hashFile } from "../file-hash.js";
import { HistoryError } from "../history-errors.js";
import { intervalFor, intervalToMs, layoutFor } from "../kinds.js";
import { clipSpans, daySpan, findGaps, mergeSpans, type Span, subtractSpans } from "../spans.js";
import {
  type BookStretch,
  type DayManifest,
  isFromExchange,
  missingText,
  missingTradesText,
  type SourceNote,
} from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";
import type { Series } from "../store/history-store.js";
import { copyRows, type FileNote, noteText, type Written } from "../store/parquet-copy.js";
import type { PendingDays } from "../store/pending-days.js";
import type { StoreWrite } from "../store/store-write.js";
import { candleHoles } from "./candle-holes.js";
import { type Decimals, MOST_DIGITS, parquetSql, withReadErrors } from "./decimal-places.js";
import { holdsFile } from "./existing-day.js";
import { deduplicateSql, freshSql, joinedSql, orderedSql } from "./join-rows.js";
import type { StagedRows } from "./stage-rows.js";
import { tradeIds } from "./trade-ids.js";

/** The rows of one day. */
interface DayPart {
  readonly day: Day;
  /** SQL of the day's rows. */
  readonly fresh: string;
  /** The covered spans of the day. */
  readonly spans: readonly Span[];
}

/** The path and the inputs of a day's file. */
interface DayFile extends DayPart {
  readonly path: string;
  readonly kept: DayManifest | undefined;
  readonly note: FileNote;
}

/**
 * Writes the rows of a day, merged with the existing rows, completely or not at all.
 * @returns undefined if the day holds these very rows already.
 * @throws HistoryError naming the file when two records of one key differ, or need too many digits
 * together.
 */
export async function writeDay(
  store: PendingDays,
  duck: Duck,
  writing: StoreWrite,
  part: DayPart,
): Promise<DayManifest | undefined> {
  const { series, rows, source } = writing;
  const { day } = part;
  const kept = store.day(series, day);
  if (kept !== undefined) {
    if (holdsFile(kept, source)) return undefined;
    await store.verify(kept);
  }
  const decimals = kept === undefined ? rows.decimals : most(kept.decimals, rows.decimals);
  const path = store.nextPath(series, day);
  const file = {
    ...part,
    path,
    kept,
    note: { ...series, day, decimals, grid: finestOf(kept?.grid, writing.grid) },
  };
  try {
    const written = await fileMade(store, duck, writing, file);
    const manifest = await manifestOf(duck, writing, file, written);
    store.put(manifest, path);
    return manifest;
  } catch (error) {
    rmSync(path, { force: true });
    throw (kept === undefined ? undefined : tooManyDigits(error, writing, kept, decimals)) ?? error;
  }
}

/**
 * A day's steps, if the market's steps changed within it: the finer ones, since most values on the
 * coarser grid also lie on it.
 */
function finestOf(kept: DayManifest["grid"], grid: DayManifest["grid"]): DayManifest["grid"] {
  if (kept === undefined || grid === undefined) return grid ?? kept;
  const finer = (one: string, other: string): string => (Number(one) < Number(other) ? one : other);
  return {
    tickSize: finer(kept.tickSize, grid.tickSize),
    stepSize: finer(kept.stepSize, grid.stepSize),
  };
}

/**
 * Makes a day's file. The staged file becomes it if it holds exactly the day.
 * @returns the staged rows themselves if it did
 */
async function fileMade(
  store: PendingDays,
  duck: Duck,
  { series, rows, file }: StoreWrite,
  made: DayFile,
): Promise<Written> {
  const { day, fresh, path, kept, note } = made;
  const { key } = layoutFor(series.kind);
  const all =
    kept === undefined
      ? freshSql(series, fresh)
      : joinedSql(series, fresh, store.dataPath(series, day), note.decimals);
  const copy = (select: string): Promise<Written> =>
    withReadErrors(file, () => copyRows(duck, select, path, note));
  if (key !== undefined && mayRepeat(rows, kept)) {
    await refuseConflict(duck, series, all, key, file, day);
    return copy(orderedSql(series, deduplicateSql(series, all, key)));
  }
  if (
    kept === undefined &&
    fresh === rows.select &&
    isDayAlready(rows, note) &&
    renameFile(rows.path, path)
  )
    return rows;
  return copy(kept === undefined && rows.isOrdered ? fresh : orderedSql(series, all));
}

/** True if a record may occur twice. */
function mayRepeat({ repeated }: StagedRows, kept: DayManifest | undefined): boolean {
  return kept !== undefined || repeated > 0;
}

async function manifestOf(
  duck: Duck,
  writing: StoreWrite,
  made: DayFile,
  written: Written,
): Promise<DayManifest> {
  const { series, rows, source } = writing;
  const { day, path, kept, note } = made;
  const covered = mergeSpans([...(kept?.covered ?? []), ...made.spans]);
  const lost = mergeSpans([...(kept?.lost ?? []), ...clipSpans(writing.lost ?? [], daySpan(day))]);
  const sources = [...(kept?.sources ?? []), source];
  const leftOut = leftOutOf(writing, made);
  const lacking = await lackingIn(duck, series, { path, covered, written, sources, leftOut });
  const before = new Set(textsOf(kept ?? {}));
  const findings = new Set(kept?.findings.filter((finding) => !before.has(finding)));
  for (const finding of writing.findings ?? []) findings.add(finding);
  if (!(await idsAscend(duck, writing, made))) findings.add("ids do not ascend with time");
  for (const finding of textsOf(lacking)) findings.add(finding);
  // Without existing rows, all rows of the day were added, unless a key came twice.
  const added = mayRepeat(rows, kept)
    ? Number((await duck.row(`SELECT count(*) AS total FROM (${made.fresh})`)).total)
    : written.rows;
  const isAsStaged = written === rows;
  if (!isAsStaged) syncPath(path);
  return {
    format: 2,
    ...series,
    day,
    complete: findGaps(subtractSpans(covered, lacking.holes ?? []), daySpan(day)).length === 0,
    covered,
    lost: lost.length === 0 ? undefined : lost,
    holes: lacking.holes,
    leftOut: leftOut.length === 0 ? undefined : leftOut,
    ids: lacking.ids,
    chain: series.kind === "book" ? chainOf(writing, day, kept) : undefined,
    rows: written.rows,
    firstNs: written.firstNs === undefined ? null : String(written.firstNs),
    lastNs: written.lastNs === undefined ? null : String(written.lastNs),
    bytes: statSync(path).size,
    sha256: (isAsStaged ? rows.sha256 : undefined) ?? (await hashFile(path)),
    decimals: note.decimals,
    grid: note.grid,
    sources: [...(kept?.sources ?? []), { ...source, ...placesOf(writing), rows: added }],
    lastId: written.lastId === undefined ? undefined : String(written.lastId),
    missingCandles: lacking.missingCandles,
    findings: [...findings],
  };
}

/** The missing data of a day by its own rows, as in its manifest. */
type MissingRows = Pick<DayManifest, "holes" | "ids" | "missingCandles">;

/** The missing data of a whole day, from the rows of all its sources. */
async function lackingIn(
  duck: Duck,
  { kind }: Series,
  day: {
    readonly path: string;
    readonly covered: readonly Span[];
    readonly written: Written;
    readonly sources: readonly Pick<SourceNote, "name" | "sha256" | "isNumbered">[];
    readonly leftOut: readonly Span[];
  },
): Promise<MissingRows> {
  const { path, covered, written, sources, leftOut } = day;
  if (kind === "trades") {
    // An exchange reports itself what its list lacks, and row numbers have no gaps.
    const canFindHoles = sources.every(
      (source) => !isFromExchange(source) && source.isNumbered !== true,
    );
    const { ids, holes } = canFindHoles
      ? await tradeIds(duck, path, written, leftOut)
      : { ids: undefined, holes: [] };
    return { ids, holes: mergeSpans([...holes, ...leftOut]) };
  }
  const intervalMs = intervalToMs(intervalFor(kind));
  if (intervalMs === undefined) return leftOut.length === 0 ? {} : { holes: [...leftOut] };
  // A candle longer than a day covers days without a row of their own, and only its own duration.
  if (intervalMs > DAY_MS || written.rows >= candlesIn(covered, intervalMs)) return { holes: [] };
  const starts = await duck.rows(`SELECT timeNs FROM ${parquetSql(path)} ORDER BY timeNs`);
  const { holes, count } = candleHoles(
    kind,
    covered,
    starts.map(({ timeNs }) => nsToMs(toBigInt(timeNs))),
    leftOut,
  );
  return { holes: [...holes], missingCandles: count };
}

/** The findings that name the missing data. */
function textsOf({
  ids,
  missingCandles: candles,
}: Pick<MissingRows, "ids" | "missingCandles">): string[] {
  return [
    ...(ids === undefined || ids.missing === 0 ? [] : [missingTradesText(ids)]),
    ...(candles === undefined ? [] : [missingText(candles)]),
  ];
}

/** The time of omitted rows; another file of the same time may have them. */
function leftOutOf({ leftOut = [] }: StoreWrite, { kept, day, spans }: DayFile): Span[] {
  const fresh = clipSpans(leftOut, daySpan(day));
  const held = subtractSpans(kept?.covered ?? [], kept?.leftOut ?? []);
  return mergeSpans([
    ...subtractSpans(kept?.leftOut ?? [], subtractSpans(spans, fresh)),
    ...subtractSpans(fresh, held),
  ]);
}

/** The stretches of a day's book, with those of the added rows. */
function chainOf(
  { chain = [], source }: StoreWrite,
  day: Day,
  kept: DayManifest | undefined,
): readonly BookStretch[] | undefined {
  // An earlier version stored no chain, so the end of its rows is unknown.
  if (kept !== undefined && kept.chain === undefined) return undefined;
  const fresh = chain.flatMap(({ day: its, ...stretch }) =>
    its === day ? [{ ...stretch, file: source.sha256 ?? "" }] : [],
  );
  return [...(kept?.chain ?? []), ...fresh].sort((one, other) => one.span[0] - other.span[0]);
}

/**
 * True if ids ascend with time in a day of a kind with ids; not queried if the staged rows showed
 * it.
 */
async function idsAscend(
  duck: Duck,
  { series, rows }: StoreWrite,
  { path, kept }: DayFile,
): Promise<boolean> {
  const [key] = layoutFor(series.kind).key ?? [];
  if (key !== "id" || (rows.isUnique && !mayRepeat(rows, kept))) return true;
  const found = await duck.row(
    `SELECT count(*) AS total FROM (SELECT id AS this, lag(id) OVER () AS before FROM ${parquetSql(path)}) WHERE this <= before`,
  );
  return toBigInt(found.total) === 0n;
}

/**
 * The error for decimals that do not fit together. A day counts all its prices, and all its
 * amounts, in one last place, so the decimals of a file may not fit beside the existing ones.
 * @returns undefined for another error
 */
function tooManyDigits(
  error: unknown,
  { series, rows, file }: StoreWrite,
  kept: DayManifest,
  decimals: Decimals,
): HistoryError | undefined {
  const [, value] =
    (error instanceof Error
      ? /Casting value "([^"]+)" to type DECIMAL.* out of range/.exec(error.message)
      : null) ?? [];
  if (value === undefined) return undefined;
  const placesOf = (of: Decimals): string => `${of.price} of prices and ${of.amount} of amounts`;
  return new HistoryError(
    file,
    `${series.kind} of ${kept.day} need too many digits together with the stored ones`,
    {
      value: `${value} with the decimal places of both, ${placesOf(decimals)}: the file has ${placesOf(rows.decimals)}, the store ${placesOf(kept.decimals)}`,
      expected: `at most ${MOST_DIGITS} digits before and after the point together; --replace removes the stored day first`,
      cause: error,
    },
  );
}

/** True if the staged rows are exactly the contents of the day's file. */
function isDayAlready({ isOrdered, repeated, note }: StagedRows, wanted: FileNote): boolean {
  return isOrdered && repeated === 0 && note === noteText(wanted);
}

/** Renames a file. @returns false if the target is on another disk */
function renameFile(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EXDEV") return false;
    throw error;
  }
}

async function refuseConflict(
  duck: Duck,
  { kind }: Series,
  all: string,
  key: readonly string[],
  file: string,
  day: Day,
): Promise<void> {
  const compared = layoutFor(kind)
    .columns.map(({ name }) => name)
    .filter((name) => !["recvNs", "seq", "status", ...key].includes(name));
  const [conflict] = await withReadErrors(file, () =>
    duck.rows(
      `SELECT ${key[0]} AS which, min((${compared.join(", ")})::VARCHAR) AS one, max((${compared.join(", ")})::VARCHAR) AS other, min(origin) AS origin FROM (${all}) GROUP BY ${key.join(", ")} HAVING count(DISTINCT (${compared.join(", ")})) > 1 LIMIT 1`,
    ),
  );
  if (conflict === undefined) return;
  const withoutId =
    kind === "trades" ? ": a mapping without id keeps both and numbers the rows" : "";
  const way =
    conflict.origin === 1
      ? `the file itself has both${withoutId}`
      : "--replace removes the stored day first";
  throw new HistoryError(
    file,
    `${kind} of ${day}: two records of ${key[0]} ${String(conflict.which)} differ`,
    {
      value: `${String(conflict.one)} and ${String(conflict.other)}`,
      expected: `one ${compared.join(", ")}; ${way}`,
    },
  );
}

function candlesIn(covered: readonly Span[], intervalMs: number): number {
  return covered.reduce(
    (total, [from, to]) => total + Math.floor(to / intervalMs) - Math.ceil(from / intervalMs),
    0,
  );
}

function placesOf({ series, rows, isByMessage = false }: StoreWrite): Pick<SourceNote, "places"> {
  if (!layoutFor(series.kind).columns.some(({ name }) => name === "seq")) return {};
  return { places: rows.isPlaced && !isByMessage ? "told" : "counted" };
}

function most(one: Decimals, other: Decimals): Decimals {
  return {
    price: Math.max(one.price, other.price),
    amount: Math.max(one.amount, other.amount),
    rate: Math.max(one.rate, other.rate),
  };
}
