import { ConfigError } from "../../core/errors.js";
import { type Duck, literal } from "../duck.js";
import { parquetSql } from "../measure.js";
import type { PlainFile } from "../plain-file.js";
import { messagesSql } from "./book-messages.js";
import { withInterval } from "./candle-interval.js";
import type { JsonFields } from "./json-numbers.js";
import { mappedChain, tellsChain } from "./mapped-chain.js";
import { MappedColumns } from "./mapped-columns.js";
import { kindOf, type Mapping } from "./mapping.js";
import { marketColumn, marketSql, marketsSql } from "./market-column.js";
import { describedBy, requireReadDecimals, roundedStamps } from "./parquet-types.js";
import { csvSql, ndjsonSql } from "./reading-sql.js";
import { numbered, type ShapedFile, type Writ } from "./shape.js";

/** What tells one message of a book with a row a level from the next, besides its market. */
const MESSAGE_COLUMNS = ["time", "recvTime", "isSnapshot", "beginSequence", "endSequence", "prevEndSequence"];

/**
 * A file of any columns.
 * @param names of its columns, or of its first record's fields, where its first line tells them.
 * @param symbol the one market of a file of several, whose chain of sequences is looked at.
 * @returns undefined where candles are too few to tell their interval.
 * @throws ConfigError for a column that the file lacks
 */
export async function mappedShape(
  duck: Duck,
  { path, file }: Pick<PlainFile, "path" | "file">,
  writ: Writ,
  names: readonly string[],
  mapping: Mapping,
  symbol?: string,
): Promise<ShapedFile | undefined> {
  const kind = kindOf(mapping);
  const isParquet = writ.writ === "parquet";
  const held = isParquet ? await columnsOf(duck, path) : names;
  if (isParquet) await requireReadDecimals(duck, path, file, Object.values(mapping.columns));
  const market = marketColumn(held);
  const table = tableSql(path, writ, mapping, file, held, market);
  const shared = [...MESSAGE_COLUMNS.map((name) => mapping.columns[name]), market].filter((column) => column !== undefined);
  const from = kind === "book" ? messagesSql(table, shared) : table;
  const columns = new MappedColumns(mapping, isParquet);
  const { timeNs, isSnapshot } = columns;
  const [first] = columns.areNumbered ? await duck.rows(`SELECT ${timeNs} AS timeNs FROM ${from} LIMIT 1`) : [];
  const select = `SELECT ${columns.all(first)} FROM ${from}`;
  const stamps = isParquet ? await roundedStamps(duck, path, file, [mapping.columns.time, mapping.columns.recvTime]) : [];
  const said = columns.areNumbered ? numbered("it has no ids") : { findings: [] };
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
          beginSequence: columns.wholeOf("beginSequence"),
          endSequence: columns.wholeOf("endSequence"),
          prevEndSequence: columns.wholeOf("prevEndSequence"),
          isAsked: market === undefined || symbol === undefined ? "true" : `${marketSql(market)} = ${literal(symbol)}`,
        },
        mapping.columns.prevEndSequence !== undefined,
      )
    : { findings: [] };
  return {
    ...shaped,
    ...chain,
    findings: [...shaped.findings, ...chain.findings, ...stamps],
    json: writ.writ === "ndjson" ? jsonFields(mapping) : undefined,
    symbol: market === undefined ? undefined : marketsSql(table, market),
    ofSymbol: market === undefined ? undefined : (one) => `${select} WHERE ${marketSql(market)} = ${one}`,
  };
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
