import { parquetSql } from "../../staging/decimal-places.js";
import { identifier, literal, pathSql } from "../../store/duck.js";
import type { FileFormat, ShapedFile, TypedCsv } from "../formats/shape.js";
import type { TextSql } from "./odd-values.js";
import type { CsvFile } from "./plain-csv.js";
import { FLAG_TYPE, flagsSql } from "./sides.js";
import { isWhole, mostOf, wholesSql } from "./whole-numbers.js";

/** Of a CSV file at a time: what a thread takes. More is faster, but is all read where only the first rows are wanted. */
const BUFFER_BYTES = 512 * 1024;
const PLAIN_BUFFER_BYTES = 1024 * 1024;

/** SQL that reads a CSV file, every column as text where `kinds` names no other type; a line with another number of columns is an error, and so is what is no whole number. */
export function csvSql(csv: CsvFile, kinds: Readonly<Record<string, string>> = {}): string {
  const read = ofFile(csv, kinds);
  return flagsSql(wholesSql(tableSql(csv, asText(kinds), BUFFER_BYTES), read), read);
}

function tableSql(
  { path, columns, hasHeader, delimiter }: CsvFile,
  kinds: Readonly<Record<string, string>>,
  bufferBytes: number,
): string {
  const types = columns
    .map((name) => `${literal(name)}: ${literal(kinds[name] ?? "VARCHAR")}`)
    .join(", ");
  return `read_csv(${pathSql(path)}, auto_detect=false, compression='none', delim=${literal(delimiter)}, quote='"', escape='"', header=${hasHeader}, strict_mode=true, buffer_size=${bufferBytes}, columns={${types}})`;
}

/** What reads a CSV file, with its numbers as text or as what they are. @param select SQL of the kind's columns from the file's. */
export function csvReading(
  csv: CsvFile,
  kinds: Readonly<Record<string, string>>,
  decimals: TypedCsv["decimals"],
  select: (from: string) => string,
): Pick<ShapedFile, "select" | "csv"> {
  const whole = Object.entries(ofFile(csv, kinds)).flatMap(([name, type]) =>
    isWhole(type) ? [name] : [],
  );
  const typed: TypedCsv["select"] = (types) =>
    select(tableSql(csv, { ...asNumbers(kinds), ...types }, PLAIN_BUFFER_BYTES));
  return { select: select(csvSql(csv, kinds)), csv: { ...csv, decimals, whole, select: typed } };
}

/**
 * SQL that reads a file of one JSON record a line; a field that a line lacks is null, and an id that is no whole number is an error, and so is a
 * flag that is none: the database makes true of any number but 0. Of other
 * whole numbers the database reads what JSON says: to look at each as a text takes four tenths longer.
 */
export function ndjsonSql(path: string, fields: Readonly<Record<string, string>>): string {
  const ids = Object.fromEntries(
    Object.entries(fields).filter(([, type]) => type === "ID" || type === FLAG_TYPE),
  );
  const types = Object.entries({ ...asNumbers(fields), ...asText(ids) })
    .map(([name, type]) => `${literal(name)}: ${literal(type)}`)
    .join(", ");
  const whole = wholesSql(
    `read_json(${pathSql(path)}, format='newline_delimited', compression='uncompressed', maximum_object_size=67108864, columns={${types}})`,
    ids,
  );
  return flagsSql(whole, fields);
}

/** What reads a file with every field as text, whatever the database makes of it. */
export function textSql(path: string, writ: FileFormat): TextSql {
  if (writ.format === "csv") return () => csvSql({ ...writ, path });
  return (column) =>
    writ.format === "ndjson" ? ndjsonSql(path, { [column]: "VARCHAR" }) : parquetSql(path);
}

/** The types of fields as they are to be read: a whole number or a flag as text, which is looked at before it is one. */
function asText(kinds: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, type]) => [
      name,
      isWhole(type) || type === FLAG_TYPE ? "VARCHAR" : type,
    ]),
  );
}

/** The same where the database makes the numbers. */
function asNumbers(kinds: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, type]) => [name, isWhole(type) ? "BIGINT" : type]),
  );
}

function ofFile(
  { columns }: CsvFile,
  kinds: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(kinds).filter(([name]) => columns.includes(name)));
}

/**
 * SQL of an instant in nanoseconds from milliseconds or microseconds, told apart by their size: what is too large to be stored as milliseconds is
 * past the year 2262, and as microseconds within 1970.
 */
export function instantSql(column: string): string {
  const whole = `CAST(${identifier(column)} AS BIGINT)`;
  return `${whole} * CASE WHEN ${whole} > ${mostOf("MILLISECONDS")} THEN 1000 ELSE 1000000 END`;
}
