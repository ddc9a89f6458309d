import { LAST_LEVEL, WORKED } from "../../../account/markouts/markouts.js";
import { FILL_CAUSES } from "../../record/fill-totals.js";
import { figureHtml, tableHtml } from "./html-table.js";
import { countText, escapeHtml, exactText, figure, percent } from "./html-text.js";
import type { PageReport } from "./page-report.js";
import { signalHtml } from "./page-signal.js";

type Market = PageReport["markets"][number];

const CAUSES = {
  queue: "the amount ahead of it at its price had traded",
  through: "a trade printed beyond its price",
  cross: "the other side's best price reached it",
  taker: "it took liquidity on arrival",
} as const;

/** The explanation of a fill by `through` on candles, where no trade is known. */
const THROUGH_ON_CANDLES = "the path of a candle went beyond its price";

/** The section of each market; several markets share tabs. */
export function marketsHtml(report: PageReport): string {
  const choice =
    report.markets.length < 2
      ? ""
      : `<label class="choice">Market <select id="market">${report.markets.map(({ marketId }) => `<option value="${escapeHtml(marketId)}">${escapeHtml(marketId)}</option>`).join("")}</select></label>`;
  return choice + report.markets.map((market) => marketHtml(report, market)).join("");
}

function marketHtml(report: PageReport, market: Market): string {
  const id = escapeHtml(market.marketId);
  const { shown, all } = report.fills;
  const thinned =
    shown.oneOf === 1
      ? ""
      : ` One of ${shown.oneOf} fills is drawn (${countText(shown.count)} of ${countText(all.fills)}); fills.csv has all.`;
  return `<div data-market="${id}"><section><h2>${id}: fills on price</h2>
${figureHtml(`price-${id}`, "Mid, our best quotes and our fills", `<span class="key"><i class="c-ink"></i>mid</span><span class="key"><i class="c-buy"></i>our bid, bought ▲</span><span class="key"><i class="c-sell"></i>our ask, sold ▼</span>${thinned}`)}
${figureHtml(`position-${id}`, "Position", `Base units, long above zero. From ${exactText(market.position.min)} to ${exactText(market.position.max)}; mean size ${figure(market.position.meanAbs)}.${heldText(market)}`)}
</section>
<div class="two"><section><h2>Why it was filled</h2>${causesHtml(market, "isIndicative" in report && report.isIndicative)}</section><section><h2>How it quoted</h2>${quotesHtml(market)}</section></div>
<section><h2>Quoting over time</h2>
${figureHtml(`uptime-${id}`, "Time with an order", `Per cent of each interval between two samples. <span class="key"><i class="c-ink"></i>both sides</span><span class="key"><i class="c-buy"></i>bid</span><span class="key"><i class="c-sell"></i>ask</span>`)}
${figureHtml(`distance-${id}`, "Distance to the touch", `Ticks behind the best price of other orders, averaged over time; below zero inside their spread. <span class="key"><i class="c-buy"></i>bid</span><span class="key"><i class="c-sell"></i>ask</span>`)}
</section>
<section><h2>Markouts</h2>${markoutsHtml(report, market)}</section>${signalHtml(market)}</div>`;
}

/** An open position counts as if it could be closed at no cost. */
function heldText({ position: { last } }: Market): string {
  return Number(last) === 0
    ? ""
    : ` The run ends with a position of ${exactText(last)}: it counts at the mark price, without the cost of closing it.`;
}

function causesHtml({ fills }: Market, isOnCandles: boolean): string {
  const total = fills.all.fills;
  if (total === 0) return "<p>No order was filled.</p>";
  if (!("byCause" in fills)) return sidesHtml(fills);
  const parts = FILL_CAUSES.filter((cause) => fills.byCause[cause].fills > 0);
  const bar = parts
    .map(
      (cause) =>
        `<span class="cause-${cause}" style="width:${((100 * fills.byCause[cause].fills) / total).toFixed(3)}%"></span>`,
    )
    .join("");
  const rows = FILL_CAUSES.map((cause) => {
    const { fills: number, amount, turnover, fees } = fills.byCause[cause];
    return [
      `<i class="cause-${cause}"></i> ${cause}`,
      countText(number),
      percent(number / total),
      exactText(amount),
      exactText(turnover),
      exactText(fees),
    ];
  });
  const words = isOnCandles ? { ...CAUSES, through: THROUGH_ON_CANDLES } : CAUSES;
  const glossary = parts.map((cause) => `${cause}: ${words[cause]}`).join("; ");
  return `<div class="stack" aria-hidden="true">${bar}</div>${tableHtml("Fills by cause", ["cause", "fills", "share", "amount", "turnover", "fees paid"], rows)}<p class="gloss">${glossary}.</p>${ambiguousHtml(fills)}`;
}

/** The fills of a live bot, whose causes the exchange does not tell. */
function sidesHtml(fills: Market["fills"]): string {
  const rows = (["buys", "sells", "maker", "taker"] as const).map((kind) => {
    const { fills: number, amount, turnover, fees } = fills[kind];
    return [kind, countText(number), exactText(amount), exactText(turnover), exactText(fees)];
  });
  return tableHtml("Fills by kind", ["kind", "fills", "amount", "turnover", "fees paid"], rows);
}

const DOUBTFUL = {
  asTakers: "may have taken liquidity, charged as takers",
  asMakers: "may have taken liquidity, charged as makers",
  postOnly: "are post-only, some of which may have been rejected",
} as const;

/** Share of the ambiguous fills: history does not show whether their orders rested first. */
function ambiguousHtml({
  doubtful: ambiguous,
}: Extract<Market["fills"], { readonly doubtful: unknown }>): string {
  const kinds = (["asTakers", "asMakers", "postOnly"] as const).filter(
    (kind) => ambiguous[kind].fills > 0,
  );
  if (kinds.length === 0) return "";
  const rows = kinds.map((kind) => {
    const { fills, amount, spread, fees, feesOtherwise } = ambiguous[kind];
    return [
      { html: DOUBTFUL[kind], className: "sentence" },
      countText(fills),
      exactText(amount),
      exactText(spread),
      exactText(fees),
      exactText(feesOtherwise),
    ];
  });
  return `${tableHtml("Ambiguous fills by kind of order", ["orders that", "fills", "amount", "spread", "fees paid", "fees otherwise"], rows)}<p class="gloss">Ambiguous: orders filled through or by a cross so soon after their arrival that the history does not show whether they rested, took liquidity or were rejected.</p>`;
}

function quotesHtml({ quotes, orders }: Market): string {
  const meter = (name: string, share: number): string =>
    `<div class="meter"><span>${name}</span><div class="gauge" aria-hidden="true"><span style="width:${(100 * share).toFixed(2)}%"></span></div><b>${percent(share)}</b></div>`;
  const distance = (ticks: number | null): string =>
    ticks === null ? "none" : `${figure(ticks)} ticks`;
  const rows = (["bid", "ask"] as const).map((side) => [
    side,
    percent(quotes[side].atTouch),
    distance(quotes[side].meanDistanceTicks),
  ]);
  return `${meter("both sides", quotes.both)}${meter("bid", quotes.bid.resting)}${meter("ask", quotes.ask.resting)}
${tableHtml("Quotes by side", ["side", "at the touch or better", "mean distance to the touch"], rows)}
<p class="gloss">Shares of the time; the touch is the best price of other orders. ${countText(orders.placed)} orders placed, ${countText(orders.filled)} of them filled at least in part, ${countText(orders.cancels)} cancels, ${countText(orders.cancelAlls)} cancel-alls, ${countText(orders.throttled)} actions held back by the token budget.</p>`;
}

function markoutsHtml(report: PageReport, market: Market): string {
  const { markouts } = market;
  if (markouts.length === 0) return "<p>No order was filled.</p>";
  const id = escapeHtml(market.marketId);
  const levels = [...new Set(markouts.map(({ level }) => level))];
  const choice = `<label class="choice">Quote level <select class="levels">${levels.map((level) => `<option value="${level}">${levelName(level)}</option>`).join("")}</select></label>`;
  const note =
    "The mid at a horizon after a fill against the price of the fill, in ticks, weighted by amount; above zero is a gain. The band is the 95 % confidence interval of the mean of both sides. It uses blocks of four horizons of time, since fills close in time see the same move. With fewer than five blocks there is no band. A curve may leave the chart.";
  const rows = markouts.map(({ side, level, fills, horizons }) => [
    `${levelName(level)}, ${side === "BOTH" ? "both sides" : side === "BUY" ? "buys" : "sells"}`,
    countText(fills),
    ...horizons.map((band) =>
      band === null
        ? "none"
        : `${figure(band.meanTicks)}${band.halfBandTicks === null ? "" : ` <small>± ${figure(band.halfBandTicks)}</small>`}`,
    ),
  ]);
  const heads = [
    "level and side",
    "fills",
    ...report.markoutSeconds.map((seconds) => `${seconds} s`),
  ];
  return `${figureHtml(`markouts-${id}`, "After the fill", note, `<p><span class="key"><i class="c-ink"></i>both sides</span><span class="key"><i class="c-buy"></i>buys</span><span class="key"><i class="c-sell"></i>sells</span></p>${choice}`)}
<details class="behind"><summary>Table</summary>${tableHtml("Markouts in ticks", heads, rows)}</details>`;
}

function levelName(level: number | "ALL"): string {
  if (level === "ALL") return "all";
  if (level === WORKED) return "towards a target position";
  return level === LAST_LEVEL ? `${level} and beyond` : String(level);
}
