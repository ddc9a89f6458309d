import { readFileSync, writeFileSync } from "node:fs";
import { metricsPage } from "../src/monitoring/metrics-page.js";
import { validationPage } from "../test/validation/page.js";
import { VALIDATION } from "../test/validation/sections.js";
import { withRooms } from "./rooms.mjs";

writeFileSync(new URL("../docs/metrics.md", import.meta.url), metricsPage());

const architecture = new URL("../docs/architecture.md", import.meta.url);
writeFileSync(architecture, withRooms(readFileSync(architecture, "utf8")));

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
