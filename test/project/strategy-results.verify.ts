import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CAPTURES, hasBooks, missingFiles } from "../../scripts/strategy-results/captures.js";
import { resultsTable } from "../../scripts/strategy-results/results-table.js";
import { signalTable } from "../../scripts/strategy-results/signal-table.js";
import {
  type StrategyResult,
  tryStrategies,
} from "../../scripts/strategy-results/try-strategies.js";
import { readPage } from "./pages.js";

describe.skipIf(missingFiles(CAPTURES).length > 0)("docs/reference/strategy-results.md", () => {
  const results: StrategyResult[] = [];
  let scratch: string;

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), "strategy-results-"));
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it.each(CAPTURES)("plays $name", async (capture) => {
    const folder = mkdtempSync(join(scratch, "capture-"));
    results.push(...(await tryStrategies(capture, folder)));
    expect(results.at(-1)?.capture).toBe(capture);
  });

  it("is what the runs give, figures and doubts", () => {
    const { text } = readPage("docs/reference/strategy-results.md");
    expect(text).toContain(resultsTable(results));
    expect(text).toContain(signalTable(results.filter(({ capture }) => hasBooks(capture))));
  });
});
