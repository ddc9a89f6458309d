import { type Cell, tableHtml } from "../../backtest/report/page/html-table.js";
import { countText, escapeHtml, exactText } from "../../backtest/report/page/html-text.js";
import { pageAssets } from "../../backtest/report/page/page-assets.js";
import { pageShell } from "../../backtest/report/page/page-shell.js";
import { packageVersion } from "../../core/package-version.js";
import type { Ms } from "../../core/units.js";
import type { RehearsedFault } from "../rehearsed-fault.js";
import { quoteAmount } from "../summary/quote-amount.js";
import { rehearsalCommand } from "../summary/rehearsal-command.js";
import type { RehearsalReport } from "../summary/rehearsal-report.js";
import type { SeededValue } from "../summary/seeded-value.js";
import { type DeathSummary, type FaultSummary, hasReaction } from "../summary/summarise-faults.js";
import { rehearsalHead } from "./rehearsal-head.js";

/** Builds `rehearsal.html`: one file that loads nothing, with each cell's command to repeat it. */
export function rehearsalPage(report: RehearsalReport): string {
  const { script, style } = pageAssets("rehearsal-main.ts", ["report.css", "rehearsal.css"]);
  return pageShell({
    title: `${report.bot}: rehearsal`,
    style,
    script,
    main: `${rehearsalHead(report)}
<noscript><p class="warning">The buttons of the seeds need JavaScript. A seed is repeated with --fault, --seeds 1 and --first-seed.</p></noscript>
${findingsHtml(report)}
${costsHtml(report)}
${reactionsHtml(report)}
${rungsHtml(report)}
${leftOutHtml(report)}
<aside id="repeat" aria-live="polite" hidden><code id="repeat-command"></code><p id="repeat-state"></p></aside>`,
    foot: `Made by Marketwright ${escapeHtml(packageVersion())}. The same rehearsal gives the same bytes. Simulated markets are kinder than real ones: a fault that cost nothing here may cost money there.`,
    data: {},
  });
}

/** A button that shows and copies the command of one run. */
function seedButton(report: RehearsalReport, fault: RehearsedFault, seed: number): string {
  const command = rehearsalCommand(report, { fault, seed });
  return `<button type="button" class="seed" data-command="${escapeHtml(command)}" aria-label="Command of seed ${seed} under ${fault}">${seed}</button>`;
}

function seededHtml<Value>(
  report: RehearsalReport,
  fault: RehearsedFault,
  cell: SeededValue<Value> | undefined,
  text: (value: Value) => string,
): string {
  return cell === undefined ? "" : `${text(cell.value)}${seedButton(report, fault, cell.seed)}`;
}

function findingsHtml(report: RehearsalReport): string {
  const { findings, decimals } = report;
  if (findings.length === 0)
    return `<section><h2>Weaknesses</h2><p class="gloss">No weakness was found.</p></section>`;
  const items = findings.map((finding) => {
    const { id, key, text, advice, lossScaled, fault, seed } = finding;
    const loss =
      lossScaled === undefined
        ? ""
        : ` <span class="pill">${exactText(quoteAmount(lossScaled, decimals))} quote</span>`;
    return `<div class="finding"><h3>${id} <span class="pill">${escapeHtml(key)}</span>${loss}</h3><p>Under ${fault}${seedButton(report, fault, seed)}: ${escapeHtml(text)}.</p><p>${escapeHtml(advice)}.</p><p><code>${escapeHtml(rehearsalCommand(report, finding))}</code></p></div>`;
  });
  return `<section><h2>Weaknesses</h2>${items.join("")}</section>`;
}

function costsHtml(report: RehearsalReport): string {
  const money = (scaled: bigint): string => exactText(quoteAmount(scaled, report.decimals));
  const rows = report.faults.map((row): (string | Cell)[] => {
    const of = <Value>(cell: SeededValue<Value> | undefined, text: (value: Value) => string) =>
      seededHtml(report, row.fault, cell, text);
    return [
      row.fault,
      `${countText(row.struckRuns)} of ${countText(row.runs)}`,
      of(row.lossScaled?.largest, money),
      of(row.lossScaled?.median, money),
      of(row.unquotedMs?.largest, seconds),
      of(row.unquotedMs?.median, seconds),
      of(row.orders?.median, countText),
      of(row.orderTokens?.median, countText),
    ];
  });
  const heads = [
    "fault",
    "runs struck",
    "worst loss",
    "median loss",
    "unquoted s, worst",
    "unquoted s, median",
    "orders, median",
    "ORDER tokens, median",
  ];
  return `<section><h2>What each fault costs</h2><p class="gloss">Losses are in quote, against the run of the same seed without a fault; below zero is a gain. Those of none are the run's own. Each number in a ring is a seed: click it for the command that repeats its run.</p>${tableHtml("Costs by fault", heads, rows)}</section>`;
}

function reactionsHtml(report: RehearsalReport): string {
  const shown = report.faults.filter(hasReaction);
  const isHedged = report.faults.some(({ fault }) => fault.startsWith("hedge-"));
  if (shown.length === 0) return "";
  const rows = shown.map((row): (string | Cell)[] => [
    row.fault,
    row.deaths === 0 ? "" : countText(row.deaths),
    report.runsGuard ? afterDeathHtml(report, row.fault, row.guardActed) : "",
    afterDeathHtml(report, row.fault, row.ordersGone),
    ...(isHedged ? [seededHtml(report, row.fault, row.unhedgedMs?.largest, seconds)] : []),
    { html: haltsHtml(report, row), className: "text long" },
  ]);
  const heads = [
    "fault",
    "deaths",
    "guard acted after s, worst",
    "orders gone after s, worst",
    ...(isHedged ? ["unhedged s, worst"] : []),
    "halts, and in how many runs",
  ];
  return `<section><h2>How bot and guard reacted</h2>${tableHtml("Reactions by fault", heads, rows)}</section>`;
}

function afterDeathHtml(
  report: RehearsalReport,
  fault: RehearsedFault,
  { never, longestMs }: DeathSummary,
): string {
  return never === undefined
    ? seededHtml(report, fault, longestMs, seconds)
    : seededHtml(report, fault, never, (deaths) => `never (${countText(deaths)})`);
}

function haltsHtml(report: RehearsalReport, { fault, halts, error }: FaultSummary): string {
  const parts = halts.map(
    ({ name, runs, seed }) =>
      `${escapeHtml(name)} (${countText(runs)})${seedButton(report, fault, seed)}`,
  );
  if (error !== undefined)
    parts.push(`error: ${escapeHtml(error.value)}${seedButton(report, fault, error.seed)}`);
  return parts.join(", ");
}

function rungsHtml(report: RehearsalReport): string {
  if (report.rungs.length === 0) return "";
  const rows = report.rungs.map((rung): (string | Cell)[] => [
    escapeHtml(rung.name),
    { html: rung.action, className: "text" },
    countText(rung.reachedRuns),
    countText(rung.firedRuns),
    countText(rung.workedRuns),
    rung.slowest === undefined
      ? ""
      : `${seconds(rung.slowest.afterMs)}${seedButton(report, rung.slowest.fault, rung.slowest.seed)}`,
    rung.failed === undefined
      ? ""
      : `${rung.failed.fault}${seedButton(report, rung.failed.fault, rung.failed.seed)}`,
  ]);
  const heads = [
    "rung",
    "action",
    "runs that reached it",
    "acted in",
    "worked in",
    "slowest, s",
    "did not work",
  ];
  return `<section><h2>Loss limits and rungs</h2><p class="gloss">A rung is reached when the exchange's own records show its loss. It worked if its action did what it promises: no quote open after a halt, a position that only shrinks after reduce, none after flatten.</p>${tableHtml("Rungs of the loss ladder", heads, rows)}</section>`;
}

function leftOutHtml({ notRehearsed }: RehearsalReport): string {
  if (notRehearsed.length === 0) return "";
  const items = notRehearsed.map(({ fault, reason }) => `<li>${fault}: ${escapeHtml(reason)}</li>`);
  return `<section><h2>Not rehearsed</h2><ul class="gloss">${items.join("")}</ul></section>`;
}

/** A duration in seconds, with one decimal. */
function seconds(ms: Ms): string {
  return exactText((ms / 1000).toFixed(1));
}
