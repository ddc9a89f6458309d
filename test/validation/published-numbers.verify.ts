import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { manyPaths } from "./avellaneda-stoikov.js";
import { validationPage } from "./page.js";
import { agrees } from "./published.js";
import { VALIDATION } from "./sections.js";

describe("the published numbers", () => {
  it.skipIf(!VALIDATION.every(({ isAvailable }) => isAvailable))(
    "stand in docs/reference/validation.md as they are computed, every one of them",
    async () => {
      expect(
        readFileSync(new URL("../../docs/reference/validation.md", import.meta.url), "utf8"),
      ).toBe(await validationPage(VALIDATION));
    },
  );

  it("of Avellaneda and Stoikov are met by 200,000 paths", async () => {
    expect((await manyPaths(200_000).compare()).filter((row) => !agrees(row))).toEqual([]);
  });
});
