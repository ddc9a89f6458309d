import { rmSync } from "node:fs";
import { DAY_MS } from "../../core/units.js";
import { dayOf, msOfNs, NS_A_MS } from "../day.js";
import { settledSha256Of } from "../file-hash.js";
import type { ShapedFile, TypedCsv } from "../import/formats/shape.js";
import { oddNamed, type TextSql } from "../import/text/odd-values.js";
import { isPlainCsv } from "../import/text/plain-csv.js";
import { withRowNumbers } from "../import/text/row-numbers.js";
import { type DecimalGroup, isDecimal, layoutOf, type RowRule } from "../kinds.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, type Row, wholeOf } from "../store/duck.js";
import { copyRows, type FileNote, noteText, type Written } from "../store/parquet-copy.js";
import type { Series } from "../store/store.js";
import { type LeftOutGaps, NO_GAPS } from "./left-out-gaps.js";
import type { LeftOutRow } from "./left-out-rows.js";
import {
  castSql,
  type Decimals,
  decimalsOf,
  MOST_DIGITS,
  measure,
  parquetSql,
  reading,
  refuseBroken,
} from "./measure.js";
import { type Repaired, type Repairs, repairRows } from "./repair-rows.js";

/** Rows to be staged. */
interface Staging {
  readonly series: Series;
  /** SQL that gives the kind's columns, decimals as text; a `seq` of null is the row's number. */
  readonly select: string;
  /** The same with {@link ROW_NUMBER}, which takes longer: rows are repaired by it. Absent where the rows of `select` are the file's, one for one in its order. */
  readonly numbered?: string | undefined;
  /** How it is read where it is a plain CSV file. */
  readonly csv?: TypedCsv | undefined;
  /** For errors. */
  readonly file: string;
  /** Whether `seq` is the number of a message's first row: then it is no line that a row could be found by. */
  readonly isByMessage?: boolean | undefined;
  /** What its rows have to be, beside what all of their kind are. */
  readonly rules?: readonly RowRule[] | undefined;
  /** The source as it is written, to show what is no whole number. */
  readonly text?: TextSql | undefined;
  /** Where the staged rows go; what is there is written over. */
  readonly path: string;
  readonly grid?: DayManifest["grid"];
  /** What may be done to rows that would be refused; nothing if absent. */
  readonly repairs?: Repairs | undefined;
  /** Rows that are left out of the source already. */
  readonly leftOut?: readonly LeftOutRow[] | undefined;
  readonly messageRows?: ShapedFile["messageRows"];
}

/** A source's rows, read and checked, as Parquet in the order of the source until {@link dropRows}. */
export interface StagedRows extends Written, Repaired {
  readonly path: string;
  /** What the file says of itself: where a day's file has to say the same, it may become one. Undefined where it is not to be read as it is. */
  readonly note: string | undefined;
  readonly decimals: Decimals;
  /** SQL that gives the kind's columns. */
  readonly select: string;
  /** Whether they lie in the order of a day's file. */
  readonly isOrdered: boolean;
  /** Whether they do, and what tells one record from another ascends too, so that none comes twice; false for a kind without a key. */
  readonly isUnique: boolean;
  /** Whether each row told its place in the capture. */
  readonly isPlaced: boolean;
  /** Rows whose record another one of the same day is too, by what tells one from another. */
  readonly repeated: number;
  /** What tells one record from another, where records of different days have it alike. */
  readonly reused: ReusedKeys | undefined;
  /** What is not known for the rows that were left out. */
  readonly gaps: LeftOutGaps;
  /** Of the file, which is on the disk by then; undefined where it cannot become a day. */
  readonly sha256: string | undefined;
}

/** Ids that a source gives to records of different days. */
interface ReusedKeys {
  readonly ids: number;
  /** The least of them, with the first and the last day that has it. */
  readonly example: string;
}

/** Rows at a source's beginning that say how it is written: as many as the database hands on at once, since each is looked at as text. */
const SAMPLE_ROWS = 2048;
/** A file that is not plain is seldom so from here on alone. */
const SAMPLE_BYTES = 16_384;
/** What the database says where a row is not written as the first ones are. */
const OTHERWISE = "is not written as the first rows are";
const OTHER = `error('${OTHERWISE}')`;

/** SQL of a row's place in the capture as it is staged, and where it is from: what the row tells, its id, or the number that it has once it is staged. */
interface Place {
  readonly sql: string;
  readonly from: "row" | "id" | "number";
}

const BY_NUMBER: Place = { sql: "CAST(seq AS BIGINT)", from: "number" };

/** How the rows of a source are written, as far as its first ones tell. */
interface Writ {
  /** Places that the decimals need, and those that their texts have: who pads with zeros does so in every row. */
  readonly needed: Decimals;
  readonly written: Decimals;
  readonly place: Place;
  readonly firstNs: bigint | undefined;
}

/**
 * Reads a source once, as it comes, into a Parquet file. Decimals get as many places as its first rows need. The bytes of a CSV file are looked
 * through meanwhile for one that is not plain; of another source every text is held against the text of the
 * decimal that was made of it. A source with one that is written otherwise, such as with more places or with an exponent, is measured as
 * text and read again. So what is staged is exact either way.
 * @throws HistoryError naming the file, with the first row that cannot be.
 */
export async function stageRows(duck: Duck, staging: Staging): Promise<StagedRows> {
  return oddNamed(duck, staging.file, staging.text, () => staged(duck, staging));
}

async function staged(duck: Duck, staging: Staging): Promise<StagedRows> {
  const { select, file, path, series } = staging;
  try {
    const { repairs } = staging;
    if (repairs !== undefined && (repairs.round === true || (repairs.mostDropped ?? 0) > 0))
      return await stagedRepaired(duck, staging, repairs);
    const writ = await reading(file, () => writOf(duck, staging));
    const note = {
      ...series,
      day: writ.firstNs === undefined ? undefined : dayOf(msOfNs(writ.firstNs)),
      grid: staging.grid,
    };
    const first = { ...note, decimals: writ.needed };
    const isFirst = Object.values(writ.written).every((places) => places <= MOST_DIGITS);
    const asFirst = isFirst
      ? ((await asPlain(duck, staging, first, writ)) ?? (await asText(duck, staging, first, writ)))
      : undefined;
    if (asFirst !== undefined)
      return await lookedThrough(duck, staging, first, writ.place, asFirst);
    const exact = { ...note, decimals: await measure(duck, series.kind, select, file) };
    const written = await reading(file, () =>
      copyRows(duck, castSql(series.kind, select, exact.decimals), path, exact),
    );
    return await lookedThrough(duck, staging, exact, BY_NUMBER, written);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** The same where rows may be repaired: all are read as text. */
async function stagedRepaired(duck: Duck, staging: Staging, repairs: Repairs): Promise<StagedRows> {
  const { series, file, path, grid } = staging;
  const numbered = staging.numbered ?? `FROM ${withRowNumbers(`(${staging.select})`)}`;
  const { table, select, decimals, rounded, dropped, gaps } = await repairRows(
    duck,
    { ...staging, numbered },
    repairs,
  );
  try {
    const note = { ...series, day: undefined, grid, decimals };
    const written = await reading(file, () => copyRows(duck, select, path, note));
    return {
      ...(await lookedThrough(duck, staging, note, BY_NUMBER, written)),
      rounded,
      dropped,
      gaps,
    };
  } finally {
    await duck.run(`DROP TABLE ${table}`);
  }
}

/** Gives back what staged rows take. */
export function dropRows({ path }: StagedRows): void {
  rmSync(path, { force: true });
}

async function writOf(duck: Duck, { series, select }: Staging): Promise<Writ> {
  const decimals = decimalsOf(series.kind);
  const asked = decimals.flatMap(({ name }) => [
    `max(length(rtrim(split_part(${name}, '.', 2), '0'))) AS needed_${name}`,
    `max(length(split_part(${name}, '.', 2))) AS written_${name}`,
  ]);
  const [told, id] = [has(series, "seq") ? "count(seq)" : "0", has(series, "id") ? "id" : "NULL"];
  const found = await duck.row(
    `SELECT ${["count(*) AS total", `${told} AS told`, "first(timeNs) AS firstNs", `min(${id}) AS firstId`, `max(${id}) AS lastId`, ...asked].join(", ")} FROM (SELECT * FROM (${select}) LIMIT ${SAMPLE_ROWS})`,
  );
  const most = (what: string, group: DecimalGroup): number =>
    Math.max(
      0,
      ...decimals
        .filter(({ type }) => type === group)
        .map(({ name }) => Number(found[`${what}_${name}`] ?? 0)),
    );
  const all = (what: string): Decimals => ({
    price: most(what, "price"),
    amount: most(what, "amount"),
    rate: most(what, "rate"),
  });
  return {
    needed: all("needed"),
    written: all("written"),
    place: placeOf(found),
    firstNs:
      found.firstNs === null || found.firstNs === undefined ? undefined : wholeOf(found.firstNs),
  };
}

/** An exchange's ids without a gap count the rows: they are not counted once more, which only one thread could. */
function placeOf({ total, told, firstId, lastId }: Row): Place {
  if (wholeOf(told) === wholeOf(total))
    return { sql: `coalesce(CAST(seq AS BIGINT), ${OTHER})`, from: "row" };
  const isCount =
    wholeOf(told) === 0n &&
    lastId !== null &&
    wholeOf(lastId) - wholeOf(firstId) + 1n === wholeOf(total);
  return isCount
    ? {
        sql: `CASE WHEN seq IS NULL THEN CAST(id AS BIGINT) - (${wholeOf(firstId)}) + 1 ELSE ${OTHER} END`,
        from: "id",
      }
    : BY_NUMBER;
}

/** Writes a plain CSV file, read as numbers. @returns undefined where it is none, or not known to be one */
async function asPlain(
  duck: Duck,
  { series, csv, path, file }: Staging,
  note: FileNote,
  { needed, place }: Writ,
): Promise<Written | undefined> {
  if (csv === undefined) return undefined;
  const groups = new Map(decimalsOf(series.kind).map(({ name, type }) => [name, type]));
  const decimals = Object.fromEntries(
    Object.entries(csv.decimals).map(([theirs, ours]) => [
      theirs,
      needed[groups.get(ours) ?? "rate"],
    ]),
  );
  const types = Object.fromEntries(
    Object.entries(decimals).map(([name, digits]) => [name, `DECIMAL(${MOST_DIGITS},${digits})`]),
  );
  const places = { ...decimals, ...Object.fromEntries(csv.whole.map((name) => [name, 0])) };
  const isPlain = (most?: number): Promise<boolean> =>
    reading(file, () => isPlainCsv(csv, places, most));
  if (!(await isPlain(SAMPLE_BYTES))) return undefined;
  const rows = rowsSql(series, csv.select(types), place, (name) => name);
  const [written, plain] = await Promise.allSettled([copyRows(duck, rows, path, note), isPlain()]);
  if (plain.status === "rejected") throw plain.reason;
  // What the database refuses is told of the text.
  return plain.value && written.status === "fulfilled" ? written.value : undefined;
}

/** Writes the rows as the first ones are written. @returns undefined where one is not */
async function asText(
  duck: Duck,
  { series, select, file, path }: Staging,
  note: FileNote,
  { needed, written, place }: Writ,
): Promise<Written | undefined> {
  const typed = decimalsOf(series.kind).map(
    ({ name, type }) =>
      `TRY_CAST(${name} AS DECIMAL(${MOST_DIGITS},${needed[type]})) AS exact_${name}`,
  );
  const rows = rowsSql(
    series,
    `SELECT ${["*", ...typed].join(", ")} FROM (${select})`,
    place,
    (name, group) => {
      // One with so many zeros that it does not fit is measured.
      const text = `CAST(TRY_CAST(exact_${name} AS DECIMAL(${MOST_DIGITS},${written[group]})) AS VARCHAR)`;
      // Zeros at the end may be left out.
      return `CASE WHEN ${text} = ${name} THEN exact_${name} WHEN ${name} IS NULL THEN NULL WHEN starts_with(${text}, ${name}) THEN exact_${name} ELSE ${OTHER} END`;
    },
  );
  try {
    return await copyRows(duck, rows, path, note);
  } catch (error) {
    if (error instanceof Error && error.message.includes(OTHERWISE)) return undefined;
    return reading(file, () => Promise.reject(error));
  }
}

/** SQL of the kind's columns as they are stored. @param decimal SQL of a decimal. */
function rowsSql(
  { kind }: Series,
  select: string,
  place: Place,
  decimal: (name: string, group: DecimalGroup) => string,
): string {
  const columns = layoutOf(kind).columns.map(({ name, type }) => {
    if (isDecimal(type)) return `${decimal(name, type)} AS ${name}`;
    if (name === "seq") return `${place.sql} AS seq`;
    return `CAST(${name} AS ${type === "integer" ? "BIGINT" : type === "flag" ? "BOOLEAN" : "VARCHAR"}) AS ${name}`;
  });
  return `SELECT ${columns.join(", ")} FROM (${select})`;
}

/** @throws HistoryError naming the file, for rows that cannot be */
async function lookedThrough(
  duck: Duck,
  staging: Staging,
  note: FileNote,
  place: Place,
  written: Written,
): Promise<StagedRows> {
  const { series, path } = staging;
  const hasNumbers = has(series, "seq") && place.from === "number";
  // The database looks at the rows on a thread of its own.
  const sha256 = hasNumbers ? undefined : settledSha256Of(path);
  // It is heard below, unless the rows cannot be.
  sha256?.catch(() => undefined);
  const looked = await rowsLookedThrough(duck, staging, note, place, written);
  return { ...looked, sha256: await sha256 };
}

async function rowsLookedThrough(
  duck: Duck,
  { series, file, path, isByMessage = false, rules = [] }: Staging,
  note: FileNote,
  place: Place,
  written: Written,
): Promise<Omit<StagedRows, "sha256">> {
  const { order, key } = layoutOf(series.kind);
  const from = parquetSql(path);
  const isPlaced = has(series, "seq") && place.from !== "id" && !isByMessage;
  await refuseBroken(duck, series.kind, { path, factsOf: written.factsOf }, file, isPlaced, rules);
  const isById = place.from === "id";
  const number = isById ? "file_row_number + 1" : "coalesce(seq, file_row_number + 1)";
  const numbered = `SELECT * EXCLUDE (file_row_number) REPLACE (${number} AS seq) FROM ${parquetSql(path, "file_row_number = true")}`;
  const hasNumbers = has(series, "seq") && place.from === "number";
  const { ascends, isStrict } = await ascentOf(
    duck,
    hasNumbers ? `(${numbered})` : from,
    order.filter((name) => !(isById && name === "seq")),
    key,
  );
  const isDone = isById
    ? isStrict && wholeOf(written.lastId) - wholeOf(written.firstId) + 1n === BigInt(written.rows)
    : !hasNumbers;
  const isUnique = ascends && isStrict;
  return {
    ...written,
    path,
    isPlaced: !isById && written.factsOf("seq")?.nulls === 0,
    rounded: 0,
    dropped: 0,
    gaps: NO_GAPS,
    note: isDone ? noteText(note) : undefined,
    decimals: note.decimals,
    select: isDone ? `SELECT * FROM ${from}` : numbered,
    isOrdered: ascends,
    isUnique,
    ...(isUnique || key === undefined
      ? { repeated: 0, reused: undefined }
      : await repeatsIn(duck, from, key)),
  };
}

/** Records of one key join within a day: what is alike on different days is another record. */
async function repeatsIn(
  duck: Duck,
  from: string,
  key: readonly string[],
): Promise<Pick<StagedRows, "repeated" | "reused">> {
  const by = key.join(", ");
  const day = `timeNs // ${BigInt(DAY_MS) * NS_A_MS}`;
  const counted = await duck.row(
    `SELECT count(*) - count(DISTINCT (${by}, ${day})) AS repeated, count(DISTINCT (${by}, ${day})) - count(DISTINCT (${by})) AS reused FROM ${from}`,
  );
  const repeated = Number(counted.repeated);
  if (wholeOf(counted.reused) === 0n) return { repeated, reused: undefined };
  const alike = `SELECT ${key[0]} AS id, min(timeNs) AS firstNs, max(timeNs) AS lastNs FROM ${from} GROUP BY ${by} HAVING count(DISTINCT ${day}) > 1`;
  const { ids, id, firstNs, lastNs } = await duck.row(
    `SELECT count(*) AS ids, min(id) AS id, arg_min(firstNs, id) AS firstNs, arg_min(lastNs, id) AS lastNs FROM (${alike})`,
  );
  const dayText = (ns: unknown): string => dayOf(msOfNs(wholeOf(ns)));
  return {
    repeated,
    reused: {
      ids: Number(ids),
      example: `${key[0]} ${String(id)} on ${dayText(firstNs)} and ${dayText(lastNs)}`,
    },
  };
}

/** Whether rows ascend, and whether what tells one from another does, so that none comes twice. */
async function ascentOf(
  duck: Duck,
  from: string,
  order: readonly string[],
  [key]: readonly string[] = [],
): Promise<{ readonly ascends: boolean; readonly isStrict: boolean }> {
  const names = [...new Set([...order, ...(key === undefined ? [] : [key])])];
  const before = names.map((name) => `lag(${name}) OVER () AS before_${name}`);
  const falls = order.reduceRight(
    (rest, name) =>
      `(${name} < before_${name}${rest === "" ? "" : ` OR (${name} = before_${name} AND ${rest})`})`,
    "",
  );
  const again = key === undefined ? "true" : `${key} <= before_${key}`;
  const rows = `SELECT ${[...names, ...before].join(", ")} FROM ${from}`;
  const { odd } = await duck.row(
    `SELECT count(*) AS odd FROM (${rows}) WHERE ${key === undefined ? falls : `${falls} OR ${again}`}`,
  );
  if (wholeOf(odd) === 0n) return { ascends: true, isStrict: key !== undefined };
  const found = await duck.row(
    `SELECT coalesce(bool_or(${falls}), false) AS falls, coalesce(bool_or(${again}), false) AS again FROM (${rows})`,
  );
  return { ascends: found.falls === false, isStrict: key !== undefined && found.again === false };
}

function has({ kind }: Series, column: string): boolean {
  return layoutOf(kind).columns.some(({ name }) => name === column);
}
