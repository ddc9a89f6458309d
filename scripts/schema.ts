import { writeFileSync } from "node:fs";
import { reportJsonSchema } from "../src/backtest/report/report-schema.js";
import { botJsonSchema } from "../src/bot/config/config-json-schema.js";

writeFileSync(new URL("../config/schema.json", import.meta.url), botJsonSchema());
writeFileSync(new URL("../config/report.schema.json", import.meta.url), reportJsonSchema());
