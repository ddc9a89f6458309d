import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writePageTables } from "./page-table.js";
import { CAPTURES, hasBooks, missingFiles } from "./strategy-results/captures.js";
import { resultsTable } from "./strategy-results/results-table.js";
import { signalTable } from "./strategy-results/signal-table.js";
import { SETTINGS } from "./strategy-results/strategy-settings.js";
import { type StrategyResult, tryStrategies } from "./strategy-results/try-strategies.js";

/**
 * `npm run strategy-results`: runs every built-in strategy on every recorded capture, and prints
 * the tables; with `--write` those of docs/reference/strategy-results.md are replaced.
 *
 * `npm run strategy-results -- --capture hyperliquid` runs those whose name contains the text, and
 * `--signals` only the strategies that predict the mid, on the captures with books.
 */
const { values } = parseArgs({
  options: {
    capture: { type: "string", default: "" },
    signals: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const captures = CAPTURES.filter(
  (capture) => capture.name.includes(values.capture) && (!values.signals || hasBooks(capture)),
);
const missing = missingFiles(captures);
if (values.write && values.capture !== "") {
  process.stderr.write("--write takes no --capture: the page has all of them\n");
  process.exitCode = 2;
} else if (missing.length > 0) {
  process.stderr.write(`the recorded data are not on this machine: ${missing.join(", ")}\n`);
} else {
  const scratch = mkdtempSync(join(tmpdir(), "marketwright-strategies-"));
  try {
    const settings = values.signals
      ? SETTINGS.filter(({ predicts }) => predicts === true)
      : SETTINGS;
    const results: StrategyResult[] = [];
    for (const [at, capture] of captures.entries()) {
      process.stderr.write(`${capture.name}\n`);
      const folder = join(scratch, `${at}`);
      mkdirSync(folder);
      results.push(...(await tryStrategies(capture, folder, settings)));
    }
    const signals = signalTable(results.filter(({ capture }) => hasBooks(capture)));
    const tables: Record<string, string> = values.signals
      ? { signals }
      : { results: resultsTable(results), signals };
    if (values.write) writePageTables("strategy-results", tables);
    else process.stdout.write(`${Object.values(tables).join("\n\n")}\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
