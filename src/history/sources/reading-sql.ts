import { identifier, literal } from "../duck.js";
import type { CsvFile } from "./plain-csv.js";
import type { ShapedFile, TypedCsv } from "./shape.js";

/** Of a CSV file at a time: what a thread takes, and what is read where only the first rows are wanted. */
const BUFFER_BYTES = 512 * 1024;

/** SQL that reads a CSV file, every column as text where `kinds` names no other type; a line with another number of columns is an error. */
export function csvSql({ path, columns, hasHeader }: CsvFile, kinds: Readonly<Record<string, string>> = {}): string {
  const types = columns.map((name) => `${literal(name)}: ${literal(kinds[name] ?? "VARCHAR")}`).join(", ");
  return `read_csv(${literal(path)}, auto_detect=false, delim=',', quote='"', escape='"', header=${hasHeader}, strict_mode=true, buffer_size=${BUFFER_BYTES}, columns={${types}})`;
}

/** What reads a CSV file, with its decimals as text or as what they are. @param select SQL of the kind's columns from the file's. */
export function csvReading(
  csv: CsvFile,
  kinds: Readonly<Record<string, string>>,
  decimals: TypedCsv["decimals"],
  select: (from: string) => string,
): Pick<ShapedFile, "select" | "csv"> {
  const typed: TypedCsv["select"] = (types) => select(csvSql(csv, { ...kinds, ...types }));
  return { select: typed({}), csv: { ...csv, decimals, select: typed } };
}

/** SQL that reads a file of one JSON record a line; a field that a line lacks is null. */
export function ndjsonSql(path: string, fields: Readonly<Record<string, string>>): string {
  const types = Object.entries(fields)
    .map(([name, type]) => `${literal(name)}: ${literal(type)}`)
    .join(", ");
  return `read_json(${literal(path)}, format='newline_delimited', maximum_object_size=67108864, columns={${types}})`;
}

/** SQL of an instant in nanoseconds from milliseconds or microseconds, told apart by their size: 1e14 ms is the year 5138, 1e14 us is 1973. */
export function instantSql(column: string): string {
  const whole = `CAST(${identifier(column)} AS BIGINT)`;
  return `${whole} * CASE WHEN ${whole} >= 100000000000000 THEN 1000 ELSE 1000000 END`;
}
