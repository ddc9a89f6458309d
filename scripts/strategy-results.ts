import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writePageTables } from "./page-table.js";
import { CAPTURES, missingFiles } from "./strategy-results/captures.js";
import { resultsTable } from "./strategy-results/results-table.js";
import { type StrategyResult, tryStrategies } from "./strategy-results/try-strategies.js";

/**
 * `npm run strategy-results`: runs every built-in strategy on every recorded capture, and prints
 * the table; with `--write` that of docs/reference/strategy-results.md is replaced.
 *
 * `npm run strategy-results -- --capture hyperliquid` runs those whose name contains the text.
 */
const { values } = parseArgs({
  options: { capture: { type: "string", default: "" }, write: { type: "boolean", default: false } },
});
const captures = CAPTURES.filter(({ name }) => name.includes(values.capture));
const missing = missingFiles(captures);
if (missing.length > 0) {
  process.stderr.write(`the recorded data are not on this machine: ${missing.join(", ")}\n`);
} else {
  const scratch = mkdtempSync(join(tmpdir(), "marketwright-strategies-"));
  try {
    const results: StrategyResult[] = [];
    for (const [at, capture] of captures.entries()) {
      process.stderr.write(`${capture.name}\n`);
      const folder = join(scratch, `${at}`);
      mkdirSync(folder);
      results.push(...(await tryStrategies(capture, folder)));
    }
    const table = resultsTable(results);
    if (values.write) writePageTables("strategy-results", { results: table });
    else process.stdout.write(`${table}\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
