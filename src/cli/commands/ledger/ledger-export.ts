import { dirname } from "node:path";
import { ConfigError } from "../../../core/errors.js";
import { readPathKind } from "../../../core/files/path-kind.js";
import { csvLines } from "../../../ledger/output/csv-lines.js";
import { formatSummary, KindSums, summariseLedger } from "../../../ledger/output/ledger-summary.js";
import { writeCsv, writeParquet } from "../../../ledger/output/write-export.js";
import type { CliContext } from "../../cli-context.js";
import { ReportedFailure } from "../../process/exit.js";
import { jsonText, table } from "../../process/output.js";
import { type LedgerOptions, ledgerPeriod, rememberBalances, withLedger } from "./open-ledger.js";

/** Options of `ledger export`. */
export interface LedgerExportOptions extends LedgerOptions {
  readonly format: "csv" | "parquet";
  readonly out?: string;
  /** The former name of `out`. */
  readonly output?: string;
  readonly json?: boolean;
}

/**
 * Writes the ledger, and prints its sums and differences.
 * @throws ReportedFailure if the exchange's balances or records differ from the ledger
 */
export async function ledgerExportCommand(
  context: CliContext,
  file: string,
  options: LedgerExportOptions,
): Promise<void> {
  const { format, json } = options;
  const output = options.out ?? options.output ?? "-";
  const isStdout = output === "-";
  if (isStdout && format === "parquet")
    throw new ConfigError("cannot be printed", {
      field: "--out",
      value: output,
      expected: "the path of a file, for --format parquet",
    });
  if (!isStdout) checkOutput(output);
  const period = ledgerPeriod(options);
  await withLedger(context, file, options, async (opened) => {
    const { ledger, statement } = opened;
    const sums = new KindSums();
    const lines = csvLines(sums.counting(ledger.entries(period)), ledger.units.paperDecimals);
    if (isStdout) for (const line of lines) context.stdout.write(line);
    else if (format === "csv") writeCsv(output, lines);
    else await writeParquet(output, lines);
    rememberBalances(opened);
    const summary = summariseLedger(ledger, sums);
    const { rows, sentences } = formatSummary(summary);
    const unstable =
      statement?.isStable === false
        ? ["the account changed during every reading: a difference may be of the reading alone"]
        : [];
    const text = `${table(rows)}${[...sentences, ...unstable].map((line) => `${line}\n`).join("")}`;
    (isStdout ? context.stderr : context.stdout).write(json === true ? jsonText(summary, 2) : text);
    if (summary.isReconciled === false) throw new ReportedFailure();
  });
}

/** Refuses a path before the account is read, page by page, for nothing. */
function checkOutput(output: string): void {
  const folder = dirname(output);
  const problem =
    readPathKind(output) === "folder"
      ? "is a folder"
      : readPathKind(folder) === "folder"
        ? undefined
        : `is in ${folder}, which is not a folder`;
  if (problem === undefined) return;
  throw new ConfigError(problem, {
    field: "--output",
    value: output,
    expected: "the path of a file in a folder that exists",
  });
}
