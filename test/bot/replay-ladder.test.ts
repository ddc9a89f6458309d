import { expect, it } from "vitest";
import { replayLines } from "#bot/replay-journal.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { asFile, botConfigOf, EXCHANGE, MemoryJournal, startVirtualRun } from "./recorded-run.js";

const config = botConfigOf({
  markets: {
    btcusdc: {
      strategy: "ladder",
      params: { levels: 2, halfSpreadBps: 1, levelSpacingBps: 1, sizeBase: 0.02 },
      limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
    },
  },
  risk: {
    maxDrawdownQuote: "0.2",
    onDrawdown: "flatten",
    flatten: { slices: 4, maxSlippageBps: 50 },
  },
});
const exchangeConfig = { ...EXCHANGE, markets: { btcusdc: EXCHANGE.markets.btcusdc } };

it("a journal in which a drawdown flattens, is found by the next run and is resumed replays to byte-identical actions", async () => {
  const store = new MemoryStateStore();
  for (const start of ["first", "second"]) {
    const found = store.read("risk-ladder.json") ?? "";
    if (start === "second")
      expect(found, "what the first run left").toContain('"action":"flatten"');
    const journal = new MemoryJournal();
    const run = await startVirtualRun({ config, exchangeConfig, journal, store });
    await run.clock.runFor(start === "first" ? 45_000 : 5_000);
    if (start === "second") {
      run.running.command({ command: "resume" });
      // It may trip again at once.
      expect(
        JSON.parse(store.read("risk-ladder.json") ?? ""),
        "what the resume leaves",
      ).toMatchObject({ rungs: [] });
    }
    await run.clock.runFor(5_000);
    run.running.bot.abandon();
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
  }
});
