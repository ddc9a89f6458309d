import { describe, expect, it } from "vitest";
import { renderHedgedSeeds } from "../../scripts/reference-value/hedge-tables.js";
import { HEDGE_ARMS } from "../../scripts/reference-value/value-arms.js";
import { capturedPriceOf, missingCaptures } from "../../scripts/reference-value/value-captures.js";
import type { ValueAnswer } from "../../scripts/reference-value/value-pool.js";
import {
  MARKETS,
  type Market,
  runValue,
  SEEDS_MARKET,
} from "../../scripts/reference-value/value-run.js";
import { readPage } from "./pages.js";

const SEEDS = [1, 2, 3, 6];

describe.skipIf(missingCaptures().length > 0)("docs/reference/hedge-value.md", () => {
  const page = readPage("docs/reference/hedge-value.md").text;

  it.each(SEEDS)("has what seed %d gives", async (seed) => {
    const market = MARKETS.find(({ name }) => name === SEEDS_MARKET) as Market;
    const answers: ValueAnswer[] = [];
    for (const arm of HEDGE_ARMS) {
      const run = await runValue({ arm, seed, market, price: await capturedPriceOf(seed) });
      answers.push({ job: { arm, seed, market }, run });
    }
    const row = renderHedgedSeeds(answers, SEEDS_MARKET, 1).split("\n").at(-1);
    expect(page).toContain(`\n${row}\n`);
  });

  it("has a table of each market", () => {
    for (const { name } of MARKETS) expect(page).toContain(`\n| ${name} | no hedge | `);
  });
});
