import { describe, expect, it } from "vitest";
import type { BotConfig } from "#bot/config.js";
import { prepareChange } from "#bot/prepare-change.js";
import { replayLines } from "#bot/replay-journal.js";
import { asFile, botConfigOf, EXCHANGE, MemoryJournal, startVirtualRun } from "./recorded-run.js";

const ONE_MARKET = { ...EXCHANGE, markets: { btcusdc: EXCHANGE.markets.btcusdc } };

const configOf = (
  strategy: string,
  params: object,
  reference?: Record<string, unknown>,
): BotConfig =>
  botConfigOf({
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 0 },
    references: { index: { index: "btcusdc" } },
    markets: {
      btcusdc: {
        strategy,
        params: { sizeBase: 0.02, ...params },
        limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
        ...(reference === undefined ? {} : { reference }),
      },
    },
  });

describe("a bot whose strategy is pegged to the exchange's index price", () => {
  it("wants no quote inside its margin from the index, in thirty seconds of a moving market, and replays", async () => {
    const journal = new MemoryJournal();
    const run = await startVirtualRun({
      // The exchange's maker rebate is 1 basis point: a margin of 4.
      config: configOf("pegged", { edgeBps: 5, priceSkewBps: 3 }, { from: ["index"] }),
      exchangeConfig: ONE_MARKET,
      journal,
    });
    const trader = run.running.bot.context.traders.get("btcusdc");
    const seen = new Set<string>();
    let isBothSided = false;
    let onIndex = 0;
    for (let at = 0; at < 600; at++) {
      await run.clock.runFor(50);
      const reference = trader?.lastView?.reference;
      const quotes = trader?.quotes;
      if (quotes === undefined || reference === undefined) continue;
      const { fairTicks } = quotes.reason;
      if (Math.abs(fairTicks - (trader?.state.indexTicks ?? Number.NaN)) < 1e-6) onIndex++;
      isBothSided ||= quotes.quotes.length === 2;
      for (const { side, ticks } of quotes.quotes) {
        seen.add(`${side} ${ticks}`);
        const awayBps = ((side === "BUY" ? -1 : 1) * (ticks - fairTicks) * 10_000) / fairTicks;
        expect(awayBps).toBeGreaterThanOrEqual(4 - 1e-9);
      }
    }
    expect(isBothSided).toBe(true);
    // The quotes of a view are around the index price that the exchange publishes.
    expect(onIndex).toBeGreaterThan(10);
    expect(seen.size).toBeGreaterThan(10);
    await run.stop();
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
  });
});

describe("a change of a running bot to quotes around a reference price", () => {
  it("is refused in a market without one, and changes nothing", async () => {
    const config = configOf("ladder", { halfSpreadBps: 5 });
    const run = await startVirtualRun({ config, exchangeConfig: ONE_MARKET });
    const { context } = run.running.bot;
    const next = configOf("ladder", { halfSpreadBps: 5, fair: "reference" });
    expect(() => prepareChange(context, { ...next, path: config.path })).toThrow(
      /^markets\.btcusdc\.reference: is missing, and the strategy quotes around a reference price/,
    );
    await run.stop();
  });

  it("is accepted in a market with one", async () => {
    const config = configOf("ladder", { halfSpreadBps: 5 }, { from: ["index"] });
    const run = await startVirtualRun({ config, exchangeConfig: ONE_MARKET });
    const next = configOf("ladder", { halfSpreadBps: 5, fair: "reference" }, { from: ["index"] });
    const { differences } = prepareChange(run.running.bot.context, { ...next, path: config.path });
    expect(differences).toHaveLength(1);
    await run.stop();
  });
});
