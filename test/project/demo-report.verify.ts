import { join } from "node:path";
import { expect, it } from "vitest";
import { renderRuns } from "../../scripts/demo/demo-tables.js";
import { runMaker } from "../../scripts/demo/run-maker.js";
import { PROJECT_ROOT } from "./checkout.js";
import { readPage } from "./pages.js";

it.each([
  [1, "exchange.yaml", 30, true],
  [20, "exchange.yaml", 30, true],
  [6, "liquidations-exchange.yaml", 10, false],
])(
  "seed %i on config/%s does what docs/reference/demo.md says",
  async (seed, name, minutes, isCalm) => {
    const page = readPage("docs/reference/demo.md").text;
    const run = await runMaker({
      botFile: join(PROJECT_ROOT, "config/bot.yaml"),
      exchangeFile: join(PROJECT_ROOT, "config", name),
      seed,
      minutes,
    });
    const rows = renderRuns([run], isCalm)
      .split("\n")
      .filter((line) => line.startsWith(`| ${seed} |`));
    expect(rows).toHaveLength(isCalm ? 3 : 1);
    for (const row of rows) expect(page).toContain(`\n${row}\n`);
  },
);
