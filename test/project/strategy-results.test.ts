import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtInStrategies } from "#strategies/built-in.js";
import { CAPTURES, type Capture, missingFiles } from "../../scripts/strategy-results/captures.js";
import { resultsTable } from "../../scripts/strategy-results/results-table.js";
import { SETTINGS } from "../../scripts/strategy-results/strategy-settings.js";
import { tryStrategies } from "../../scripts/strategy-results/try-strategies.js";
import { readPage } from "./pages.js";

const PLAYED = CAPTURES.find(({ name }) => name.includes("dydx")) as Capture;
const LABELS = SETTINGS.map(({ label, strategy }) => label ?? strategy);

/** The figures of a table's rows by capture and strategy, without the numbers of the doubts. */
function figuresOf(table: string): ReadonlyMap<string, string> {
  let capture = "";
  const figures = new Map<string, string>();
  for (const line of table.split("\n").filter((text) => /^\|.*\|$/.test(text))) {
    const [first = "", label = "", ...cells] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
    if (first !== "") capture = first;
    if (LABELS.includes(label)) figures.set(`${capture} ${label}`, cells.slice(0, -1).join(" | "));
  }
  return figures;
}

describe("the table of all strategies on all captures", () => {
  const page = readPage("docs/reference/strategy-results.md").text;
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "strategy-results-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("leaves out no built-in strategy and no capture, or the losing ones could go missing", () => {
    const tried = new Set(SETTINGS.map(({ strategy }) => strategy));
    expect([...tried].sort()).toEqual(Object.keys(builtInStrategies).sort());
    const wanted = CAPTURES.flatMap(({ name }) => LABELS.map((label) => `${name} ${label}`));
    expect([...figuresOf(page).keys()]).toEqual(wanted);
  });

  it.skipIf(missingFiles([PLAYED]).length > 0)(
    `has the figures that a run gives: ${PLAYED.name} (skipped without the recorded data)`,
    async () => {
      const played = figuresOf(resultsTable(await tryStrategies(PLAYED, folder)));
      const printed = figuresOf(page);
      expect(played.size).toBe(SETTINGS.length);
      for (const [row, figures] of played) expect(printed.get(row), row).toBe(figures);
      expect([...played.values()].filter((figures) => /\d/.test(figures)).length).toBeGreaterThan(
        4,
      );
    },
  );
});
