import { exact } from "../chart/axis-text.js";
import { offerThemes } from "../chart/theme.js";
import { TimeWindow } from "../chart/time-window.js";
import { FillsTable } from "./fills-table.js";
import { drawMarkouts } from "./markout-chart.js";
import {
  instantMs,
  negated,
  type Report,
  readFills,
  readReport,
  toFigureValues,
  toLastValues,
  toValues,
} from "./report-data.js";
import { offerTable } from "./series-table.js";
import { drawTimeChart, type TimeChartOptions, type TimeLine } from "./time-chart.js";

const PART_NAMES: Readonly<Record<string, string>> = {
  spread: "spread",
  adverseSelection: "adverse selection",
  inventory: "inventory",
  fees: "fees",
  funding: "funding",
  basis: "basis",
  liquidation: "liquidation",
  failed: "failed settlements",
  other: "other",
};

offerThemes();
const report = readReport();
const fills = readFills();
const { series } = report;
const window_ = new TimeWindow(instantMs(report.span.from), instantMs(report.span.to));
/** The instants to which the values of the buckets belong. */
const bucketEnds = Array.from({ length: series.buckets }, (_, bucket) =>
  Math.min(window_.fullFromMs + ((bucket + 1) * series.bucketUs) / 1000, window_.fullToMs),
);

chart("equity", {
  unit: report.asset,
  height: 260,
  lines: [
    {
      name: "equity",
      values: toValues(series.equity),
      colour: "c-accent",
      shape: "line",
      isScaled: true,
    },
  ],
});
chart("drawdown", {
  unit: report.asset,
  height: 130,
  holdsZero: true,
  lines: [
    {
      name: "below the peak",
      values: negated(toValues(series.drawdown)),
      colour: "c-sell",
      shape: "area",
      isScaled: true,
    },
  ],
});
const changing = Object.entries(series.parts).filter(([, values]) =>
  values.some((value) => value !== null && value !== "0"),
);
chart("parts", {
  unit: report.asset,
  height: 260,
  holdsZero: true,
  lines: changing.map(([part, values]) => ({
    name: PART_NAMES[part] ?? part,
    values: toLastValues(values),
    colour: `p-${part}`,
    shape: "line",
    isScaled: true,
  })),
});
for (const market of report.markets) marketCharts(market);
for (const [index, budget] of report.budgets.entries()) {
  chart(`budget-${index}`, {
    unit: "tokens",
    height: 130,
    holdsZero: true,
    bound: budget.limitTokens,
    lines: [
      {
        name: `${budget.name} used`,
        values: toValues(budget.used),
        colour: "c-accent",
        shape: "area",
        isScaled: true,
      },
    ],
  });
}
const table = document.getElementById("fills-table");
if (table !== null) new FillsTable(table, fills.columns, fills.rows);
offerMarkets();
offerReset();

function marketCharts(market: Report["markets"][number]): void {
  const at = (name: string): number => fills.columns.indexOf(name);
  const base = market.marketId;
  chart(`price-${base}`, {
    unit: report.asset,
    height: 320,
    lines: [
      {
        name: "mid",
        values: toValues(market.series.mid),
        colour: "c-ink",
        shape: "line",
        isScaled: true,
      },
      {
        name: "our bid",
        values: toValues(market.series.ownBid, true),
        colour: "c-buy",
        shape: "step",
        isScaled: false,
      },
      {
        name: "our ask",
        values: toValues(market.series.ownAsk, true),
        colour: "c-sell",
        shape: "step",
        isScaled: false,
      },
    ],
    fills: fills.rows.filter((fill) => fill.market === base),
    fillText: ({ fields }) =>
      `${fields[at("side")] === "BUY" ? "bought" : "sold"} ${exact(fields[at("amount")] ?? "")} at ${exact(fields[at("price")] ?? "")} (${fields[at("cause")]}), position ${exact(fields[at("position")] ?? "")}`,
  });
  chart(`position-${base}`, {
    unit: "base",
    height: 130,
    holdsZero: true,
    lines: [
      {
        name: "position",
        values: toValues(market.series.position),
        colour: "c-accent",
        shape: "area",
        isScaled: true,
      },
    ],
  });
  const { both, bid, ask, bidTicks, askTicks } = market.series.quoting;
  const line = (
    name: string,
    values: readonly (number | null)[],
    colour: string,
    factor = 1,
  ): TimeLine => {
    return { name, values: toFigureValues(values, factor), colour, shape: "line", isScaled: true };
  };
  chart(`uptime-${base}`, {
    unit: "%",
    height: 150,
    holdsZero: true,
    bound: 100,
    lines: [
      line("bid", bid, "c-buy", 100),
      line("ask", ask, "c-sell", 100),
      line("both sides", both, "c-ink", 100),
    ],
  });
  chart(`distance-${base}`, {
    unit: "ticks",
    height: 150,
    holdsZero: true,
    lines: [line("bid", bidTicks, "c-buy"), line("ask", askTicks, "c-sell")],
  });
  const host = document.getElementById(`markouts-${base}`);
  if (host !== null) drawMarkouts(host, report.markoutSeconds, market.markouts);
}

function chart(id: string, options: TimeChartOptions): void {
  const host = document.getElementById(id);
  if (host === null) return;
  drawTimeChart(host, window_, bucketEnds, options);
  const figure = host.closest("figure");
  if (figure !== null) offerTable(figure, options.unit, options.lines, bucketEnds);
}

function offerMarkets(): void {
  const select = document.getElementById("market");
  if (!(select instanceof HTMLSelectElement)) return;
  const show = (): void => {
    for (const section of document.querySelectorAll<HTMLElement>("[data-market]"))
      section.hidden = section.dataset.market !== select.value;
  };
  select.addEventListener("change", show);
  show();
}

function offerReset(): void {
  const button = document.getElementById("whole-span");
  if (!(button instanceof HTMLButtonElement)) return;
  button.addEventListener("click", () => window_.showAll());
  window_.listen(
    () => {
      button.hidden = !window_.isZoomed;
    },
    () => {},
  );
}
