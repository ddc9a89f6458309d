import { expect, it } from "vitest";
import type { MarketFillModel } from "#backtest/fill-options.js";
import { constantLatency } from "#backtest/latency.js";
import { bid, books, builder, MS, S, standing, ticking } from "./played-tapes.js";
import { NOON_US, quoting, ReplayStage } from "./replay-stage.js";

const PRICES = { btcusdc: 599_998, ethusdc: 599_997 };

/** Two markets that move alike, with a quote at a level of each from the start. */
function played(models: Readonly<Record<keyof typeof PRICES, MarketFillModel>>) {
  const history = (ticks: number) => {
    const tape = ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 3 * S);
    // Others join behind the quote, most of those ahead leave, and the sales then end at the quote
    // or before it.
    tape.update(NOON_US + 3 * S, NOON_US + 3 * S + MS).level("BUY", ticks, 15);
    tape.update(NOON_US + 4 * S, NOON_US + 4 * S + MS).level("BUY", ticks, 6);
    tape.trade(NOON_US + 5 * S, NOON_US + 5 * S + MS, "SELL", ticks, 3);
    return books(tape.build());
  };
  const stage = new ReplayStage({
    markets: { btcusdc: history(PRICES.btcusdc), ethusdc: history(PRICES.ethusdc) },
    strategies: {
      btcusdc: quoting(() => [bid(PRICES.btcusdc)]),
      ethusdc: quoting(() => [bid(PRICES.ethusdc)]),
    },
    ownModels: new Map(Object.entries(models)),
  });
  stage.run.play(NOON_US + 6 * S);
  const { told } = stage;
  const leftUs = told.actions.find(({ kind }) => kind === "place")?.atUs ?? 0;
  return Object.entries(PRICES).map(([marketId, ticks]) => ({
    marketId,
    onItsWayUs: (told.quotes.find((quote) => quote.ticks === ticks)?.atUs ?? 0) - leftUs,
    filledLots: told.fills
      .filter((fill) => fill.marketId === marketId)
      .reduce((sum, { lots }) => sum + lots, 0),
  }));
}

it("keeps the latency and queue models of the markets apart", () => {
  const slow = { queue: "risk-averse", latency: constantLatency(250, 10) };
  const quick = { queue: "log", latency: constantLatency(7, 10) };
  expect(played({ btcusdc: slow, ethusdc: quick })).toEqual([
    { marketId: "btcusdc", onItsWayUs: 250 * MS, filledLots: 0 },
    { marketId: "ethusdc", onItsWayUs: 7 * MS, filledLots: 1 },
  ]);
  expect(played({ btcusdc: quick, ethusdc: slow })).toEqual([
    { marketId: "btcusdc", onItsWayUs: 7 * MS, filledLots: 1 },
    { marketId: "ethusdc", onItsWayUs: 250 * MS, filledLots: 0 },
  ]);
});
