import { writeFileSync } from "node:fs";
import { comparisonJsonSchema } from "../src/backtest/compare/comparison-schema.js";
import { reportJsonSchema } from "../src/backtest/report/report-schema.js";
import { sweepJsonSchema } from "../src/backtest/sweep/sweep-json.js";
import { botJsonSchema } from "../src/bot/config/config-json-schema.js";

writeFileSync(new URL("../config/schema.json", import.meta.url), botJsonSchema());
writeFileSync(new URL("../config/report.schema.json", import.meta.url), reportJsonSchema());
writeFileSync(new URL("../config/sweep.schema.json", import.meta.url), sweepJsonSchema());
writeFileSync(new URL("../config/comparison.schema.json", import.meta.url), comparisonJsonSchema());
