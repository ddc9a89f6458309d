import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../history/scratch.js";
import { checkSession } from "./check-session.js";
import { type CheckedSession, countCovered, coverageTable } from "./coverage-table.js";

/** A quarter of those of the page, which `npm run whatif-check` computes. */
const SESSIONS = 25;
const SEEDS = 20;

describe("the interval of a what-if", () => {
  it("has the true change in 80 % of the sessions that it answers, within the error of their number", async () => {
    const checked: CheckedSession[] = [];
    for (let number = 0; number < SESSIONS; number++) {
      const folder = join(scratchFolder(), String(number));
      checked.push(await checkSession(`verify ${number}`, SEEDS, folder));
    }
    process.stdout.write(`${coverageTable(checked, { seeds: SEEDS })}\n`);
    const { low, high } = countCovered(checked.filter(({ isRefused }) => !isRefused));
    expect(low).toBeLessThanOrEqual(0.8);
    expect(high).toBeGreaterThanOrEqual(0.8);
  });
});
