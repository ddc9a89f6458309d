import { type Duck, literal, pathSql } from "../../history/store/duck.js";
import { ENTRY_COLUMNS } from "./entry-columns.js";

/** The table of the ledger's lines in a database, with the texts of a CSV file as its rows. */
export async function createEntryTable(duck: Duck, csvPath: string): Promise<void> {
  const columns = ENTRY_COLUMNS.map(({ name, type }) => `${literal(name)}: ${literal(type)}`);
  const read = `read_csv(${pathSql(csvPath)}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', new_line = '\\n', columns = {${columns.join(", ")}})`;
  await duck.run(`CREATE TABLE entries AS SELECT * FROM ${read}`);
}
