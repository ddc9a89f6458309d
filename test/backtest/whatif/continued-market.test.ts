import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../history/scratch.js";
import { checkSession } from "./check-session.js";
import { continueMarket } from "./continued-market.js";
import { coverageTable } from "./coverage-table.js";
import { drawCase } from "./draw-case.js";

describe("the market that the interval of a what-if is checked on", () => {
  it("is the same up to the bot's start and another one afterwards, and a recording changes nothing", async () => {
    const { opening, config } = drawCase("train 7", 20_000);
    const folder = join(scratchFolder(), "session");
    const recorded = await continueMarket(opening, config, "one", folder);
    const repeated = await continueMarket(opening, config, "one");
    const other = await continueMarket(opening, config, "two");
    expect(repeated.profit).toEqual(recorded.profit);
    expect(other.profit).not.toEqual(recorded.profit);
    expect(recorded.session?.start?.positionsBase).toEqual({ btcusdc: "0.038" });
  });

  it("gives a truth and an answer of each session, and a table that keeps refused ones apart", async () => {
    const folder = scratchFolder();
    const checked = [
      await checkSession("train 7", 2, join(folder, "7"), 65_000),
      await checkSession("train 10", 2, join(folder, "10"), 65_000),
    ];
    expect(checked.map(({ isRefused }) => isRefused)).toEqual([false, true]);
    for (const { truth, estimate } of checked.slice(0, 1))
      expect(Math.sign(truth)).toBe(Math.sign(estimate));
    const table = coverageTable(checked, { seeds: 2 });
    expect(table).toContain("2 sessions, 2 continuations of each");
    expect(table).toContain("1 answered, 1 refused");
  });
});
