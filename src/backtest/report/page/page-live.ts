import { tableHtml } from "./html-table.js";
import {
  countedText,
  countText,
  durationText,
  escapeHtml,
  exactText,
  percent,
} from "./html-text.js";
import type { PageReport } from "./page-report.js";

/** The part of a live bot alone: uptime with its causes, halts, and changes between runs. */
export function liveHtml(report: PageReport): string {
  if (!("live" in report)) return "";
  const { live, asset } = report;
  const unit = escapeHtml(asset);
  const beside = [
    `${countedText(live.runs.length, "run")} in the span`,
    `${exactText(live.unattended)} ${unit} changed while no bot ran`,
    `${exactText(live.underWay)} ${unit} under way at the end`,
    ...(live.hedgeProfit === null ? [] : [`hedges ${exactText(live.hedgeProfit)} ${unit}`]),
    `${countText(live.unseenFills)} fills that no bot saw`,
    `${countText(live.settlementFailures)} settlement failures`,
    `${countText(live.liquidations)} liquidations`,
  ].join("; ");
  return `<section><h2>Uptime</h2><p class="gloss">Time with an own order on both sides, and what kept the market from it. ${beside}.</p>
${live.uptime.map(uptimeHtml).join("")}
${haltsHtml(live.halts)}
<p class="gloss">Not in this report: ${live.absent.map(escapeHtml).join("; ")}.</p></section>`;
}

type Live = Extract<PageReport, { readonly grade: "live" }>["live"];

function uptimeHtml({ marketId, both, bid, ask, seconds, down }: Live["uptime"][number]): string {
  const rows = down.map(({ cause, seconds: lost }) => [
    escapeHtml(cause),
    durationText(lost),
    percent(seconds === 0 ? 0 : lost / seconds),
  ]);
  return `<h3>${escapeHtml(marketId)}: ${percent(both)} on both sides, bid ${percent(bid)}, ask ${percent(ask)}</h3>${rows.length === 0 ? "" : tableHtml(`Causes in ${escapeHtml(marketId)}`, ["not on both sides because", "time", "of the span"], rows)}`;
}

function haltsHtml({ count, first }: Live["halts"]): string {
  if (count === 0) return "<p>No halt.</p>";
  const rows = first.map(({ name, marketId, from, to, seconds, why }) => [
    escapeHtml(name),
    escapeHtml(marketId ?? "all markets"),
    `<time>${from.slice(0, 19).replace("T", " ")}</time>`,
    `${durationText(seconds)}${to === null ? ", in force" : ""}`,
    { html: escapeHtml(why), className: "text long" },
  ]);
  return `<h3>Halts: ${countText(count)}</h3>${tableHtml("Halts", ["halt", "where", "from (UTC)", "for", "why"], rows, { isTall: true })}`;
}
