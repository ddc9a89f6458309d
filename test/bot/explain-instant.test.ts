import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explainMarket } from "#bot/explain-market.js";
import { plannedWorst } from "#bot/explain-worst.js";
import type { ExplainedMarket } from "#bot/explanation.js";
import { formatExplanation } from "#bot/format-explanation.js";
import { explain } from "./explained.js";
import { botConfigOf, startVirtualRun, type VirtualRun } from "./recorded-run.js";
import { StrategyFolder } from "./strategy-folder.js";

const folder = new StrategyFolder();

/** Quotes 10 bps from the mid, each time two seconds late. */
const LATE = `
import { defineStrategy, quoteAround } from "marketwright";
import { delay, map } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.strictObject({}),
  create: (_, { scheduler }) => (view$) =>
    view$.pipe(
      delay(2_000, scheduler),
      map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 10, sizeBase: 0.2 })),
    ),
});
`;

describe("explain of markets that answer at different times", () => {
  it("quotes the book that it prints, so that no distance is that of an older book", async () => {
    folder.write("late.ts", LATE);
    const { explanation } = await explain(
      botConfigOf({
        markets: {
          btcusdc: {
            strategy: "ladder",
            params: { fair: "mid", levels: 2, halfSpreadBps: 1, sizeBase: 0.02 },
            limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
            decide: { everyMs: 60_000, onTouchChange: false },
          },
          ethusdc: {
            strategy: join(folder.folder, "late.ts"),
            params: {},
            limits: { maxPositionBase: "5", maxOrderBase: "1" },
          },
        },
      }),
    );
    expect(explanation.complete).toBe(true);
    const { btcusdc, ethusdc } = explanation.markets;
    expect(btcusdc?.reason?.fairQuote).toBe(Number(btcusdc?.midQuote));
    expect(btcusdc?.quotes.map(({ fate }) => fate)).toEqual(["place", "place", "place", "place"]);
    expect(btcusdc?.reason?.viewsBehind).toBeUndefined();
    // This one cannot answer for the book of now.
    expect(ethusdc?.reason?.viewsBehind).toBeGreaterThan(0);
    expect(formatExplanation(explanation)).toMatch(
      /\n {2}decided {3}\d+ views? before this book\n/,
    );
  });

  it("has an exact mid, as a decimal like the prices beside it", async () => {
    const { explanation } = await explain(botConfigOf());
    for (const { bestBid, bestAsk, midQuote } of Object.values(explanation.markets)) {
      expect(midQuote).toMatch(/^\d+(\.\d{1,3})?$/);
      expect(Number(midQuote)).toBeCloseTo((Number(bestBid) + Number(bestAsk)) / 2, 9);
    }
    for (const { reason } of Object.values(explanation.markets))
      expect(String(reason?.fairQuote)).toMatch(/^\d+(\.\d{1,9})?$/);
  });
});

describe("explain of an order that rests within the tolerance", () => {
  it("shows both prices: the order's, and the one that the strategy's figures are about", async () => {
    const run = await startVirtualRun({});
    await run.clock.runFor(5_000);
    const found = await keptAside(run);
    const [{ quote, wanted }] = found;
    expect(quote.fate).toBe("keep");
    expect(quote.wanted?.price).toBe(wanted);
    expect(quote.why).toBe(`kept at ${quote.price}, wanted ${wanted} (within the tolerance), open`);
    await run.stop();
  });
});

type Aside = { readonly quote: ExplainedMarket["quotes"][number]; readonly wanted: string };

/** Orders that are kept beside their quote's price, at the first moment that has one. */
async function keptAside({ running: { bot }, clock }: VirtualRun): Promise<[Aside, ...Aside[]]> {
  for (let at = 0; at < 200; at++) {
    const trader = bot.context.traders.get("btcusdc");
    if (trader === undefined) throw new Error("the bot has no btcusdc");
    const { quotes } = explainMarket(bot, trader, plannedWorst(bot.context, true), true);
    const found = quotes.flatMap((quote): Aside[] => {
      const wanted = trader.quotes?.quotes.find(
        ({ side, level, lots }) =>
          side === quote.side &&
          level === quote.level &&
          trader.instrument.formatAmount(lots) === quote.amountBase,
      );
      const price = wanted && trader.instrument.formatPrice(wanted.ticks);
      return quote.fate !== "keep" || price === undefined || price === quote.price
        ? []
        : [{ quote, wanted: price }];
    });
    const [first, ...rest] = found.filter(({ quote }) => quote.why.includes("open"));
    if (first !== undefined) return [first, ...rest];
    await clock.runFor(100);
  }
  throw new Error("no order was kept beside its quote");
}
