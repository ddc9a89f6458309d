import { parquetSql } from "../../staging/decimal-places.js";
import { identifier, literal, pathSql } from "../../store/duck.js";
import type { FileFormat, ShapedFile, TypedCsv } from "../formats/shape.js";
import type { TextSql } from "./odd-values.js";
import type { CsvFile } from "./plain-csv.js";
import { FLAG_TYPE, flagsSql } from "./sides.js";
import { isWhole, mostOf, wholesSql } from "./whole-numbers.js";

/**
 * Bytes of a CSV file that a thread reads at a time. A larger buffer is faster, but is read whole
 * even if only the first rows are wanted.
 */
const BUFFER_BYTES = 512 * 1024;
const PLAIN_BUFFER_BYTES = 1024 * 1024;

/**
 * SQL that reads a CSV file, every column as text unless `kinds` names another type. A line with
 * another number of columns is an error, and so is a value that is not a whole number.
 */
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

/**
 * The SQL that reads a CSV file, with its numbers as texts or as numbers.
 * @param select SQL of the kind's columns from the file's.
 */
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
 * SQL that reads a file with one JSON record per line; a missing field is null. An id that is not a
 * whole number is an error. So is a flag that is not a boolean: the database reads any number
 * except 0 as true. Other whole numbers are read as JSON gives them, since checking each as text
 * takes 40 % longer.
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

/** SQL that reads a file with every field as the text in the file. */
export function textSql(path: string, format: FileFormat): TextSql {
  if (format.format === "csv") return () => csvSql({ ...format, path });
  return (column) =>
    format.format === "ndjson" ? ndjsonSql(path, { [column]: "VARCHAR" }) : parquetSql(path);
}

/**
 * The types of fields for reading as text: whole numbers and flags are texts until they are
 * checked.
 */
function asText(kinds: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, type]) => [
      name,
      isWhole(type) || type === FLAG_TYPE ? "VARCHAR" : type,
    ]),
  );
}

/** The types of fields if the database converts the numbers. */
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
 * SQL of an instant in nanoseconds from milliseconds or microseconds, distinguished by size:
 * milliseconds too large to be stored are past the year 2262, and as microseconds within 1970.
 */
export function instantSql(column: string): string {
  const whole = `CAST(${identifier(column)} AS BIGINT)`;
  return `${whole} * CASE WHEN ${whole} > ${mostOf("MILLISECONDS")} THEN 1000 ELSE 1000000 END`;
}
