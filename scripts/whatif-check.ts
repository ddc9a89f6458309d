import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkSession } from "../test/backtest/whatif/check-session.js";
import { type CheckedSession, coverageTable } from "../test/backtest/whatif/coverage-table.js";
import { TRUTH_FILE } from "../test/backtest/whatif/measure-truth.js";
import { writePageTables } from "./page-table.js";

/**
 * `npm run whatif-check -- --folder FOLDER`: checks the intervals of `whatif` on sessions of the
 * embedded exchange, whose true change is measured over continuations under other seeds, and prints
 * the table; with `--write` that of docs/reference/whatif.md is replaced.
 *
 * FOLDER keeps every recording and every truth, and a later run continues there. Two processes may
 * share one: `--part 0/2` and `--part 1/2`. `--known` takes only the sessions that it already has.
 */
const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    sessions: { type: "string", default: "100" },
    seeds: { type: "string", default: "20" },
    set: { type: "string", default: "fresh" },
    part: { type: "string", default: "0/1" },
    known: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const { folder, set } = values;
const [sessions, seeds] = [Number(values.sessions), Number(values.seeds)];
const [part = 0, parts = 1] = values.part.split("/").map(Number);
if (folder === undefined || (values.write && parts !== 1)) {
  process.stderr.write("--folder FOLDER is needed, and --write takes no --part\n");
  process.exitCode = 2;
} else {
  const checked: CheckedSession[] = [];
  for (let number = part; number < sessions; number += parts) {
    const kept = join(folder, set, String(number));
    if (values.known && !existsSync(join(kept, TRUTH_FILE))) continue;
    const one = await checkSession(`${set} ${number}`, seeds, kept);
    checked.push(one);
    const { name, truth, estimate, low, high, isRefused } = one;
    const figures = [truth, estimate, low, high].map((value) => value.toFixed(2)).join(" ");
    process.stdout.write(`${name}: ${figures}${isRefused ? " refused" : ""}\n`);
  }
  const table = coverageTable(checked, { seeds });
  process.stdout.write(`${table}\n`);
  if (values.write) writePageTables("whatif-check", { coverage: table }, "whatif");
}
