import { HistoryError } from "../../history-errors.js";
import { parquetSql } from "../../staging/decimal-places.js";
import { type Duck, pathSql, type Row } from "../../store/duck.js";

/** The most digits of a decimal for which the database has a type. */
const MOST_DECIMAL_DIGITS = 38;

/** The columns of a Parquet file, as the database reads them. */
export function describeParquet(duck: Duck, path: string): Promise<readonly Row[]> {
  return duck.rows(`DESCRIBE SELECT * FROM ${parquetSql(path)}`);
}

/**
 * Refuses decimals that the database cannot hold. It takes their bytes for a floating-point number,
 * and reads 1.00 as 16777216.
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
      expected: `decimals of at most ${MOST_DECIMAL_DIGITS} digits, or strings`,
    });
  }
}

/**
 * The findings about stamps that are finer in a Parquet file than the database reads, or coarser
 * than they look. The database has no type for a UTC instant finer than a microsecond. A double
 * that
 * counts from 1970 resolves only a quarter of a microsecond.
 * @throws HistoryError for a 32-bit float, which is off by a minute and more
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
          "times as 64-bit whole numbers or timestamps: 32 bits are exact only to a minute or worse",
      });
    if (type === "DOUBLE")
      return [
        `${name} is a floating-point number, which holds a time to a quarter of a microsecond`,
      ];
    return fine.some((column) => column.name === name)
      ? [`${name} is a timestamp in nanoseconds: only whole microseconds are kept`]
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
