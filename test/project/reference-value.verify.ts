import { describe, expect, it } from "vitest";
import { REFERENCE_ARMS } from "../../scripts/reference-value/value-arms.js";
import { capturedPriceOf, missingCaptures } from "../../scripts/reference-value/value-captures.js";
import type { ValueAnswer } from "../../scripts/reference-value/value-pool.js";
import {
  MARKETS,
  type Market,
  runValue,
  SEEDS_MARKET,
} from "../../scripts/reference-value/value-run.js";
import { renderSeeds } from "../../scripts/reference-value/value-tables.js";
import { readPage } from "./pages.js";

const SEEDS = [1, 2, 3, 50];

describe.skipIf(missingCaptures().length > 0)("docs/reference/reference-value.md", () => {
  const page = readPage("docs/reference/reference-value.md").text;

  it.each(SEEDS)("has what seed %d gives", async (seed) => {
    const market = MARKETS.find(({ name }) => name === SEEDS_MARKET) as Market;
    const answers: ValueAnswer[] = [];
    for (const arm of REFERENCE_ARMS) {
      const run = await runValue({ arm, seed, market, price: await capturedPriceOf(seed) });
      answers.push({ job: { arm, seed, market }, run });
    }
    const row = renderSeeds(answers, SEEDS_MARKET)
      .split("\n")
      .find((line) => line.startsWith(`| ${seed} |`));
    expect(page).toContain(`\n${row}\n`);
  });

  it("has a table of each market, and a row of each of fifty seeds", () => {
    for (const { name } of MARKETS) expect(page).toContain(`\n| ${name} | `);
    for (let seed = 1; seed <= 50; seed += 1) expect(page).toContain(`\n| ${seed} | btcusdt-perp_`);
  });
});
