import { figureHtml, gapsHtml, tableHtml } from "./html-table.js";
import { countedText, countText, escapeHtml } from "./html-text.js";
import type { PageReport } from "./page-report.js";

/** Token budgets, single fills, notes, and the inputs of the run. */
export function provenanceHtml(report: PageReport): string {
  return `${budgetsHtml(report)}
<section><h2>Fills one by one</h2><p class="gloss">${fillsGloss(report)}</p><div id="fills-table"><noscript>The table needs JavaScript; fills.csv has every fill.</noscript></div></section>
${refusedHtml(report)}
${notesHtml(report)}
<section><h2>Inputs of this run</h2>${modelsHtml(report)}
${report.configuration.map(({ name, yaml, sha256 }) => `<details><summary>${escapeHtml(name)}</summary><p class="gloss">SHA-256 <code>${sha256}</code></p><pre tabindex="0">${escapeHtml(yaml)}</pre></details>`).join("")}
${inputsHtml(report)}${dataHtml(report)}${gapsHtml(report.gaps)}
</section>`;
}

function budgetsHtml({ budgets }: PageReport): string {
  if (budgets.length === 0) return "";
  const charts = budgets.map(({ name, limitTokens, mostUsedTokens }, index) =>
    figureHtml(
      `budget-${index}`,
      `${escapeHtml(name)} tokens used`,
      `Of ${countText(limitTokens)} (dashed line); at most ${countText(mostUsedTokens)}${limitTokens === 0 ? "" : ` (${((100 * mostUsedTokens) / limitTokens).toFixed(1)} %)`} at a sample.`,
    ),
  );
  return `<section><h2>Token budgets</h2><div class="two">${charts.join("")}</div></section>`;
}

function fillsGloss({ fills, asset }: PageReport): string {
  const { count, oneOf } = fills.shown;
  const thinned =
    oneOf === 1
      ? `All ${countText(count)} fills.`
      : `One of ${oneOf} fills, ${countText(count)} of ${countText(fills.all.fills)}; fills.csv has all.`;
  return `${thinned} Times are UTC at the exchange; money in ${escapeHtml(asset)}; a fee above zero was paid. Click a column's header to sort.`;
}

const REFUSED_BY = {
  bot: "intent, refused by the bot",
  limit: "order, held back by a limit",
  exchange: "request, rejected by the exchange",
} as const;

function refusedHtml({ refused, markets }: PageReport): string {
  if (refused.length === 0) return "";
  const text = (html: string) => ({ html: escapeHtml(html), className: "text" });
  const rows = refused.map(({ marketId, by, reason, count, firstAt, why }) => [
    escapeHtml(reason),
    text(markets.length < 2 ? REFUSED_BY[by] : `${REFUSED_BY[by]}, in ${marketId}`),
    countText(count),
    text(firstAt.replace("T", " ").replace("Z", "")),
    { html: escapeHtml(why), className: "text long" },
  ]);
  return `<section><h2>Refused intents and orders</h2><p class="gloss">Intents of the strategy and orders of the bot that were refused.</p>${tableHtml("Refused intents and orders", ["reason", "kind", "times", "first (UTC)", "message of the first"], rows)}</section>`;
}

function notesHtml({ notes }: PageReport): string {
  const { counts, first } = notes;
  const total = counts.info + counts.warn + counts.error;
  if (total === 0) return "";
  const rows = first.map(({ at, level, text }) => [
    at.replace("T", " ").replace("Z", ""),
    { html: level, className: `text level-${level}` },
    { html: escapeHtml(text), className: "text long" },
  ]);
  const more = total > first.length ? ` The first ${countText(first.length)} are shown.` : "";
  return `<section><h2>Notes</h2><p class="gloss">${countedText(counts.error, "error")}, ${countedText(counts.warn, "warning")}, ${countedText(counts.info, "other")}.${more}</p>${tableHtml("Notes", ["when (UTC)", "level", "what"], rows, { isTall: true })}</section>`;
}

function modelsHtml({ models }: PageReport): string {
  if (models.length === 0) return "";
  return `<dl class="models">${models.map(({ name, value }) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join("")}</dl>`;
}

function inputsHtml({ inputs }: PageReport): string {
  if (inputs.length === 0) return "";
  const rows = inputs.map(({ name, sha256 }) => [
    escapeHtml(name),
    { html: `<code>${sha256}</code>`, className: "text" },
  ]);
  return `<details><summary>Other files read: ${countText(inputs.length)}</summary>${tableHtml("Other files read", ["file", "SHA-256"], rows)}</details>`;
}

function dataHtml({ data }: PageReport): string {
  if (data.length === 0) return "";
  const rows = data.map(({ marketId, kind, file, rows, sha256 }) => [
    escapeHtml(marketId),
    { html: escapeHtml(kind), className: "text" },
    { html: `<code>${escapeHtml(file)}</code>`, className: "text" },
    countText(rows),
    { html: `<code>${sha256}</code>`, className: "text" },
  ]);
  return `<details><summary>History replayed: ${countedText(data.length, "file")}</summary>${tableHtml("History", ["market", "kind", "file", "rows", "SHA-256"], rows)}</details>`;
}
