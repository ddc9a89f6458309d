import { figureHtml, gapsHtml, tableHtml } from "../../report/page/html-table.js";
import {
  countText,
  escapeHtml,
  figure,
  signClass,
  signedMoney,
} from "../../report/page/html-text.js";
import { pageAssets } from "../../report/page/page-assets.js";
import { pageShell } from "../../report/page/page-shell.js";
import { endText } from "./end-text.js";
import { FIGURES, type FigureValue } from "./figures.js";
import type { SweepResult } from "./sweep-json.js";
import { sweepWarnings } from "./sweep-warnings.js";
import { warningText } from "./warning-text.js";

/** More lines cannot be told apart, and no browser draws them quickly. */
const MOST_SHOWN = 5_000;

/** Builds `sweep.html`: one file that loads nothing, with every point that it draws. */
export function sweepPage(result: SweepResult): string {
  const { script, style } = pageAssets("sweep-main.ts", ["report.css", "sweep.css"]);
  const { data: _, gaps: __, ...whole } = result;
  const drawn = { ...whole, points: whole.points.filter(({ rank }) => rank <= MOST_SHOWN) };
  return pageShell({
    title: `${result.name}: sweep`,
    style,
    script,
    main: `${headHtml(result)}
<noscript><p class="warning">The plot and the table need JavaScript. Every figure is in sweep.json.</p></noscript>
${bestHtml(result)}
${walkHtml(result)}
<section><h2>All points</h2>${figureHtml("parallel", "Parameters and outcome", `One line for each point, from its parameters on the left to its results on the right; the best is green, the worst red. Drag along an axis to keep only the points that pass there; click the axis to show all points again.${result.points.some(({ runs }) => warningText(runs) !== "") ? " Dashed lines are points with warnings." : ""}${result.points.length > MOST_SHOWN ? ` The best ${countText(MOST_SHOWN)} of ${countText(result.points.length)} points are shown; sweep.json has all.` : ""}`)}</section>
<section><h2>Table</h2><p class="gloss">Click a column's header to sort. Click a row to see its line.${result.windows.length > 1 ? " Figures are means over the train windows." : ""}</p><div id="points-table"></div></section>
${dataHtml(result)}`,
    foot: `Made by Marketwright ${escapeHtml(result.version)}. The same sweep gives the same bytes. The best of many tries looks better than it is: the more points, the larger the part of luck.`,
    data: { "sweep-data": drawn },
  });
}

const GRADES = {
  books: "Books and trades",
  trades: "Trades alone",
  klines: "Candles: indicative",
} as const;

function headHtml(result: SweepResult): string {
  const { name, points, method, objective, windows, walkForward, grade, isIndicative, version } =
    result;
  const warnings = [
    ...(isIndicative
      ? ["Replayed on candles: the fills are a guess, and so is the choice of the best point."]
      : []),
    ...sweepWarnings(result).map((text) => `${text}.`),
    ...endWarnings(result),
  ];
  const last = walkForward?.splits.at(-1)?.test ?? windows.at(-1);
  const span = `${instant(windows[0]?.from ?? "")} to ${instant(last?.to ?? "")} UTC`;
  const seed = method.seed === null ? "" : `, seed ${escapeHtml(method.seed)}`;
  return `<header class="top">
<div class="bar"><span class="mark">Marketwright</span><button type="button" id="theme" hidden>Dark</button></div>
<h1>${escapeHtml(name)}</h1>
<p class="sub"><b>${countText(points.length)}</b> points, ${method.kind}${seed}<span class="sep"></span>${span}</p>
<p class="pills"><span class="pill ${isIndicative ? "warn" : ""}">${GRADES[grade]}</span><span class="pill">${objective.goal} ${FIGURES[objective.figure].words}</span><span class="pill">version ${escapeHtml(version)}</span></p>
${warnings.map((text) => `<p class="warning" role="note">${escapeHtml(text)}</p>`).join("")}
</header>`;
}

/** The figures of a run that did not trade to its end are not comparable. */
function endWarnings({ points, best, walkForward }: SweepResult): string[] {
  const early = endText(points[best]?.runs ?? []);
  const tested = endText((walkForward?.splits ?? []).map(({ tested }) => tested));
  const count = points.filter(({ runs }) => endText(runs) !== "").length;
  return [
    ...(early === "" ? [] : [`The best point did not trade to the end of its history: ${early}.`]),
    ...(tested === ""
      ? []
      : [`Not all chosen points traded to the end of their test windows: ${tested}.`]),
    ...(count === 0
      ? []
      : [
          `${countText(count)} of ${countText(points.length)} points ended early in a window, or were refused; the table shows why.`,
        ]),
  ];
}

function bestHtml({ points, best, objective, walkForward }: SweepResult): string {
  const point = points[best];
  if (point === undefined) return "";
  const card = (name: string, value: string, note: string, className = ""): string =>
    `<div class="card ${className}"><h2>${name}</h2><p class="value">${value}</p><p class="note">${note}</p></div>`;
  const words = FIGURES[objective.figure].words;
  const values = Object.entries(point.values).map(([path, value]) =>
    card(escapeHtml(path), escapeHtml(String(value)), "of the best point"),
  );
  const tested =
    walkForward === null
      ? ""
      : card(
          "Profit on the test windows",
          signedMoney(walkForward.tested.profit),
          `above zero in ${walkForward.tested.positive} of ${walkForward.splits.length}`,
          `lead ${signClass(walkForward.tested.profit)}`,
        );
  const note =
    walkForward === null
      ? `point ${point.index}, rank 1`
      : `point ${point.index}, the best of the last train window; mean over train windows`;
  return `<section class="cards" aria-label="The best point">${tested}${card(`Best ${words}`, figureText(point.objective), note, walkForward === null ? "lead" : "")}${values.join("")}</section>`;
}

function walkHtml({ walkForward, objective }: SweepResult): string {
  if (walkForward === null) return "";
  const { figure: name } = objective;
  const words = FIGURES[name].words;
  const isAnyDoubtful = walkForward.splits.some(({ tested }) => tested.doubts.length > 0);
  const rows = walkForward.splits.map(({ train, test, best, values, trained, tested }) => [
    `${instant(train.from)}`,
    { html: instant(test.from), className: "text" },
    { html: instant(test.to), className: "text" },
    String(best),
    {
      html: escapeHtml(
        Object.entries(values)
          .map(([path, value]) => `${path} ${value}`)
          .join(", "),
      ),
      className: "text long",
    },
    figureText(trained.figures[name] ?? null),
    ...(name === "profit" ? [] : [figureText(tested.figures[name] ?? null)]),
    {
      html: figureText(tested.figures.profit ?? null),
      className: signClass(String(tested.figures.profit ?? "0")),
    },
    ...(isAnyDoubtful ? [{ html: escapeHtml(warningText([tested])), className: "text long" }] : []),
  ]);
  const heads = [
    "train from (UTC)",
    "test from",
    "test to",
    "point",
    "its values",
    `${words}, train`,
    ...(name === "profit" ? [] : [`${words}, test`]),
    "profit, test",
    ...(isAnyDoubtful ? ["warnings, test"] : []),
  ];
  return `<section><h2>Walk forward</h2><p class="gloss">The best point of each train window, run on the test window after it, which did not influence the choice. A position at the end of a window counts at the mark price, without the cost of closing it.</p>${tableHtml("Walk forward", heads, rows)}</section>`;
}

function dataHtml({ data, fingerprint, gaps }: SweepResult): string {
  const rows = data.map(({ marketId, kind, file, rows: count, sha256 }) => [
    escapeHtml(marketId),
    { html: escapeHtml(kind), className: "text" },
    { html: `<code>${escapeHtml(file)}</code>`, className: "text" },
    countText(count),
    { html: `<code>${sha256}</code>`, className: "text" },
  ]);
  return `<section><h2>Inputs of this sweep</h2><p class="gloss">Fingerprint <code>${fingerprint}</code></p><details><summary>History replayed: ${countText(data.length)} ${data.length === 1 ? "file" : "files"}</summary>${tableHtml("History", ["market", "kind", "file", "rows", "SHA-256"], rows)}</details>${gapsHtml(gaps)}</section>`;
}

function figureText(value: FigureValue): string {
  return value === null ? "none" : figure(Number(value));
}

function instant(text: string): string {
  return escapeHtml(text.slice(0, 19).replace("T", " "));
}
