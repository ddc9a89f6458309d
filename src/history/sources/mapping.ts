import { z } from "zod";
import { checkShape } from "../../core/config-shape.js";
import { loadYamlFile } from "../../core/config-yaml.js";
import { ConfigError } from "../../core/errors.js";
import { type Duck, identifier, literal } from "../duck.js";
import { type HistoryKind, layoutOf } from "../kinds.js";
import { parquetSql } from "../measure.js";
import type { PlainFile } from "../plain-file.js";
import { MESSAGE, messagesSql, PLACE } from "./book-messages.js";
import { withInterval } from "./candle-interval.js";
import type { JsonFields } from "./json-numbers.js";
import { mappedChain, tellsChain } from "./mapped-chain.js";
import { marketColumn, marketSql, marketsSql } from "./market-column.js";
import { describedBy, requireReadDecimals, roundedStamps } from "./parquet-types.js";
import { csvSql, ndjsonSql } from "./reading-sql.js";
import { numbered, numberSql, type ShapedFile, type Writ } from "./shape.js";
import { bidSql, flagSql, takerSql } from "./sides.js";
import { stampSql, TIME_UNITS } from "./stamps.js";
import { wholeSql } from "./whole-numbers.js";

const mappingSchema = z.strictObject({
  /** A kind of history; `klines` alone takes its interval from the data. */
  kind: z.string(),
  /** Our columns, each with the file's; `side` may stand for isBuyerMaker (the taker's side) and isBid. */
  columns: z.record(z.string(), z.string()),
  timeUnit: z.enum(TIME_UNITS).default("ms"),
  recvTimeUnit: z.enum(TIME_UNITS).optional(),
});

/** Which column of a file is which of ours. */
export type Mapping = z.output<typeof mappingSchema>;

/** A mapping as a user gives it, checked. @throws ConfigError for a field that is wrong or missing */
export function checkMapping(value: unknown): Mapping {
  const mapping = checkShape(mappingSchema, value, { at: ["mapping"] });
  const kind = mapping.kind === "klines" || mapping.kind === "mark-klines" ? `${mapping.kind}-1M` : mapping.kind;
  const known = namesOf(kind);
  for (const name of Object.keys(mapping.columns)) {
    if (!known.includes(name))
      throw new ConfigError(`is no column of ${mapping.kind}`, {
        field: `mapping.columns.${name}`,
        value: name,
        expected: known.join(", "),
      });
  }
  for (const name of requiredOf(kind)) {
    const isGiven = name.split("|").some((one) => Object.hasOwn(mapping.columns, one));
    if (!isGiven)
      throw new ConfigError("is missing", {
        field: `mapping.columns.${name.split("|")[0]}`,
        expected: `the file's column that holds ${name.replace("|", " or ")}`,
      });
  }
  return mapping;
}

/** Reads a mapping from a YAML file. @throws ConfigError when it is none */
export function loadMapping(path: string): Mapping {
  return checkMapping(loadYamlFile(path).value);
}

/** A file of any columns. @param names of its columns, or of its first record's fields, where its first line tells them. @param symbol the one market of a file of several, whose chain of sequences is looked at. @returns undefined where candles are too few to tell their interval. @throws ConfigError for a column that the file lacks */
export async function mappedShape(
  duck: Duck,
  { path, file }: Pick<PlainFile, "path" | "file">,
  writ: Writ,
  names: readonly string[],
  mapping: Mapping,
  symbol?: string,
): Promise<ShapedFile | undefined> {
  const kind: HistoryKind = mapping.kind === "klines" || mapping.kind === "mark-klines" ? `${mapping.kind}-1M` : mapping.kind;
  const held = writ.writ === "parquet" ? await columnsOf(duck, path) : names;
  if (writ.writ === "parquet") await requireReadDecimals(duck, path, file, Object.values(mapping.columns));
  const market = marketColumn(held);
  const table = tableSql(path, writ, mapping, file, held, market);
  const shared = [
    ...["time", "recvTime", "isSnapshot", ...SEQUENCES].flatMap((name) => mapping.columns[name] ?? []),
    ...(market === undefined ? [] : [market]),
  ];
  const from = kind === "book" ? messagesSql(table, shared) : table;
  const given = (name: string): string | undefined => {
    const column = mapping.columns[name];
    if (column === undefined) return undefined;
    const text = `CAST(${identifier(column)} AS VARCHAR)`;
    return writ.writ === "parquet" ? withZeroSql(text) : text;
  };
  const unit = mapping.timeUnit;
  const timeNs = stampSql(mapping.columns.time as string, given("time") as string, unit);
  const timeSql = `${timeNs} AS timeNs`;
  const hasNumbers = kind === "trades" && given("id") === undefined;
  const [first] = hasNumbers ? await duck.rows(`SELECT ${timeSql} FROM ${from} LIMIT 1`) : [];
  const { recvTime, side: sideColumn } = mapping.columns;
  const wholeOf = (name: string): string => {
    const [column, text] = [mapping.columns[name], given(name)];
    return column === undefined || text === undefined ? "CAST(NULL AS BIGINT)" : wholeSql(text, column);
  };
  const snapshot = given("isSnapshot");
  const isSnapshot = snapshot === undefined ? "false" : flagSql(mapping.columns.isSnapshot as string, snapshot);
  const selected = layoutOf(kind).columns.map(({ name, type }) => {
    const side = given("side");
    if (name === "timeNs") return timeSql;
    if (name === "recvNs")
      return `${recvTime === undefined ? "CAST(NULL AS BIGINT)" : stampSql(recvTime, given("recvTime") as string, mapping.recvTimeUnit ?? unit)} AS recvNs`;
    if (name === "seq") return `${kind === "book" ? MESSAGE : "CAST(NULL AS BIGINT)"} AS seq`;
    if (name === "level") return `${kind === "book" ? PLACE : 0} AS level`;
    if (name === "id" && given("id") === undefined) return `${numberSql(first)} AS id`;
    if (name === "isSnapshot") return `${isSnapshot} AS isSnapshot`;
    if (name === "isBuyerMaker" && given(name) === undefined)
      return `${side === undefined ? "CAST(NULL AS BOOLEAN)" : takerSql(sideColumn as string, side)} AS isBuyerMaker`;
    if (name === "isBid" && given(name) === undefined) return `${bidSql(sideColumn as string, side as string)} AS isBid`;
    const column = given(name);
    if (type === "integer") return `${wholeOf(name)} AS ${identifier(name)}`;
    if (type === "flag" && column !== undefined) return `${flagSql(mapping.columns[name] as string, column)} AS ${identifier(name)}`;
    const sqlType = type === "flag" ? "BOOLEAN" : "VARCHAR";
    return `CAST(${column ?? "NULL"} AS ${sqlType}) AS ${identifier(name)}`;
  });
  const select = `SELECT ${selected.join(", ")} FROM ${from}`;
  const stamps = writ.writ === "parquet" ? await roundedStamps(duck, path, file, [mapping.columns.time, recvTime]) : [];
  const said = hasNumbers ? numbered("it has no ids") : { findings: [] };
  const shaped = mapping.kind.endsWith("klines")
    ? await withInterval(duck, { select, file }, mapping.kind)
    : { kind, select, isByMessage: kind === "book", ...said };
  if (shaped === undefined) return undefined;
  const chain = tellsChain(mapping.columns)
    ? await mappedChain(
        duck,
        {
          from,
          timeNs,
          isSnapshot,
          beginSequence: wholeOf("beginSequence"),
          endSequence: wholeOf("endSequence"),
          prevEndSequence: wholeOf("prevEndSequence"),
          isAsked: market === undefined || symbol === undefined ? "true" : `${marketSql(market)} = ${literal(symbol)}`,
        },
        mapping.columns.prevEndSequence !== undefined,
      )
    : { findings: [] };
  const findings = [...shaped.findings, ...chain.findings, ...stamps];
  return {
    ...shaped,
    ...chain,
    findings,
    ...(writ.writ === "ndjson" ? { json: jsonFields(mapping) } : {}),
    ...(market === undefined
      ? {}
      : { symbol: marketsSql(table, market), ofSymbol: (symbol: string) => `${select} WHERE ${marketSql(market)} = ${symbol}` }),
  };
}

/** What tells how the messages of a book follow on each other; the last of them is looked at alone, and not kept. */
const SEQUENCES = ["beginSequence", "endSequence", "prevEndSequence"] as const;

function namesOf(kind: HistoryKind): string[] {
  const own = [...layoutOf(kind).columns.map(({ name }) => name), ...(kind === "book" ? ["prevEndSequence"] : [])];
  const stamps: Readonly<Record<string, readonly string[]>> = { timeNs: ["time"], recvNs: ["recvTime"], seq: [], level: [] };
  const sides = own.includes("isBuyerMaker") || own.includes("isBid") ? ["side"] : [];
  return [...own.flatMap((name) => stamps[name] ?? [name]), ...sides];
}

function requiredOf(kind: HistoryKind): string[] {
  const required: Readonly<Record<string, readonly string[]>> = {
    trades: ["price", "amount"],
    book: ["price", "amount", "isBid|side"],
    bbo: ["bid", "bidAmount", "ask", "askAmount"],
    marks: ["mark"],
    funding: ["rate"],
  };
  // The mark has no volume.
  const candle = ["open", "high", "low", "close", ...(kind.startsWith("mark-") ? [] : ["volume"])];
  return ["time", ...(required[kind] ?? candle)];
}

/** SQL of a decimal's text with a digit before its point, which the database leaves out where a column's type has none there. */
function withZeroSql(text: string): string {
  return `CASE WHEN starts_with(${text}, '.') THEN '0' || ${text} WHEN starts_with(${text}, '-.') THEN '-0' || substr(${text}, 2) ELSE ${text} END`;
}

/** What a mapping reads of a JSON record: texts, of which numbers are made afterwards. */
function jsonFields({ columns }: Mapping): JsonFields {
  return Object.fromEntries(Object.values(columns).map((name) => [name, "VARCHAR"]));
}

async function columnsOf(duck: Duck, path: string): Promise<string[]> {
  return (await describedBy(duck, path)).map(({ column_name }) => String(column_name));
}

/** What a file has for columns, in words. The whole first line of one that keeps them apart otherwise looks like a list of them. */
function columnsText(held: readonly string[]): string {
  const [only = "", ...others] = held;
  const apart = others.length === 0 ? /[;\t|]/.exec(only)?.[0] : undefined;
  if (apart === undefined) return `one of ${held.join(", ")}`;
  return `a file with commas between its columns: this one seems to have ${JSON.stringify(apart)} there`;
}

function tableSql(path: string, writ: Writ, mapping: Mapping, file: string, held: readonly string[], market: string | undefined): string {
  const wanted = Object.values(mapping.columns);
  if (writ.writ === "ndjson") {
    const [alike, other] = wanted.flatMap((name) => {
      const found = wanted.find((each) => each !== name && each.toLowerCase() === name.toLowerCase());
      return found === undefined ? [] : [name, found];
    });
    if (alike !== undefined)
      throw new ConfigError(`are fields of ${file} that differ in the case of their letters alone`, {
        field: "mapping.columns",
        value: `${alike} and ${other}`,
        expected: "one of both: give the other another name in the file",
      });
    return ndjsonSql(path, { ...(market === undefined ? {} : { [market]: "VARCHAR" }), ...jsonFields(mapping) });
  }
  const lacking = wanted.find((name) => !held.includes(name));
  if (lacking !== undefined)
    throw new ConfigError(`is no column of ${file}`, { field: "mapping.columns", value: lacking, expected: columnsText(held) });
  return writ.writ === "parquet" ? parquetSql(path) : csvSql({ path, columns: held, hasHeader: true });
}
