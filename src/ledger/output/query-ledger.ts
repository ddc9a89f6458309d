import { join } from "node:path";
import { ConfigError } from "../../core/errors.js";
import { replaceFile } from "../../core/files/atomic-file.js";
import type { TextResult } from "../../history/store/duck.js";
import { createCsvTable } from "./csv-table.js";
import { LIQUIDATION_COLUMNS } from "./liquidation-lines.js";
import { withEntries } from "./write-export.js";

/**
 * One row a trade, in order of time: its fee, what it realised, and whether its settlement failed.
 */
const FILLS_TABLE = `CREATE TABLE fills AS
SELECT line.time, line.market, line.asset, line.amount, line.price, line.position,
  CASE WHEN reversal.id IS NULL THEN coalesce(fee.amount, 0) ELSE 0 END AS fee,
  CASE WHEN reversal.id IS NULL THEN coalesce(profit.amount, 0) ELSE 0 END AS realised_profit,
  reversal.id IS NOT NULL AS failed, line.source, line.detail, line.id
FROM entries line
LEFT JOIN entries fee ON fee.id = line.id || '.fee'
LEFT JOIN entries profit ON profit.id = line.id || '.profit'
LEFT JOIN entries reversal ON reversal.reverses = line.id
WHERE line.kind = 'fill' AND line.reverses IS NULL
ORDER BY line.rowid`;

/** The lines of the CSV files that a query's tables are read from. */
export interface QueriedLines {
  readonly entries: Iterable<string>;
  readonly liquidations: Iterable<string>;
}

/**
 * Answers one SELECT over the ledger: tables `entries`, `fills` and `liquidations`. The statement
 * reaches neither files nor the network, and changes nothing.
 * @throws ConfigError with the database's message if the statement is wrong
 */
export function queryLedger(
  { entries, liquidations }: QueriedLines,
  sql: string,
): Promise<TextResult> {
  return withEntries(entries, async (duck, folder) => {
    await duck.run(FILLS_TABLE);
    const csv = join(folder, "liquidations.csv");
    replaceFile(csv, liquidations, { sync: false });
    await createCsvTable(duck, "liquidations", csv, LIQUIDATION_COLUMNS);
    await duck.isolate();
    try {
      return await duck.select(sql);
    } catch (cause) {
      throw new ConfigError(cause instanceof Error ? cause.message : String(cause), {
        field: "sql",
        value: sql,
        expected: "one SELECT statement of DuckDB over the tables entries, fills and liquidations",
        cause,
      });
    }
  });
}
