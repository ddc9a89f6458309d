import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderMetricsPage } from "#monitoring/metrics-page.js";
import { validationPage } from "../test/validation/page.js";
import { VALIDATION } from "../test/validation/sections.js";
import { DASHBOARD_FOLDER, DASHBOARDS, dashboardText } from "./dashboards/all-dashboards.js";
import { withChangeableKeys } from "./interface/changeable-keys.js";
import { withInterface } from "./interface/exchange-interface.js";
import { roomsConfig } from "./room-files.mjs";
import { withRooms } from "./rooms.mjs";

writeFileSync(new URL("../docs/reference/metrics.md", import.meta.url), renderMetricsPage());

for (const plan of DASHBOARDS)
  writeFileSync(
    new URL(`../${DASHBOARD_FOLDER}/${plan.name}.json`, import.meta.url),
    dashboardText(plan),
  );

const architecture = new URL("../docs/ideas/architecture.md", import.meta.url);
writeFileSync(architecture, withRooms(readFileSync(architecture, "utf8")));

const exchangeInterface = new URL("../docs/reference/exchange-interface.md", import.meta.url);
writeFileSync(exchangeInterface, withInterface(readFileSync(exchangeInterface, "utf8")));

const changes = new URL("../docs/reference/change-a-running-bot.md", import.meta.url);
writeFileSync(changes, withChangeableKeys(readFileSync(changes, "utf8")));

const root = new URL("../", import.meta.url);
writeFileSync(new URL("tsconfig.rooms.json", root), roomsConfig(fileURLToPath(root)));

if (VALIDATION.every(({ isAvailable }) => isAvailable)) {
  writeFileSync(
    new URL("../docs/reference/validation.md", import.meta.url),
    await validationPage(VALIDATION),
  );
} else {
  console.info(
    "docs/reference/validation.md stays as it is: it needs recorded data that is not on this machine (MARKETWRIGHT_DATA)",
  );
}
