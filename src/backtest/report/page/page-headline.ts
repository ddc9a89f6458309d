import { tableHtml } from "./html-table.js";
import {
  countedText,
  countText,
  durationText,
  escapeHtml,
  exactText,
  figure,
  moneyText,
  percent,
  signClass,
  signedMoney,
} from "./html-text.js";
import type { PageReport } from "./page-report.js";

const GRADES = {
  books: "Books and trades",
  trades: "Trades alone",
  klines: "Candles: indicative",
  live: "Live bot",
} as const;
const ENDS = {
  "end-of-history": "ran to the end of its history",
  "end-of-span": "recorded",
  halted: "halted",
  liquidated: "was liquidated",
  stopped: "was stopped",
} as const;

/** The top of the page: the run, its warnings, and the main figures. */
export function headlineHtml(report: PageReport): string {
  const { span, markets, version } = report;
  const seed = "seed" in report ? `<span class="pill">seed ${escapeHtml(report.seed)}</span>` : "";
  const traded = markets
    .map(({ marketId, strategy }) => `<b>${escapeHtml(marketId)}</b> ${escapeHtml(strategy)}`)
    .join(", ");
  return `<header class="top">
<div class="bar"><span class="mark">Marketwright</span><button type="button" id="theme" hidden>Dark</button></div>
<h1>${escapeHtml(report.name)}</h1>
<p class="sub">${traded}<span class="sep"></span><time>${instant(span.from)}</time> to <time>${instant(span.to)}</time> UTC, ${durationText(span.seconds)}</p>
<p class="pills"><span class="pill ${isIndicative(report) ? "warn" : ""}">${GRADES[report.grade]}</span><span class="pill ${isWholeRun(report) ? "" : "warn"}">${ENDS[report.ended]}</span>${seed}<span class="pill">version ${escapeHtml(version)}</span></p>
${warningsHtml(report)}
</header>
<section class="cards" aria-label="Key figures">${cards(report).map(cardHtml).join("")}</section>
${rungsHtml(report)}
${alternativesHtml(report)}`;
}

function isIndicative(report: PageReport): boolean {
  return "isIndicative" in report && report.isIndicative;
}

function isWholeRun({ ended }: PageReport): boolean {
  return ended === "end-of-history" || ended === "end-of-span";
}

interface Card {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  readonly note: string;
  readonly className?: string;
}

function cardHtml({ name, value, unit = "", note, className = "" }: Card): string {
  return `<div class="card ${className}"><h2>${name}</h2><p class="value">${value}${unit === "" ? "" : `<small>${unit}</small>`}</p><p class="note">${note}</p></div>`;
}

function cards(report: PageReport): Card[] {
  const { profit, equity, drawdown, fills, orders, ratios, asset, markets } = report;
  const unit = escapeHtml(asset);
  const gain =
    Number(equity.start) > 0
      ? `${percent(Number(profit.total) / Number(equity.start), 3)} of ${moneyText(equity.start)}`
      : `from ${moneyText(equity.start)}`;
  const both = markets.map(({ quotes }) => quotes.both);
  const mean = both.reduce((sum, share) => sum + share, 0) / Math.max(1, both.length);
  const { sharpe, profitPerTurnoverBps: bps, profitOverDrawdown } = ratios;
  const makers =
    fills.all.fills === 0 ? "none" : `${percent(fills.maker.fills / fills.all.fills)} maker`;
  return [
    {
      name: "Profit",
      value: signedMoney(profit.total),
      unit,
      note: gain,
      className: `lead ${signClass(profit.total)}`,
    },
    {
      name: "Deepest drawdown",
      value: moneyText(drawdown.max),
      unit,
      note: `${drawdown.share === null ? "" : `${percent(drawdown.share, 3)} of the peak, `}sampled every ${figure(drawdown.sampleMs / 1000)} s`,
    },
    {
      name: "Profit on turnover",
      value: bps === null ? "none" : `${bps > 0 ? "+" : ""}${figure(bps)}`,
      unit: bps === null ? "" : "bps",
      note: `of ${moneyText(fills.all.turnover)} ${unit} traded`,
      className: bps === null ? "" : signClass(String(bps)),
    },
    { name: "Fills", value: countText(fills.all.fills), note: makers },
    {
      name: "Orders filled",
      value: orders.fillRatio === null ? "none" : percent(orders.fillRatio),
      note: `${countText(orders.filled)} of ${countText(orders.placed)} placed`,
    },
    {
      name: "Quoting both sides",
      value: percent(mean),
      note: markets.length === 1 ? "of the time" : "of the time, mean of the markets",
    },
    {
      name: "Profit over drawdown",
      value: profitOverDrawdown === null ? "none" : figure(profitOverDrawdown),
      note: "over the whole run",
    },
    {
      name: "Sharpe ratio",
      value: sharpe === null ? "none" : figure(sharpe.value),
      note:
        sharpe === null
          ? "needs ten whole days with different profits"
          : `± ${figure(sharpe.standardError)} standard error, ${sharpe.days} days`,
    },
  ];
}

function warningsHtml(report: PageReport): string {
  const { notes, orders, refused } = report;
  const warnings = report.worthless.map((text) => `This run is worthless: ${escapeHtml(text)}.`);
  if (isIndicative(report)) {
    warnings.push(
      "Replayed on candles: the trades within a candle are not known, so the fills are a guess and the profit is only indicative.",
    );
  }
  if (!isWholeRun(report)) {
    warnings.push(
      `The run ${ENDS[report.ended]} before the end of its history${report.reason === null ? "" : `: ${escapeHtml(report.reason)}`}.`,
    );
  }
  for (const doubt of report.doubts)
    warnings.push(`This run may be too optimistic: ${escapeHtml(doubt)}.`);
  const intents = refused.filter(({ by }) => by === "bot");
  for (const { marketId, count, reason, why } of intents)
    warnings.push(
      `The bot refused ${countedText(count, "intent")} of ${escapeHtml(marketId)}'s strategy, ${escapeHtml(reason)}: ${escapeHtml(why)}.`,
    );
  if (notes.counts.error > 0)
    warnings.push(`${countedText(notes.counts.error, "error")}: see the notes.`);
  if (orders.throttled > 0)
    warnings.push(`The token budget held ${countedText(orders.throttled, "action")} back.`);
  return warnings.map((text) => `<p class="warning" role="note">${text}</p>`).join("");
}

function alternativesHtml({
  alternatives,
  asset,
  ended,
  reason,
  profit,
  drawdown,
  fills,
}: PageReport): string {
  if (alternatives.length === 0) return "";
  const rows = [
    {
      name: "this report",
      ended,
      reason,
      profit: profit.total,
      maxDrawdown: drawdown.max,
      fills: fills.all.fills,
    },
    ...alternatives,
  ];
  const line = (row: (typeof rows)[number]) =>
    `<tr><th scope="row" class="text">${escapeHtml(row.name)}</th><td class="text">${ENDS[row.ended]}${row.reason === null ? "" : `: ${escapeHtml(row.reason)}`}</td><td class="${signClass(row.profit)}">${exactText(row.profit)}</td><td>${exactText(row.maxDrawdown)}</td><td>${countText(row.fills)}</td></tr>`;
  return `<section><h2>Under other assumptions</h2><div class="scroll" tabindex="0" role="region" aria-label="Under other assumptions"><table><thead><tr><th scope="col" class="text">assumption</th><th scope="col" class="text">how it ended</th><th scope="col">profit, ${escapeHtml(asset)}</th><th scope="col">drawdown</th><th scope="col">fills</th></tr></thead><tbody>${rows.map(line).join("")}</tbody></table></div></section>`;
}

/** Steps of the risk ladder: a reader must know them before the profit. */
function rungsHtml({ rungs: { count, first } }: PageReport): string {
  if (count === 0) return "";
  const rows = first.map(({ at, marketId, measure, action, why }) => [
    `<time>${instant(at)}</time>`,
    escapeHtml(marketId ?? "all markets"),
    escapeHtml(measure),
    action === "none" ? "over" : escapeHtml(action),
    escapeHtml(why),
  ]);
  const gloss =
    first.length < count
      ? `The first ${countText(first.length)} of ${countText(count)} changes.`
      : `${countedText(count, "change")}.`;
  return `<section><h2>Risk ladder</h2><p class="gloss">${gloss}</p>${tableHtml("Risk ladder", ["when (UTC)", "where", "measure", "does", "why"], rows)}</section>`;
}

function instant(text: string): string {
  return text.slice(0, 19).replace("T", " ");
}
