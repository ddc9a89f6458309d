import { describe, expect, it } from "vitest";
import { replayLines } from "#bot/replay-journal.js";
import { GridCells } from "#strategies/grid-cells.js";
import { asFile, botConfigOf, EXCHANGE, MemoryJournal, startVirtualRun } from "./recorded-run.js";

const PARAMS = {
  lowerPrice: 59_400,
  upperPrice: 60_600,
  cells: 60,
  spacing: "arithmetic",
  sizeBase: 0.01,
  ordersPerSide: 4,
} as const;

describe("a bot whose strategy is a grid", () => {
  it("has at every view the orders that its position alone asks for, as after a restart, and replays", async () => {
    const journal = new MemoryJournal();
    const run = await startVirtualRun({
      config: botConfigOf({
        markets: {
          btcusdc: {
            strategy: "grid",
            params: PARAMS,
            limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
          },
        },
      }),
      exchangeConfig: { ...EXCHANGE, markets: { btcusdc: EXCHANGE.markets.btcusdc } },
      journal,
    });
    const trader = run.running.bot.context.traders.get("btcusdc");
    if (trader === undefined) throw new Error("no trader");
    const cells = new GridCells(PARAMS, 10, trader.instrument, "params");
    const positions = new Set<number>();
    for (let at = 0; at < 400; at++) {
      await run.clock.runFor(100);
      const { lastView, quotes } = trader;
      // A partial fill and its view are one turn apart.
      if (quotes === undefined || lastView?.sequence !== quotes.viewSequence) continue;
      positions.add(lastView.positionLots);
      const { bids, asks } = cells.ordersAt(lastView.positionLots);
      for (const [side, wanted] of [
        ["BUY", bids],
        ["SELL", asks],
      ] as const) {
        const own = quotes.quotes.filter((quote) => quote.side === side);
        expect(own.map(({ lots }) => lots)).toEqual(wanted.slice(0, 4).map(({ lots }) => lots));
        // At their level, or behind the touch where the market has passed it; never beyond.
        own.forEach(({ ticks }, index) => {
          const level = wanted[index]?.ticks ?? Number.NaN;
          expect(side === "BUY" ? ticks <= level : ticks >= level).toBe(true);
        });
      }
    }
    expect(positions.size).toBeGreaterThan(2);
    await run.stop();
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
  });
});
