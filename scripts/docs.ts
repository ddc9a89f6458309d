import { writeFileSync } from "node:fs";
import { metricsPage } from "../src/monitoring/metrics-page.js";

writeFileSync(new URL("../docs/metrics.md", import.meta.url), metricsPage());
