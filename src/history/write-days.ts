import { renameSync, rmSync, statSync } from "node:fs";
import { toMidnights } from "./cut-at-midnight.js";
import { DAY_MS, type Day, dayOf, NS_A_MS, startOfDay } from "./day.js";
import { type DayManifest, isWholeDay, missingText, type SourceNote } from "./day-manifest.js";
import { type Duck, wholeOf } from "./duck.js";
import { sha256Of, syncFile } from "./durable-file.js";
import { isHeld, ofDaySql, refuseCountedTwice, refuseOverlap, refusePaidTwice, seqHeardBefore } from "./held-day.js";
import { HistoryError } from "./history-errors.js";
import { freshSql, joinedSql, oneAKey, orderedSql } from "./join-rows.js";
import { intervalMsOf, intervalOf, layoutOf } from "./kinds.js";
import { type Decimals, MOST_DIGITS, parquetSql, reading } from "./measure.js";
import { copyRows, type FileNote, noteText, type Written } from "./parquet-copy.js";
import { PendingDays } from "./pending-days.js";
import { cutTo, type Span, unionOf, withoutSpans } from "./spans.js";
import type { StagedRows } from "./stage-rows.js";
import type { HistoryStore, Series } from "./store.js";

/** Rows on their way into the store. */
export interface Writing {
  readonly series: Series;
  readonly rows: StagedRows;
  /** For errors. */
  readonly file: string;
  readonly source: Omit<SourceNote, "rows" | "places">;
  /** SQL of what is added to `recvNs`. */
  readonly recvShift?: string;
  /** The time that these rows are all of; from the first row to the last where absent. */
  readonly covered?: readonly Span[];
  /** Of a book: the time in which it is not known, which is not covered whatever rows lie in it. */
  readonly lost?: readonly Span[];
  readonly grid?: DayManifest["grid"];
  readonly findings?: readonly string[];
  /** Whether `seq` is the number of a message's first row, and no place in a capture. */
  readonly isByMessage?: boolean;
}

/** Days that are asked of the staged file itself. */
const FEW_DAYS = 3;
const DAY_NS = BigInt(DAY_MS) * NS_A_MS;

/** Writes rows into the store at once. Who calls holds the series' lock. @throws as {@link prepareDays} does */
export async function writeDays(store: HistoryStore, duck: Duck, writing: Writing): Promise<DayManifest[]> {
  const pending = new PendingDays(store);
  try {
    const written = await prepareDays(pending, duck, writing);
    pending.commit();
    return written;
  } finally {
    pending.drop();
  }
}

/**
 * Writes rows to go into the store, day by day, each day whole or not at all. Rows that have a key join those that the day has; the messages
 * of a capture have none, so a span that another source covers is refused. Who calls holds the series' lock.
 * @returns the days that were written, ascending.
 * @throws HistoryError naming the file when two records of one key differ, or two sources overlap.
 */
export async function prepareDays(store: PendingDays, duck: Duck, writing: Writing): Promise<DayManifest[]> {
  const { series, rows, recvShift } = writing;
  const { firstNs, lastNs } = rows;
  const lastsMs = intervalMsOf(intervalOf(series.kind)) ?? 1;
  const first: Span[] = firstNs === undefined || lastNs === undefined ? [] : [[msOf(firstNs), msOf(lastNs) + lastsMs]];
  const reached =
    writing.covered ?? (intervalOf(series.kind) === "" ? await Promise.all(first.map((span) => toMidnights(duck, rows, span))) : first);
  const lost = reached.flatMap((span) => cutTo(writing.lost ?? [], span));
  const spans = withoutSpans(reached, lost);
  const within = daysOf([...spans, ...first]);
  // Nobody says of an import that a day without a record had none.
  const days = writing.covered === undefined && lastsMs <= DAY_MS && within.length > 2 ? await heldDays(duck, rows) : within;
  const shifted = recvShift === undefined ? rows.select : `SELECT * REPLACE (recvNs + (${recvShift}) AS recvNs) FROM (${rows.select})`;
  const lastSeq = new Map<Day, bigint>();
  for (const day of days) {
    const seq = await seqHeardBefore(store, duck, writing, day, shifted);
    if (seq !== undefined) {
      lastSeq.set(day, seq);
      continue;
    }
    await refuseOverlap(store, writing, day, cutTo(writing.covered ?? first, spanOf(day)));
    await refuseCountedTwice(store, duck, writing, day);
    await refusePaidTwice(store, duck, writing, day);
  }
  // After its last record a file says nothing, also not of what it had lost.
  const ended = { ...writing, lost };
  if (days.length <= FEW_DAYS) return writeEach(store, duck, ended, days, spans, shifted, lastSeq);
  // A file costs more to open than a day's rows to read.
  const table = duck.newTable();
  await reading(writing.file, () => duck.run(`CREATE TEMP TABLE ${table} AS ${shifted}`));
  try {
    return await writeEach(store, duck, ended, days, spans, `SELECT * FROM ${table}`, lastSeq);
  } finally {
    await duck.run(`DROP TABLE ${table}`);
  }
}

/** Writes the rows that a question gives, day by day. */
async function writeEach(
  store: PendingDays,
  duck: Duck,
  writing: Writing,
  days: readonly Day[],
  spans: readonly Span[],
  shifted: string,
  lastSeq: ReadonlyMap<Day, bigint>,
): Promise<DayManifest[]> {
  const written: DayManifest[] = [];
  for (const day of days) {
    const ofDay = days.length === 1 ? shifted : ofDaySql(shifted, day);
    const before = lastSeq.get(day);
    const fresh = before === undefined ? ofDay : `SELECT * REPLACE (seq + ${before} AS seq) FROM (${ofDay})`;
    const manifest = await writeDay(store, duck, writing, day, fresh, cutTo(spans, spanOf(day)));
    if (manifest !== undefined) written.push(manifest);
  }
  return written;
}

/** The days of which there is a row, ascending. */
async function heldDays(duck: Duck, { select }: StagedRows): Promise<Day[]> {
  const found = await duck.rows(`SELECT DISTINCT timeNs // ${DAY_NS} AS day FROM (${select}) ORDER BY 1`);
  return found.map(({ day }) => dayOf(Number(wholeOf(day)) * DAY_MS));
}

async function writeDay(
  store: PendingDays,
  duck: Duck,
  writing: Writing,
  day: Day,
  fresh: string,
  spans: readonly Span[],
): Promise<DayManifest | undefined> {
  const { series, rows, file, source, grid, findings = [] } = writing;
  const { key } = layoutOf(series.kind);
  const kept = store.day(series, day);
  if (kept !== undefined) {
    if (isHeld(kept, source)) return undefined;
    await store.verify(kept);
  }
  const decimals = kept === undefined ? rows.decimals : most(kept.decimals, rows.decimals);
  const nextPath = store.nextPath(series, day);
  const all = kept === undefined ? freshSql(series, fresh) : joinedSql(series, fresh, store.dataPath(series, day), decimals);
  const note = { ...series, day, decimals, grid: grid ?? kept?.grid };
  const copy = (select: string): Promise<Written> => reading(file, () => copyRows(duck, select, nextPath, note));
  const said: string[] = [];
  try {
    const mayRepeat = kept !== undefined || rows.repeated > 0;
    const isDone = kept === undefined && fresh === rows.select && isDayAlready(rows, note) && becomes(rows.path, nextPath);
    let written: Written = rows;
    if (key !== undefined && mayRepeat) {
      await refuseConflict(duck, series, all, key, file, day);
      written = await copy(orderedSql(series, oneAKey(series, all, key)));
    } else if (!isDone) written = await copy(kept === undefined && rows.isOrdered ? fresh : orderedSql(series, all));
    if (key?.[0] === "id" && (mayRepeat || !rows.isUnique) && !(await ascends(duck, nextPath, key)))
      said.push("ids do not ascend with time");
    // Where nothing was there, all that is there now was added, unless a key came twice.
    const isAllAdded = kept === undefined && rows.repeated === 0;
    const added = isAllAdded ? written.rows : Number((await duck.row(`SELECT count(*) AS total FROM (${fresh})`)).total);
    const covered = unionOf([...(kept?.covered ?? []), ...spans]).map(([from, to]): [number, number] => [from, to]);
    const lost = unionOf([...(kept?.lost ?? []), ...cutTo(writing.lost ?? [], spanOf(day))]).map(([from, to]): [number, number] => [
      from,
      to,
    ]);
    const missingCandles = missingBars(series, covered, written.rows);
    if (missingCandles !== undefined) said.push(missingText(missingCandles));
    const before = kept?.missingCandles === undefined ? undefined : missingText(kept.missingCandles);
    const isAsStaged = written === rows;
    if (!isAsStaged) syncFile(nextPath);
    const manifest: DayManifest = {
      format: 2,
      ...series,
      day,
      complete: isWholeDay(day, covered),
      covered,
      ...(lost.length === 0 ? {} : { lost }),
      rows: written.rows,
      firstNs: written.firstNs === undefined ? null : String(written.firstNs),
      lastNs: written.lastNs === undefined ? null : String(written.lastNs),
      bytes: statSync(nextPath).size,
      sha256: (isAsStaged ? rows.sha256 : undefined) ?? (await sha256Of(nextPath)),
      decimals,
      ...(note.grid === undefined ? {} : { grid: note.grid }),
      sources: [...(kept?.sources ?? []), { ...source, ...placesOf(writing), rows: added }],
      ...(written.lastId === undefined ? {} : { lastId: String(written.lastId) }),
      ...(missingCandles === undefined ? {} : { missingCandles }),
      findings: [...new Set([...(kept?.findings ?? []).filter((finding) => finding !== before), ...findings, ...said])],
    };
    store.put(manifest, nextPath);
    return manifest;
  } catch (error) {
    rmSync(nextPath, { force: true });
    throw (kept === undefined ? undefined : tooManyDigits(error, writing, kept, decimals)) ?? error;
  }
}

/** A day counts all its prices, and all its amounts, in one last place: what a file holds by itself may not fit beside what is there. @returns undefined for another error */
function tooManyDigits(error: unknown, { series, rows, file }: Writing, kept: DayManifest, decimals: Decimals): HistoryError | undefined {
  const [, value] = (error instanceof Error ? /Casting value "([^"]+)" to type DECIMAL.* out of range/.exec(error.message) : null) ?? [];
  if (value === undefined) return undefined;
  const placesOf = (of: Decimals): string => `${of.price} of prices and ${of.amount} of amounts`;
  return new HistoryError(file, `${series.kind} of ${kept.day} need too many digits beside those that are there`, {
    value: `${value} in the places of both, ${placesOf(decimals)}: the file has ${placesOf(rows.decimals)}, what is there ${placesOf(kept.decimals)}`,
    expected: `at most ${MOST_DIGITS} digits together, before the point and past it; --replace drops what the day has`,
    cause: error,
  });
}

/** Whether staged rows are what the file of a day would be made to hold. */
function isDayAlready({ isOrdered, repeated, note }: StagedRows, wanted: FileNote): boolean {
  return isOrdered && repeated === 0 && note === noteText(wanted);
}

/** Gives a file another name. @returns false where that is on another disk */
function becomes(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EXDEV") return false;
    throw error;
  }
}

async function ascends(duck: Duck, path: string, [key]: readonly string[]): Promise<boolean> {
  const found = await duck.row(
    `SELECT count(*) AS total FROM (SELECT ${key} AS this, lag(${key}) OVER () AS before FROM ${parquetSql(path)}) WHERE this <= before`,
  );
  return wholeOf(found.total) === 0n;
}

async function refuseConflict(duck: Duck, { kind }: Series, all: string, key: readonly string[], file: string, day: Day): Promise<void> {
  const told = layoutOf(kind)
    .columns.map(({ name }) => name)
    .filter((name) => !["recvNs", "seq", "status", ...key].includes(name));
  const [conflict] = await reading(file, () =>
    duck.rows(
      `SELECT ${key[0]} AS which, min((${told.join(", ")})::VARCHAR) AS one, max((${told.join(", ")})::VARCHAR) AS other FROM (${all}) GROUP BY ${key.join(", ")} HAVING count(DISTINCT (${told.join(", ")})) > 1 LIMIT 1`,
    ),
  );
  if (conflict === undefined) return;
  throw new HistoryError(file, `${kind} of ${day}: two records of ${key[0]} ${String(conflict.which)} differ`, {
    value: `${String(conflict.one)} and ${String(conflict.other)}`,
    expected: `one ${told.join(", ")}; --replace drops what the store has`,
  });
}

/** What candles say of minutes without trades: nothing, where their source leaves them out. */
function missingBars({ kind }: Series, covered: readonly Span[], rows: number): DayManifest["missingCandles"] {
  const intervalMs = intervalMsOf(intervalOf(kind));
  if (intervalMs === undefined || intervalMs > DAY_MS) return undefined;
  const bars = covered.reduce((total, [from, to]) => total + Math.floor(to / intervalMs) - Math.ceil(from / intervalMs), 0);
  return rows < bars ? { missing: bars - rows, of: bars } : undefined;
}

function placesOf({ series, rows, isByMessage = false }: Writing): Pick<SourceNote, "places"> {
  if (!layoutOf(series.kind).columns.some(({ name }) => name === "seq")) return {};
  return { places: rows.isPlaced && !isByMessage ? "told" : "counted" };
}

function most(one: Decimals, other: Decimals): Decimals {
  return {
    price: Math.max(one.price, other.price),
    amount: Math.max(one.amount, other.amount),
    rate: Math.max(one.rate, other.rate),
  };
}

function daysOf(spans: readonly Span[]): Day[] {
  const days: Day[] = [];
  for (const [from, to] of unionOf(spans.flatMap(([start, end]): Span[] => [[Math.floor(start / DAY_MS), Math.ceil(end / DAY_MS)]]))) {
    for (let day = from; day < to; day++) days.push(dayOf(day * DAY_MS));
  }
  return days;
}

function spanOf(day: Day): Span {
  const startMs = startOfDay(day);
  return [startMs, startMs + DAY_MS];
}

function msOf(ns: bigint): number {
  return Number(ns / NS_A_MS);
}
