import { REPORT_PARTS, type ReportPart } from "../../record/split-profit.js";
import { type Cell, figureHtml, tableHtml } from "./html-table.js";
import {
  countText,
  escapeHtml,
  exactText,
  moneyText,
  signClass,
  signedMoney,
} from "./html-text.js";
import type { PageReport } from "./page-report.js";

const PART_NAMES: Readonly<Record<ReportPart, string>> = {
  spread: "Spread",
  adverseSelection: "Adverse selection",
  inventory: "Inventory",
  fees: "Fees",
  funding: "Funding",
  basis: "Basis",
  liquidation: "Liquidation",
  failed: "Failed settlements",
  other: "Other",
};

/** Equity and drawdown over time, the waterfall of the parts, and the days. */
export function profitHtml(report: PageReport): string {
  return `<section><h2>Equity</h2><button type="button" id="whole-span" hidden>Show the whole run</button>
${figureHtml("equity", "Net value", `The account's equity at the exchange's mark prices, in ${escapeHtml(report.asset)}. To zoom in, drag over a chart or spread two fingers; to zoom out, double-click or double-tap.`)}
${figureHtml("drawdown", "Drawdown", "Distance below the highest value so far.")}
</section>
<section><h2>Where the profit comes from</h2>
${waterfallHtml(report)}
<p class="gloss">Spread: each fill against the mid at its time. Adverse selection: the effect of moves of the mid within ${report.adverseSelectionSeconds} s after a fill, for orders that rested. Inventory: the effect of all other moves of the mid on the position. Basis: the exchange's mark price against the mid. The parts sum exactly to the change of the net value without deposits and withdrawals.</p>
${figureHtml("parts", "Parts over time", legendHtml(report))}
${marketSplitHtml(report)}</section>
${daysHtml(report)}`;
}

/** Each part starts where the one above it ended. */
function waterfallHtml({ profit, asset }: PageReport): string {
  const shown = REPORT_PARTS.filter((part) => profit[part] !== "0");
  let at = 0;
  const bars = shown.map((part) => {
    const from = at;
    at += Number(profit[part]);
    return { name: PART_NAMES[part], text: profit[part], from, to: at, className: "" };
  });
  bars.push({
    name: "Profit",
    text: profit.total,
    from: 0,
    to: Number(profit.total),
    className: "total",
  });
  const low = Math.min(0, ...bars.map(({ from, to }) => Math.min(from, to)));
  const high = Math.max(0, ...bars.map(({ from, to }) => Math.max(from, to)));
  const share = (value: number): string => ((100 * (value - low)) / (high - low || 1)).toFixed(3);
  const rows = bars.map(({ name, text, from, to, className }) => {
    const [left, right] = [Math.min(from, to), Math.max(from, to)];
    const width = Math.max(0.3, Number(share(right)) - Number(share(left)));
    const bar = `<span class="axis" style="left:${share(0)}%"></span><span class="part ${signClass(text)}" style="left:${share(left)}%;width:${width.toFixed(3)}%"></span>`;
    return `<tr class="${className}"><th scope="row" class="text">${name}</th><td class="track" aria-hidden="true"><div>${bar}</div></td><td class="${signClass(text)}" title="${exactText(text)} ${escapeHtml(asset)}">${exactText(text)}</td></tr>`;
  });
  const none = REPORT_PARTS.filter((part) => profit[part] === "0").map((part) =>
    PART_NAMES[part].toLowerCase(),
  );
  return `<table class="waterfall"><caption class="unseen">Profit by its parts, ${escapeHtml(asset)}</caption><tbody>${rows.join("")}</tbody></table>${none.length === 0 ? "" : `<p class="gloss">Zero: ${none.join(", ")}.</p>`}`;
}

function legendHtml({ profit }: PageReport): string {
  return REPORT_PARTS.filter((part) => profit[part] !== "0")
    .map(
      (part) =>
        `<span class="key"><i class="p-${part}"></i>${PART_NAMES[part].toLowerCase()}</span>`,
    )
    .join("");
}

function marketSplitHtml({ markets, asset }: PageReport): string {
  if (markets.length < 2) return "";
  const shown = REPORT_PARTS.filter((part) => markets.some(({ profit }) => profit[part] !== "0"));
  const rows = markets.map(({ marketId, profit }) => [
    escapeHtml(marketId),
    moneyCell(profit.total),
    ...shown.map((part) => moneyCell(profit[part])),
  ]);
  return `<h3>By market, ${escapeHtml(asset)}</h3>${tableHtml("Profit by market", ["market", "total", ...shown.map((part) => PART_NAMES[part].toLowerCase())], rows)}`;
}

function daysHtml({ daily, asset }: PageReport): string {
  const most = Math.max(...daily.map(({ profit }) => Math.abs(Number(profit.total))), 0) || 1;
  const rows = daily.map(({ day, isWhole, profit, maxDrawdown, turnover, fills }) => {
    const size = ((50 * Math.abs(Number(profit.total))) / most).toFixed(2);
    const bar = `<span class="daybar"><span class="${signClass(profit.total)}" style="width:${size}%"></span></span>`;
    return [
      `${day}${isWhole ? "" : " <small>part</small>"}`,
      { html: bar, className: "track" },
      moneyCell(profit.total),
      moneyCell(profit.spread, false),
      moneyCell(profit.adverseSelection, false),
      moneyCell(profit.inventory, false),
      moneyCell(profit.fees, false),
      moneyCell(profit.funding, false),
      moneyCell(maxDrawdown, false),
      moneyCell(turnover, false),
      countText(fills),
    ];
  });
  const heads = [
    "UTC day",
    '<span class="unseen">size</span>',
    "profit",
    "spread",
    "adverse selection",
    "inventory",
    "fees",
    "funding",
    "drawdown",
    "turnover",
    "fills",
  ];
  return `<section><h2>Day by day</h2><p class="gloss">In ${escapeHtml(asset)}. A day runs from the last sample of the day before to its own last sample. Hover over a figure to see all its digits; report.json has them too.</p>${tableHtml("Day by day", heads, rows)}</section>`;
}

/** Money rounded as in a headline, with the exact amount on hover. */
function moneyCell(decimal: string, isSigned = true): Cell {
  const text = isSigned ? signedMoney(decimal) : moneyText(decimal);
  return {
    html: `<span title="${exactText(decimal)}">${text}</span>`,
    className: isSigned ? signClass(decimal) : "",
  };
}
