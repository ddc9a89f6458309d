import { type Duck, literal, pathSql } from "../../history/store/duck.js";

/** A column of a table that is read from CSV: its name, and its type in Parquet and in queries. */
export interface CsvColumn {
  readonly name: string;
  readonly type: "TIMESTAMP" | "VARCHAR" | "DECIMAL(38,18)" | "BIGINT";
}

/** A table of a database with the texts of a CSV file, whose first line are names, as its rows. */
export async function createCsvTable(
  duck: Duck,
  table: string,
  csvPath: string,
  columns: readonly CsvColumn[],
): Promise<void> {
  const types = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`);
  const read = `read_csv(${pathSql(csvPath)}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', new_line = '\\n', columns = {${types.join(", ")}})`;
  await duck.run(`CREATE TABLE ${table} AS SELECT * FROM ${read}`);
}
