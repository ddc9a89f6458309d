import { writeFileSync } from "node:fs";
import { backtestSchema } from "#backtest/backtest-schema.js";
import { comparisonJsonSchema } from "#backtest/comparison-schema.js";
import { reportJsonSchema } from "#backtest/report-schema.js";
import { sweepJsonSchema } from "#backtest/sweep-json.js";
import { sweepSchema } from "#backtest/sweep-schema.js";
import { botJsonSchema } from "#bot/config-json-schema.js";
import { configJsonSchema } from "#core/config-json-schema.js";

// The schemas for reading and for writing.
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
