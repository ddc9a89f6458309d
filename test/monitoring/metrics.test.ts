import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { METRIC_LIST, METRIC_PREFIX } from "#monitoring/metric-list.js";
import { Metrics } from "#monitoring/metrics.js";
import { renderMetricsPage } from "#monitoring/metrics-page.js";

/** Every method once, so that the page has a sample of everything. */
function recorded(): Metrics {
  const metrics = new Metrics();
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
  metrics.liquidation("btcusdc", "won");
  metrics.liquidationStage("btcusdc", "seen", undefined);
  metrics.liquidationStage("btcusdc", "mined", 0.4);
  metrics.liquidationGas(0.0003);
  metrics.setLiquidator({ profitQuote: 12.5, candidates: 40, inFlight: 1 });
  metrics.setRpc("127.0.0.1:8545", true, 0.8);
  metrics.setBuild("0.1.0", "v20.20.2");
  return metrics;
}

describe("the metrics page", () => {
  it("has a sample of every metric in the list", async () => {
    const page = await recorded().page();
    for (const { name } of Object.values(METRIC_LIST))
      expect(page).toMatch(new RegExp(`^${METRIC_PREFIX}${name}(_bucket)?(\\{| )`, "m"));
  });

  it.each([
    'marketwright_orders_total{market="btcusdc",side="BUY",action="place",outcome="accepted"} 2',
    'marketwright_orders_total{market="btcusdc",side="ALL",action="cancel-all",outcome="cancelled"} 1',
    'marketwright_open_orders{market="btcusdc",side="SELL"} 3',
    'marketwright_fills_total{market="btcusdc",side="BUY",liquidity="maker"} 1',
    'marketwright_position_base{market="btcusdc"} -0.5',
    "marketwright_equity_quote 1000",
    'marketwright_pnl_quote{market="btcusdc",part="spread"} 2.5',
    'marketwright_rate_tokens{bucket="ORDER"} 190',
    'marketwright_tick_to_order_seconds_bucket{le="0.0005"} 1',
    "marketwright_order_ack_seconds_count 1",
    'marketwright_stream_gaps_total{market="btcusdc"} 1',
    'marketwright_reconcile_differences_total{kind="missing-order"} 1',
    'marketwright_halted{reason="drawdown"} 1',
    'marketwright_risk_rung{measure="drawdown",market=""} 5',
    'marketwright_risk_rung{measure="inventory",market="btcusdc"} 2',
    "marketwright_daily_loss_quote 12.5",
    'marketwright_liquidations_total{market="btcusdc",outcome="won"} 1',
    'marketwright_liquidation_stages_total{market="btcusdc",stage="seen"} 1',
    'marketwright_liquidation_stages_total{market="btcusdc",stage="mined"} 1',
    'marketwright_liquidation_seconds_count{stage="mined"} 1',
    "marketwright_heartbeat_timestamp_seconds 1700000000.5",
  ])("says %s", async (line) => {
    expect((await recorded().page()).split("\n")).toContain(line);
  });

  it("keeps two bots of one process apart", async () => {
    recorded();
    expect(await new Metrics().page()).not.toContain("btcusdc");
  });

  it("has Node's own metrics when asked for", async () => {
    expect(await new Metrics().withProcessMetrics().page()).toContain("process_cpu_seconds_total");
  });

  it("passes promtool", async (context) => {
    const promtool = process.env.PROMTOOL ?? "promtool";
    const result = spawnSync(promtool, ["check", "metrics"], {
      input: await recorded().page(),
      encoding: "utf8",
    });
    context.skip(
      result.error !== undefined,
      "promtool is not installed (Debian: prometheus), so the names were not linted",
    );
    expect(`${result.stdout}${result.stderr}`).toBe("");
    expect(result.status).toBe(0);
  });
});

describe("docs/reference/metrics.md", () => {
  it("matches the code (npm run docs)", () => {
    expect(readFileSync(new URL("../../docs/reference/metrics.md", import.meta.url), "utf8")).toBe(
      renderMetricsPage(),
    );
  });
});
