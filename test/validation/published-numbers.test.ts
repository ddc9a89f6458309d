import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { sectionText } from "./page.js";
import { agrees, type Comparison, shown } from "./published.js";
import { VALIDATION } from "./sections.js";

const page = readFileSync(new URL("../../docs/reference/validation.md", import.meta.url), "utf8");

describe.each(VALIDATION.filter(({ isLong }) => isLong !== true))("$title", (published) => {
  it.skipIf(!published.isAvailable)(
    `are met, and stand in docs/reference/validation.md as they are computed${published.isAvailable ? "" : ` (skipped: ${recordedDataFolder()} has no such capture)`}`,
    async () => {
      const comparisons = await published.compare();
      expect(comparisons.length).toBeGreaterThan(0);
      expect(comparisons.filter((row) => !agrees(row))).toEqual([]);
      expect(page).toContain(sectionText(published, comparisons));
    },
  );
});

describe("a comparison", () => {
  const row = (theirs: string, ours: number, within?: number): Comparison => ({
    what: "",
    theirs,
    ours,
    ...(within === undefined ? {} : { within }),
  });

  it("without a stated difference is by the digits that were printed", () => {
    expect(agrees(row("3.02", 3.0217))).toBe(true);
    expect(agrees(row("3.02", 3.0317))).toBe(false);
    expect(agrees(row("612", 612))).toBe(true);
    expect(agrees(row("612", 613))).toBe(false);
    expect(agrees(row("0.08595", 0.085949))).toBe(true);
    expect(shown(row("3.02", 3.0217))).toBe("3.02");
  });

  it("with one is by it, and shows where ours lies", () => {
    expect(agrees(row("65.0", 64.9, 0.2))).toBe(true);
    expect(agrees(row("65.0", 65.3, 0.2))).toBe(false);
    expect(agrees(row("65.0", Number.NaN, 0.2))).toBe(false);
    expect(shown(row("65.0", 64.9, 0.2))).toBe("64.900");
  });

  it("that differs is marked on the page", () => {
    const published = { title: "T", source: "S", how: "H", isAvailable: true, compare: () => [] };
    expect(sectionText(published, [row("1.0", 2)])).toContain("| 2.0 | **differs**");
    expect(sectionText(published, [row("1.0", 1)])).not.toContain("differs");
  });
});
