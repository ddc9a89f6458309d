import { expect, it } from "vitest";
import { ASK, BID, MARKET, Stage } from "./stage.js";

it("the tick size changes under a running bot: quotes come down, the bot says what changed, a new start quotes on the new grid", async () => {
  const stage = new Stage({ bot: { exchange: { rest: "http://a.test/v1", stream: "ws://a.test/v1", rulesRefreshMs: 10_000 } } });
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
  expect(stage.quotes(), "59,999.0 and 60,002.0 are on both grids").toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
});
