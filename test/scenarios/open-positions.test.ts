import { expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import { RunMonitor } from "#bot/run-monitor.js";
import { buildRunSummary } from "#bot/run-summary.js";
import { silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const summaryOf = ({ rig, clock }: Stage) =>
  buildRunSummary(rig.bot, new RunMonitor(new Metrics(), silentLog, clock, () => {}), null);

it("names the position that stays open at the end of a run, with entry and notional, as status does", async () => {
  const stage = new Stage();
  await stage.botStarts();
  expect(buildBotStatus(stage.rig.bot).openPositions, "flat").toEqual([]);
  stage.counterparty.buys(4, ASK);
  await stage.passes(10_000);
  const status = buildBotStatus(stage.rig.bot);
  await stage.botStops();
  const summary = summaryOf(stage);
  expect(summary.openPositions).toEqual([
    {
      marketId: MARKET,
      positionBase: "-0.004",
      entryPrice: "60001",
      notionalQuote: expect.stringMatching(/^2[34]\d(\.\d+)?$/),
      baseAsset: "BTC",
      quoteAsset: "USDC",
    },
  ]);
  const mark = Number(status.markets[MARKET]?.markQuote);
  expect(Number(summary.openPositions[0]?.notionalQuote)).toBeCloseTo(0.004 * mark, 6);
  expect(status.openPositions).toEqual(summary.openPositions);
  expect(summary.positionBase).toEqual({ [MARKET]: "-0.004" });
});

it("names none that was closed, and none while the exchange has not reported it", async () => {
  const stage = new Stage();
  await stage.botStarts();
  stage.counterparty.buys(4, ASK);
  await stage.passes(2_000);
  stage.wants({ ask: null });
  stage.counterparty.sells(4, BID);
  await stage.passes(10_000);
  expect(stage.positionLots()).toBe(0);
  expect(summaryOf(stage).openPositions).toEqual([]);
  stage.counterparty.sells(4, BID);
  await stage.passes(2_000);
  stage.botIsKilled();
  await stage.botStarts(5_000, (network) => {
    network.down = true;
  });
  expect(summaryOf(stage)).toMatchObject({ openPositions: [], positionBase: { [MARKET]: null } });
});
