import { writeFileSync } from "node:fs";
import { metricsPage } from "../src/monitoring/metrics-page.js";
import { validationPage } from "../test/validation/page.js";
import { VALIDATION } from "../test/validation/sections.js";

writeFileSync(new URL("../docs/metrics.md", import.meta.url), metricsPage());

if (VALIDATION.every(({ isAvailable }) => isAvailable)) {
  writeFileSync(
    new URL("../docs/validation.md", import.meta.url),
    await validationPage(VALIDATION),
  );
} else {
  console.info(
    "docs/validation.md stays as it is: it needs recorded data that is not on this machine (MARKETWRIGHT_DATA)",
  );
}
