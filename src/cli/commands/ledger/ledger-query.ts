import { ConfigError } from "../../../core/errors.js";
import { csvLines, textCell } from "../../../ledger/output/csv-lines.js";
import { liquidationLines } from "../../../ledger/output/liquidation-lines.js";
import { queryLedger } from "../../../ledger/output/query-ledger.js";
import { decodeLedger } from "../../../liquidator/ledger/ledger-lines.js";
import { LIQUIDATIONS_FILE } from "../../../liquidator/ledger/liquidation-ledger.js";
import type { CliContext } from "../../cli-context.js";
import { jsonText, table } from "../../process/output.js";
import { type LedgerOptions, ledgerPeriod, withLedger } from "./open-ledger.js";

/** Options of `ledger query`. */
export interface LedgerQueryOptions extends LedgerOptions {
  readonly format: "table" | "csv" | "json";
  readonly json?: boolean;
}

/** The bot's file, if a statement is given alone. */
const DEFAULT_BOT = "bot.yaml";

/**
 * Prints the answer of one SELECT over the ledger.
 * @param words the bot's file and the statement, or the statement alone
 * @throws ConfigError with the database's message if the statement is wrong
 */
export async function ledgerQueryCommand(
  context: CliContext,
  words: readonly string[],
  options: LedgerQueryOptions,
): Promise<void> {
  const isStatementAlone = words.length === 1 && !/\.ya?ml$/.test(words[0] ?? "");
  const [file, sql, ...more] = isStatementAlone ? [DEFAULT_BOT, ...words] : words;
  if (file === undefined || sql === undefined || more.length > 0)
    throw new ConfigError("expects a file and one statement", {
      field: "query",
      value: words.join(" "),
      expected: 'bot.yaml "SELECT ..."; put the statement in quotes',
    });
  const period = ledgerPeriod(options);
  await withLedger(context, file, options, async ({ ledger, store }) => {
    const entries = csvLines(ledger.entries(period), ledger.units.paperDecimals);
    const opportunities = decodeLedger(store?.read(LIQUIDATIONS_FILE) ?? "");
    const liquidations = liquidationLines(opportunities, period);
    const { columns, rows } = await queryLedger({ entries, liquidations }, sql);
    const format = options.json === true ? "json" : options.format;
    if (format === "json") {
      const objects = rows.map((row) =>
        Object.fromEntries(columns.map((name, at) => [name, shortCell(row[at])])),
      );
      context.stdout.write(jsonText(objects, 2));
      return;
    }
    const texts = rows.map((row) => row.map((cell) => cellText(shortCell(cell))));
    if (format === "table") context.stdout.write(table([[...columns], ...texts]));
    else
      for (const row of [columns, ...texts])
        context.stdout.write(`${row.map(textCell).join(",")}\n`);
  });
}

/** A decimal without zeros at its end, which every DECIMAL has; another cell as it is. */
function shortCell(cell: unknown): unknown {
  return typeof cell === "string" && /^-?\d+\.\d+$/.test(cell) ? cell.replace(/\.?0+$/, "") : cell;
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}
