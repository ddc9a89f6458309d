import common from "@grafana/grafana-foundation-sdk/common";
import dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import stat from "@grafana/grafana-foundation-sdk/stat";
import timeseries from "@grafana/grafana-foundation-sdk/timeseries";
import type { DashboardPlan, PanelPlan } from "./dashboard-plan.js";
import { series } from "./metric-query.js";

/** Columns of Grafana's grid. */
const GRID_WIDTH = 24;
const SIZES = { stat: { width: 4, height: 4 }, lines: { width: 12, height: 8 } } as const;
const PROMETHEUS = { type: "prometheus", uid: "$" + "{datasource}" };
/** Matches a series without the label, too: a scrape need not name its account. */
const ANY = ".*";

/** Builds a dashboard as Grafana loads it from a file. */
export function buildDashboard(plan: DashboardPlan): dashboard.Dashboard {
  const builder = new dashboard.DashboardBuilder(plan.title)
    .description(plan.description)
    .tags(["marketwright"])
    .editable()
    .timezone("browser")
    .time({ from: "now-1h", to: "now" })
    .refresh("10s")
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .link(
      new dashboard.DashboardLinkBuilder("Marketwright")
        .type(dashboard.DashboardLinkType.Dashboards)
        .tags(["marketwright"])
        .asDropdown(true)
        .includeVars(true)
        .keepTime(true),
    )
    .withVariable(
      new dashboard.DatasourceVariableBuilder("datasource").label("Prometheus").type("prometheus"),
    )
    .withVariable(
      choice("account", "Account", series("buildInfo").replace(/\{.*/, ""))
        .multi(true)
        .includeAll(true)
        .allValue(ANY),
    );
  if (plan.markets !== undefined) {
    const markets = choice("market", "Market", series("position"));
    builder.withVariable(
      plan.markets === "one" ? markets : markets.multi(true).includeAll(true).allValue(ANY),
    );
  }
  let id = 0;
  let top = 0;
  for (const row of plan.rows) {
    builder.withRow(
      new dashboard.RowBuilder(row.title).id(++id).gridPos({ h: 1, w: GRID_WIDTH, x: 0, y: top }),
    );
    top += 1;
    let left = 0;
    let height = 0;
    for (const panel of row.panels) {
      const size = SIZES[panel.kind];
      if (left + size.width > GRID_WIDTH) {
        top += height;
        left = 0;
        height = 0;
      }
      builder.withPanel(
        toPanel(panel).id(++id).gridPos({ h: size.height, w: size.width, x: left, y: top }),
      );
      left += size.width;
      height = Math.max(height, size.height);
    }
    top += height;
  }
  return builder.build();
}

function choice(label: string, title: string, from: string): dashboard.QueryVariableBuilder {
  return new dashboard.QueryVariableBuilder(label)
    .label(title)
    .datasource(PROMETHEUS)
    .query(`label_values(${from}, ${label})`)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.AlphabeticalAsc);
}

function toPanel(plan: PanelPlan): stat.PanelBuilder | timeseries.PanelBuilder {
  const builder =
    plan.kind === "stat"
      ? new stat.PanelBuilder().reduceOptions(
          new common.ReduceDataOptionsBuilder().calcs(["lastNotNull"]),
        )
      : new timeseries.PanelBuilder().fillOpacity(8);
  builder
    .title(plan.title)
    .description(plan.help)
    .unit(plan.unit)
    .datasource(PROMETHEUS)
    .targets(
      plan.queries.map(({ expr, legend }, at) => {
        const query = new prometheus.DataqueryBuilder()
          .refId(String.fromCharCode("A".charCodeAt(0) + at))
          .datasource(PROMETHEUS)
          .expr(expr)
          .legendFormat(legend);
        return plan.kind === "stat" ? query.instant() : query.range();
      }),
    );
  if (plan.decimals !== undefined) builder.decimals(plan.decimals);
  if (plan.thresholds !== undefined)
    builder.thresholds(
      new dashboard.ThresholdsConfigBuilder()
        .mode(dashboard.ThresholdsMode.Absolute)
        .steps(plan.thresholds.map(([color, from]) => ({ color, value: from ?? null }))),
    );
  return builder;
}
