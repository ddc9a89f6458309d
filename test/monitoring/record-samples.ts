import type { Metrics } from "#monitoring/metrics.js";

/** Calls every method once or more, so that the page has a sample of everything. */
export function recordSamples(metrics: Metrics): void {
  metrics.orderAction("btcusdc", "BUY", "place", "accepted");
  metrics.orderAction("btcusdc", "BUY", "place", "accepted");
  metrics.orderAction("btcusdc", undefined, "cancel-all", "cancelled");
  metrics.rejection("btcusdc", 2016);
  metrics.setOpenOrders("btcusdc", "SELL", 3);
  metrics.setUnknownOrders("btcusdc", 1);
  metrics.setManualOrders("btcusdc", 2);
  metrics.setQuoting("btcusdc", true);
  metrics.setQuotedFraction("btcusdc", "BOTH", 0.75);
  metrics.setQuoteDistance("btcusdc", "BUY", 1.25);
  metrics.setMarkout(
    { market: "btcusdc", side: "BOTH", level: "ALL", horizon: "0.1" },
    { fills: 3, quote: -0.25, bps: -0.5 },
  );
  metrics.fill("btcusdc", "BUY", "maker", 0.25);
  metrics.settlementFailure("btcusdc");
  metrics.setPosition("btcusdc", -0.5);
  metrics.setPositionUnknown("btcusdc", 0);
  metrics.setEquity(1000, 1010);
  metrics.setInTransit(-0.25);
  metrics.setPnl("btcusdc", "spread", 2.5);
  metrics.setRateTokens("ORDER", 190);
  metrics.setTokensShort("ORDER", true);
  metrics.setLoopLag(0.2, true);
  metrics.throttled(429);
  metrics.tickToOrder(0.0004);
  metrics.orderAck(0.03);
  metrics.intent("btcusdc", "quotes");
  metrics.riskRefusal("btcusdc", "maxPositionBase");
  metrics.streamState("market", true);
  metrics.streamGap("btcusdc");
  metrics.malformedFrame("book");
  metrics.setBookAge("btcusdc", 0.1);
  metrics.setHedge("btcusdc", "deep", {
    isReachable: true,
    positionBase: -0.02,
    unhedgedBase: 0,
    profitQuote: -0.11,
  });
  metrics.hedgeFill("btcusdc", "deep", "SELL", 0.02);
  metrics.setReference(
    "btcusdc",
    {
      priceTicks: 611_000,
      fairTicks: 611_061.1,
      ageMs: 250,
      basisBps: 1,
      sources: ["binance"],
      state: "good",
      why: undefined,
      isBasisFrozen: false,
      readings: [
        {
          source: "binance",
          weight: 1,
          bidTicks: 610_999,
          askTicks: 611_001,
          ageMs: 250,
          counts: true,
          leftOut: undefined,
        },
      ],
    },
    0.1,
  );
  metrics.setAccountAge(1);
  metrics.setClockOffset(-0.02);
  metrics.reconciled();
  metrics.reconcileDifference("missing-order");
  metrics.halted("drawdown", true);
  metrics.marketHalted("btcusdc", "stale-book", false);
  metrics.setRiskRung("drawdown", "", 5);
  metrics.setRiskRung("inventory", "btcusdc", 2);
  metrics.setDailyLoss(12.5);
  metrics.heartbeat(1_700_000_000_500);
  metrics.setGuarded(true);
  metrics.setStateUnwritten("heartbeat.json", true);
  metrics.liquidation("btcusdc", "won");
  metrics.liquidationStage("btcusdc", "seen", undefined);
  metrics.liquidationStage("btcusdc", "mined", 0.4);
  metrics.liquidationGas(0.0003);
  metrics.setLiquidator({ profitQuote: 12.5, candidates: 40, inFlight: 1 });
  metrics.setRpc("127.0.0.1:8545", true, 0.8);
  metrics.setBuild("0.1.0", "v20.20.2");
}
