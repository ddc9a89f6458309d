import { ConfigError } from "../../core/errors.js";
import type { TextResult } from "../../history/store/duck.js";
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

/**
 * Answers one SELECT over the ledger: tables `entries` and `fills`. The statement reaches neither
 * files nor the network, and changes nothing.
 * @param lines of a CSV file
 * @throws ConfigError with the database's message if the statement is wrong
 */
export function queryLedger(lines: Iterable<string>, sql: string): Promise<TextResult> {
  return withEntries(lines, async (duck) => {
    await duck.run(FILLS_TABLE);
    await duck.isolate();
    try {
      return await duck.select(sql);
    } catch (cause) {
      throw new ConfigError(cause instanceof Error ? cause.message : String(cause), {
        field: "sql",
        value: sql,
        expected: "one SELECT statement of DuckDB over the tables entries and fills",
        cause,
      });
    }
  });
}
