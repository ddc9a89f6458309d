import { countText, escapeHtml, exactText } from "../../backtest/report/page/html-text.js";
import { minutesText } from "../summary/minutes-text.js";
import { quoteAmount } from "../summary/quote-amount.js";
import type { RehearsalReport } from "../summary/rehearsal-report.js";

/** The top of the page: bot, seeds, notes and key figures. */
export function rehearsalHead(report: RehearsalReport): string {
  const { bot, seeds, marketMs, runsGuard, notes, isComplete, runs, findings } = report;
  const warnings = [
    ...(isComplete ? [] : [`It was interrupted: only ${countText(runs.length)} runs are shown.`]),
    ...(runsGuard ? [] : ["No guard ran beside the bot."]),
  ];
  const weaknesses = `${countText(findings.length)} ${findings.length === 1 ? "weakness" : "weaknesses"}`;
  return `<header class="top">
<div class="bar"><span class="mark">Marketwright</span><button type="button" id="theme" hidden>Dark</button></div>
<h1>${escapeHtml(bot)}</h1>
<p class="sub">Rehearsal of <b>${countText(runs.length)}</b> runs<span class="sep"></span>${minutesText(marketMs)} each</p>
<p class="pills"><span class="pill ${findings.length === 0 ? "" : "warn"}">${weaknesses}</span><span class="pill">seeds ${seeds[0] ?? 0} to ${seeds.at(-1) ?? 0}</span><span class="pill">${runsGuard ? "guard runs" : "no guard"}</span></p>
${warnings.map((text) => `<p class="warning" role="note">${text}</p>`).join("")}
${notes.map((text) => `<p class="gloss">${escapeHtml(text)}</p>`).join("")}
</header>
<section class="cards" aria-label="Key figures">${cardsHtml(report)}</section>`;
}

function cardsHtml({ faults, decimals, rungs, equityScaled }: RehearsalReport): string {
  const money = (scaled: bigint): string => exactText(quoteAmount(scaled, decimals));
  const card = (name: string, value: string, note: string): string =>
    `<div class="card"><h2>${name}</h2><p class="value">${value}</p><p class="note">${note}</p></div>`;
  let worst: { readonly fault: string; readonly scaled: bigint } | undefined;
  for (const { fault, lossScaled } of faults) {
    if (fault === "none" || lossScaled === undefined) continue;
    const scaled = lossScaled.largest.value;
    if (worst === undefined || scaled > worst.scaled) worst = { fault, scaled };
  }
  const struck = faults.filter((row) => row.fault !== "none" && row.struckRuns > 0).length;
  const worked = rungs.filter((rung) => rung.workedRuns > 0 && rung.failed === undefined).length;
  return [
    card("Account at the start", money(equityScaled), "in quote, without its hedge accounts"),
    card("Kinds of faults", countText(struck), "that struck the bot"),
    worst === undefined
      ? card("Worst loss", "none", "no fault struck")
      : card("Worst loss", money(worst.scaled), `under ${worst.fault}`),
    card("Rungs that worked", `${worked} of ${rungs.length}`, "loss limits included"),
  ].join("");
}
