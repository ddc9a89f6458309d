import { expect, it } from "vitest";
import { ASK, BID, COARSER_STEP, COARSER_TICK, MARKET, Stage } from "./stage.js";

it("the tick size changes under a running bot: quotes come down, the bot says what changed, a new start quotes on the new grid", async () => {
  const stage = new Stage({
    bot: {
      exchange: { rest: "http://a.test/v1", stream: "ws://a.test/v1", rulesRefreshMs: 10_000 },
    },
  });
  await stage.botStarts();
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);

  stage.exchange.setMarketRules(MARKET, { tickSize: "0.5", priceQuote: { min: "0.5" } });
  await stage.passes(12_000);

  expect(stage.quotes()).toEqual([]);
  expect(stage.halts()).toEqual(["exchange-info-changed"]);
  expect(stage.saidOfHalt("exchange-info-changed")).toContain("tickSize was 0.1, is 0.5");
  const placed = stage.network.sentOf("placeOrder").length;
  await stage.passes(30_000);
  expect(stage.network.sentOf("placeOrder")).toHaveLength(placed);

  await stage.botStops();
  stage.wants({ bid: BID / 5, ask: ASK / 5 });
  await stage.botStarts(3_000);
  expect(stage.quotes(), "59,999.0 and 60,002.0 are on both grids").toEqual([
    `BUY 10 @ ${BID}`,
    `SELL 10 @ ${ASK}`,
  ]);
});

it.each([
  ["tick", COARSER_TICK, { bid: BID - 1, ask: ASK + 1 }],
  ["step", COARSER_STEP, { lots: 9 }],
  ["lowest price", { priceQuote: { min: "59950" } }, { bid: BID - 1_000 }],
] as const)(
  "a %s that has changed is read at the first order that is refused for it: orders were refused for five minutes",
  async (_, change, moved) => {
    const stage = new Stage();
    await stage.botStarts();
    stage.exchange.setMarketRules(MARKET, change);
    stage.wants(moved);
    await stage.passes(15_000);
    expect(stage.quotes()).toEqual([]);
    expect(stage.halts()).toEqual(["exchange-info-changed"]);
  },
);
