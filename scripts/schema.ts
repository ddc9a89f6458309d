import { writeFileSync } from "node:fs";
import { comparisonJsonSchema } from "../src/backtest/compare/comparison-schema.js";
import { backtestSchema } from "../src/backtest/config/backtest-schema.js";
import { reportJsonSchema } from "../src/backtest/report/report-schema.js";
import { sweepJsonSchema } from "../src/backtest/sweep/results/sweep-json.js";
import { sweepSchema } from "../src/backtest/sweep/sweep-schema.js";
import { botJsonSchema } from "../src/bot/config/config-json-schema.js";
import { configJsonSchema } from "../src/core/config/config-json-schema.js";

// What is read, and what is written.
const schemas = {
  "schema.json": botJsonSchema(),
  "backtest.schema.json": configJsonSchema(backtestSchema),
  "sweep-file.schema.json": configJsonSchema(sweepSchema),
  "report.schema.json": reportJsonSchema(),
  "sweep.schema.json": sweepJsonSchema(),
  "comparison.schema.json": comparisonJsonSchema(),
};

for (const [name, text] of Object.entries(schemas))
  writeFileSync(new URL(`../config/${name}`, import.meta.url), text);
