import { HistoryError } from "../../history-errors.js";
import { parquetSql } from "../../staging/decimal-places.js";
import { type Duck, pathSql, type Row } from "../../store/duck.js";

/** Of a decimal that the database has a type for. */
const MOST_DECIMAL_DIGITS = 38;

/** The columns of a Parquet file, as the database reads them. */
export function describeParquet(duck: Duck, path: string): Promise<readonly Row[]> {
  return duck.rows(`DESCRIBE SELECT * FROM ${parquetSql(path)}`);
}

/**
 * Looks for decimals that the database cannot hold: it takes their bytes for those of a floating-point number, and 1.00 for 16777216.
 * @param names of the columns that are read.
 * @throws HistoryError naming the column
 */
export async function requireReadDecimals(
  duck: Duck,
  path: string,
  file: string,
  names: readonly string[],
): Promise<void> {
  const types = await typesOf(duck, path);
  const wide = await duck.rows(
    `SELECT name, precision FROM parquet_schema(${pathSql(path)}) WHERE precision > ${MOST_DECIMAL_DIGITS}`,
  );
  for (const name of names) {
    const found = wide.find((column) => column.name === name);
    if (found === undefined || types.get(name) !== "DOUBLE") continue;
    throw new HistoryError(file, `${name} is a decimal of ${String(found.precision)} digits`, {
      expected: `decimals of at most ${MOST_DECIMAL_DIGITS} digits, or texts`,
    });
  }
}

/**
 * What an import says of stamps that are finer in a Parquet file than what is read of them, or coarser than they look: the database has no type of an instant in UTC that
 * is finer than a microsecond, and of a number since 1970 with 53 bits a quarter of one is left.
 * @throws HistoryError for a number with 24 bits, which is off by a minute and more
 */
export async function roundedStamps(
  duck: Duck,
  path: string,
  file: string,
  names: readonly (string | undefined)[],
): Promise<string[]> {
  const types = await typesOf(duck, path);
  const fine = await duck.rows(
    `SELECT name FROM parquet_schema(${pathSql(path)}) WHERE logical_type LIKE 'TimestampType(isAdjustedToUTC=1,%NANOS=NanoSeconds()%'`,
  );
  return names.flatMap((name) => {
    const type = types.get(name);
    if (type === "FLOAT")
      throw new HistoryError(file, `${name} is a floating-point number of 32 bits`, {
        value: type,
        expected:
          "stamps as whole numbers of 64 bits or as instants: of one with 32 bits a minute and more is lost",
      });
    if (type === "DOUBLE")
      return [
        `${name} is a floating-point number, which holds an instant to a quarter of a microsecond`,
      ];
    return fine.some((column) => column.name === name)
      ? [`${name} is an instant in nanoseconds, of which whole microseconds are kept`]
      : [];
  });
}

async function typesOf(duck: Duck, path: string): Promise<ReadonlyMap<unknown, unknown>> {
  return new Map(
    (await describeParquet(duck, path)).map(({ column_name, column_type }) => [
      column_name,
      column_type,
    ]),
  );
}
