import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { METRIC_LIST, METRIC_PREFIX } from "#monitoring/metric-list.js";
import { Metrics } from "#monitoring/metrics.js";
import { renderMetricsPage } from "#monitoring/metrics-page.js";
import { recordSamples } from "./record-samples.js";

function recorded(): Metrics {
  const metrics = new Metrics();
  recordSamples(metrics);
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
