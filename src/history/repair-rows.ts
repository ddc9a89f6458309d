import { type Duck, identifier, literal, wholeOf } from "./duck.js";
import { HistoryError } from "./history-errors.js";
import { layoutOf, type RowRule } from "./kinds.js";
import {
  castSql,
  type Decimals,
  decimalsOf,
  INSTANTS,
  isNumberSql,
  MOST_DIGITS,
  measure,
  plainSql,
  reading,
  tooLongSql,
} from "./measure.js";
import type { Series } from "./store.js";

/** What may be done to rows that would be refused otherwise. */
export interface Repairs {
  /** Rounds decimals of more than 15 digits to 15, which is what a binary floating-point number holds of any decimal. */
  readonly round?: boolean | undefined;
  /** How many rows that cannot be used may be left out; 0 if absent. */
  readonly mostDropped?: number | undefined;
}

/** What was done to the rows of a file. */
export interface Repaired {
  /** Numbers, several in a row where it has several. */
  readonly rounded: number;
  /** Rows. */
  readonly dropped: number;
}

/** Rows that are repaired, until their table is dropped. */
export interface RepairedRows extends Repaired {
  readonly table: string;
  readonly decimals: Decimals;
  /** SQL of the kind's columns, as they are stored. */
  readonly select: string;
}

const FLOAT_DIGITS = 15;
const WIDE = `DECIMAL(38,${MOST_DIGITS})`;

/**
 * Reads a source into a table, with its decimals rounded and its bad rows left out, as far as that is chosen.
 * @throws HistoryError naming the file, for more bad rows than may be left out and for what cannot be read
 */
export async function repairRows(
  duck: Duck,
  {
    series,
    select,
    file,
    rules = [],
    leftOut = 0,
  }: {
    readonly series: Series;
    readonly select: string;
    readonly file: string;
    readonly rules?: readonly RowRule[] | undefined;
    /** Rows that are left out already, since they cannot be read. */
    readonly leftOut?: number | undefined;
  },
  { round = false, mostDropped = 0 }: Repairs,
): Promise<RepairedRows> {
  const { kind } = series;
  const names = decimalsOf(kind).map(({ name }) => name);
  const table = duck.newTable();
  const originals = names.map((name) => `${name} AS ${originalOf(name)}`);
  const plain = names.map((name) => `${round ? roundedSql(name) : plainSql(name)} AS ${name}`);
  const all = `SELECT ${["* REPLACE (", plain.join(", "), "), ", originals.join(", ")].join("")} FROM (${select})`;
  await reading(file, () => duck.run(`CREATE TEMP TABLE ${table} AS ${all}`));
  try {
    const total = await rowsIn(duck, table);
    // What is no decimal by itself cannot be measured beside the others.
    const unread = names.map((name) => `(${name} IS NOT NULL AND (NOT ${isNumberSql(name)} OR ${tooLongSql(name, round)}))`);
    if (mostDropped > 0) await duck.run(`DELETE FROM ${table} WHERE ${unread.join(" OR ")}`);
    const decimals = await measure(duck, kind, `SELECT * FROM ${table}`, file, round);
    const typed = castSql(kind, `SELECT * FROM ${table}`, decimals);
    const broken = [...INSTANTS, ...layoutOf(kind).rules, ...rules].map((rule) => `coalesce(${rule.broken}, false)`);
    const kept = mostDropped > 0 ? `SELECT * FROM (${typed}) WHERE NOT (${broken.join(" OR ")})` : typed;
    const left = await reading(file, async () => wholeOf((await duck.row(`SELECT count(*) AS total FROM (${kept})`)).total));
    const dropped = Number(total - left) + leftOut;
    if (dropped > mostDropped)
      throw new HistoryError(file, `${dropped} of ${Number(total) + leftOut} rows cannot be used, which is more than may be left out`, {
        value: mostDropped,
        expected: `--drop-bad-rows ${dropped}, or a file without them`,
      });
    return { table, decimals, select: kept, dropped, rounded: round ? await roundedIn(duck, file, table, kind, decimals) : 0 };
  } catch (error) {
    await duck.run(`DROP TABLE ${table}`);
    throw error;
  }
}

/** What an import says of it, also beside the days. */
export function repairFindings({ rounded, dropped }: Repaired): string[] {
  return [
    ...(rounded === 0 ? [] : [`${rounded} of its file's numbers were rounded (--round)`]),
    ...(dropped === 0 ? [] : [`${dropped} of its file's rows could not be used and were left out (--drop-bad-rows)`]),
  ];
}

async function rowsIn(duck: Duck, table: string): Promise<bigint> {
  return wholeOf((await duck.row(`SELECT count(*) AS total FROM ${table}`)).total);
}

async function roundedIn(duck: Duck, file: string, table: string, kind: string, decimals: Decimals): Promise<number> {
  const counts = decimalsOf(kind).map(({ name, type }) => {
    const stored = `TRY_CAST(${name} AS DECIMAL(${MOST_DIGITS},${decimals[type]}))`;
    return `count(*) FILTER (TRY_CAST(${plainSql(originalOf(name))} AS ${WIDE}) IS DISTINCT FROM CAST(${stored} AS ${WIDE}))`;
  });
  const { rounded } = await reading(file, () => duck.row(`SELECT ${counts.join(" + ")} AS rounded FROM ${table}`));
  return Number(rounded);
}

function originalOf(name: string): string {
  return identifier(`${name} as written`);
}

/** SQL of a decimal's text with at most as many digits as a double holds; what is no decimal is left as it is. */
function roundedSql(name: string): string {
  const text = plainSql(name);
  const digits = `length(ltrim(regexp_replace(split_part(lower(${text}), 'e', 1), '[^0-9]', '', 'g'), '0'))`;
  const rounded = `CAST(TRY_CAST(format(${literal(`{:.${FLOAT_DIGITS}g}`)}, TRY_CAST(${text} AS DOUBLE)) AS ${WIDE}) AS VARCHAR)`;
  return `CASE WHEN ${isNumberSql(text, true)} AND (${digits} > ${FLOAT_DIGITS} OR NOT ${isNumberSql(text)}) THEN coalesce(${rounded}, ${text}) ELSE ${text} END`;
}
