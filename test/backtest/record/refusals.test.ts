import { describe, expect, it } from "vitest";
import { RefusalCounter } from "#backtest/refusals.js";
import { Instrument } from "#core/instrument.js";
import type { Intent, Quote } from "#strategies/intent.js";

const instrument = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});
const reason = { fairTicks: 1, reservationTicks: 1, halfSpreadTicks: 1, terms: {}, clamps: [] };

function refusals(): RefusalCounter {
  return new RefusalCounter(
    new Map([["btcusdc", { instrument, rules: { minLots: 50, maxOpenOrders: 3 } }]]),
  );
}

function wanted(...sizes: readonly number[]): { readonly kind: "intent"; readonly intent: Intent } {
  const quotes = sizes.map(
    (lots, level): Quote => ({ side: "BUY", level, ticks: 1000 - level, lots }),
  );
  return {
    kind: "intent",
    intent: { kind: "quotes", marketId: "btcusdc", viewSequence: 1, quotes, reason },
  };
}

describe("refusals of a run", () => {
  it("name quotes below the market's least order: a run without fills must not look like a quiet market", () => {
    const heard = refusals();
    heard.onBotEvent(wanted(50, 10), 7_000_000);
    heard.onBotEvent(wanted(49), 8_000_000);
    expect(heard.list).toEqual([
      {
        marketId: "btcusdc",
        by: "limit",
        reason: "least-amount",
        count: 2,
        firstUs: 7_000_000,
        why: "quote BUY 1: 0.01 base, below the market's smallest order of 0.05",
      },
    ]);
  });

  it("report more quotes than the market allows to rest: the outer ones would only seem to earn nothing", () => {
    const heard = refusals();
    heard.onBotEvent(wanted(50, 50, 50), 1);
    heard.onBotEvent(wanted(50, 50, 50, 50, 50), 2);
    expect(heard.list.map(({ reason: kind, count, why }) => [kind, count, why])).toEqual([
      ["market-orders", 1, "5 quotes, above the market's limit of 3 open orders"],
    ]);
  });

  it("count sizes that a limit reduced: a profit of half the size must not look like all of it", () => {
    const heard = refusals();
    const clips = [{ limit: "order-size", why: "BUY 0: order size 1 -> 0.1 base" }] as const;
    heard.onBotEvent({ ...wanted(100), clips }, 5);
    heard.onBotEvent(
      {
        ...wanted(100),
        clips: [...clips, { limit: "position", why: "BUY 0: max position 0.1 -> 0.05 base" }],
      },
      6,
    );
    expect(heard.list).toEqual([
      {
        marketId: "btcusdc",
        by: "limit",
        reason: "order-size",
        count: 2,
        firstUs: 5,
        why: "BUY 0: order size 1 -> 0.1 base",
      },
      {
        marketId: "btcusdc",
        by: "limit",
        reason: "position",
        count: 1,
        firstUs: 6,
        why: "BUY 0: max position 0.1 -> 0.05 base",
      },
    ]);
  });

  it("leave out quotes that the market accepts, and unknown markets", () => {
    const heard = refusals();
    heard.onBotEvent(wanted(50, 51), 1);
    heard.onBotEvent({ kind: "intent", intent: { ...wanted(1).intent, marketId: "ethusdc" } }, 1);
    expect(heard.list).toEqual([]);
  });
});
