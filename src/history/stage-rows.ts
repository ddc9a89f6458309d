import { type Duck, wholeOf } from "./duck.js";
import { type DecimalGroup, type HistoryKind, isDecimal, layoutOf } from "./kinds.js";
import { castSql, type Decimals, decimalsOf, MOST_DIGITS, measure, reading, refuseBroken } from "./measure.js";

/** A source's rows, read and checked, typed in a table of the database until {@link dropRows}. */
export interface StagedRows {
  readonly rows: number;
  /** Undefined where there is no row. */
  readonly firstNs: bigint | undefined;
  readonly lastNs: bigint | undefined;
  readonly decimals: Decimals;
  readonly table: string;
  /** SQL that gives the kind's columns from the table. */
  readonly select: string;
  /** Whether they lie in the order of a day's file. */
  readonly isOrdered: boolean;
  /** Whether they do, and what tells one record from another ascends too, so that none comes twice; false for a kind without a key. */
  readonly isUnique: boolean;
}

/** Rows at a source's beginning that say how its decimals are written. */
const SAMPLE_ROWS = 10_000;

/** Places of one kind of decimal: what the first rows need, and what a column is given. */
interface Places {
  readonly needed: number;
  readonly given: number;
}

/**
 * Reads a source once into a typed table. Decimals are given as many places as its first rows have, and every text is held against the decimal
 * that was made of it; a source with a text that is not its beginning, such as one of more places or with an exponent, is measured as text and
 * read again. So what is staged is exact either way.
 * @param select SQL that gives the kind's columns, decimals as text; a `seq` of null is the row's number.
 * @throws HistoryError naming the file, with the first row that cannot be.
 */
export async function stageRows(duck: Duck, kind: HistoryKind, select: string, file: string): Promise<StagedRows> {
  const table = duck.newTable();
  const places = await reading(file, () => firstPlaces(duck, kind, select));
  if (places !== undefined) {
    await reading(file, () => duck.run(`CREATE TEMP TABLE ${table} AS ${optimisticSql(kind, select, places)}`));
    const { odd } = await duck.row(`SELECT bool_or(isOdd) AS odd FROM ${table}`);
    if (odd !== true) return measureStaged(duck, kind, table, places, file);
    await duck.run(`DROP TABLE ${table}`);
  }
  const decimals = await measure(duck, kind, select, file);
  const exact = (group: DecimalGroup): Places => ({ needed: decimals[group], given: decimals[group] });
  const known = { price: exact("price"), amount: exact("amount"), rate: exact("rate") };
  await reading(file, () => duck.run(`CREATE TEMP TABLE ${table} AS ${castSql(kind, select, decimals)}`));
  return measureStaged(duck, kind, table, known, file);
}

/** Gives back what staged rows take. */
export async function dropRows(duck: Duck, { table }: StagedRows): Promise<void> {
  await duck.run(`DROP TABLE IF EXISTS ${table}`);
}

/** Undefined where one has more places than an int64 has digits. */
async function firstPlaces(duck: Duck, kind: HistoryKind, select: string): Promise<Readonly<Record<DecimalGroup, Places>> | undefined> {
  const decimals = decimalsOf(kind);
  const asked = decimals.flatMap(({ name }) => [
    `max(length(rtrim(split_part(${name}, '.', 2), '0'))) AS needed_${name}`,
    `max(length(split_part(${name}, '.', 2))) AS written_${name}`,
  ]);
  const found = await duck.row(`SELECT ${["count(*)", ...asked].join(", ")} FROM (SELECT * FROM (${select}) LIMIT ${SAMPLE_ROWS})`);
  const group = (wanted: DecimalGroup): Places => {
    const most = (what: string): number =>
      Math.max(0, ...decimals.filter(({ type }) => type === wanted).map(({ name }) => Number(found[`${what}_${name}`] ?? 0)));
    const [needed, written] = [most("needed"), most("written")];
    // Who pads with zeros writes as many places in every row.
    return { needed, given: written };
  };
  const places = { price: group("price"), amount: group("amount"), rate: group("rate") };
  return Object.values(places).every(({ given }) => given <= MOST_DIGITS) ? places : undefined;
}

/** The columns typed; `isOdd` where the text of a decimal is not the beginning of the decimal's own, and so may say something else. */
function optimisticSql(kind: HistoryKind, select: string, places: Readonly<Record<DecimalGroup, Places>>): string {
  const decimals = decimalsOf(kind);
  const typed = decimals.map(({ name, type }) => `TRY_CAST(${name} AS DECIMAL(${MOST_DIGITS},${places[type].given})) AS exact_${name}`);
  const odd = decimals.map(
    ({ name }) => `(${name} IS NOT NULL AND NOT coalesce(starts_with(CAST(exact_${name} AS VARCHAR), ${name}), false))`,
  );
  const columns = layoutOf(kind).columns.map(({ name, type }) => {
    if (isDecimal(type)) return `exact_${name} AS ${name}`;
    return `CAST(${name} AS ${type === "integer" ? "BIGINT" : type === "flag" ? "BOOLEAN" : "VARCHAR"}) AS ${name}`;
  });
  return `SELECT ${[...columns, `${odd.join(" OR ") || "false"} AS isOdd`].join(", ")} FROM (SELECT ${["*", ...typed].join(", ")} FROM (${select}))`;
}

/** @throws HistoryError naming the file, for rows that cannot be */
async function measureStaged(
  duck: Duck,
  kind: HistoryKind,
  table: string,
  places: Readonly<Record<DecimalGroup, Places>>,
  file: string,
): Promise<StagedRows> {
  const { rules } = layoutOf(kind);
  const decimals = decimalsOf(kind);
  // Whether a column needs more than so many places.
  const asked = decimals.flatMap(({ name, type }) => {
    const { needed, given } = places[type];
    return Array.from({ length: given - needed }, (_, more) => {
      const cut = needed + more;
      return `coalesce(bool_or(CAST(${name} AS DECIMAL(${MOST_DIGITS},${cut})) <> ${name}), false) AS past_${cut}_${name}`;
    });
  });
  const facts = [
    "count(*) AS total",
    "count(*) - count(timeNs) AS timeless",
    "min(timeNs) AS firstNs",
    "max(timeNs) AS lastNs",
    ...rules.flatMap(({ broken }, index) => [
      `count(*) FILTER (${broken}) AS broken_${index}`,
      `any_value(timeNs) FILTER (${broken}) AS at_${index}`,
    ]),
  ];
  const found = await duck.row(`SELECT ${[...facts, ...asked].join(", ")} FROM ${table}`);
  refuseBroken(kind, found, file);
  const group = (wanted: DecimalGroup): number => {
    let { needed } = places[wanted];
    const { given } = places[wanted];
    while (needed < given && decimals.some(({ name, type }) => type === wanted && found[`past_${needed}_${name}`] === true)) needed += 1;
    return needed;
  };
  const exact = { price: group("price"), amount: group("amount"), rate: group("rate") };
  const narrowed = decimals
    .filter(({ type }) => exact[type] < places[type].given)
    .map(({ name, type }) => `CAST(${name} AS DECIMAL(${MOST_DIGITS},${exact[type]})) AS ${name}`);
  const select = stagedSql(kind, table, narrowed);
  return {
    rows: Number(found.total),
    firstNs: found.firstNs === null ? undefined : wholeOf(found.firstNs),
    lastNs: found.lastNs === null ? undefined : wholeOf(found.lastNs),
    decimals: exact,
    table,
    select,
    ...(await orderOf(duck, kind, select)),
  };
}

function stagedSql(kind: HistoryKind, table: string, replaced: readonly string[] = []): string {
  const { columns } = layoutOf(kind);
  // The table has its rows in the order of the source.
  const numbered = columns.some(({ name }) => name === "seq") ? ["coalesce(seq, rowid + 1) AS seq"] : [];
  const replace = [...replaced, ...numbered];
  return `SELECT ${columns.map(({ name }) => name).join(", ")} FROM (SELECT *${replace.length === 0 ? "" : ` REPLACE (${replace.join(", ")})`} FROM ${table})`;
}

async function orderOf(duck: Duck, kind: HistoryKind, select: string): Promise<Pick<StagedRows, "isOrdered" | "isUnique">> {
  const { order, key } = layoutOf(kind);
  const names = [...new Set([...order, ...(key ?? [])])];
  const before = names.map((name) => `lag(${name}) OVER () AS before_${name}`);
  const falls = order.reduceRight(
    (rest, name) => `(${name} < before_${name}${rest === "" ? "" : ` OR (${name} = before_${name} AND ${rest})`})`,
    "",
  );
  const [first] = key ?? [];
  const again = first === undefined ? "true" : `${first} <= before_${first}`;
  const found = await duck.row(
    `SELECT coalesce(bool_or(${falls}), false) AS falls, coalesce(bool_or(${again}), false) AS again FROM (SELECT ${[...names, ...before].join(", ")} FROM (${select}))`,
  );
  const isOrdered = found.falls === false;
  return { isOrdered, isUnique: isOrdered && found.again === false };
}
