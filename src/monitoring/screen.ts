import type { Ms } from "../core/units.js";
import { formatClock, twoDigits } from "./screen-clock.js";
import { renderLiquidatorPanel } from "./screen-liquidator.js";
import { renderMarketPanel } from "./screen-market.js";
import type { ScreenModel, ScreenNote } from "./screen-model.js";
import {
  colorBySign,
  fitToWidth,
  joinPanels,
  type Line,
  renderLine,
  type Span,
  type Style,
} from "./screen-text.js";

/** Terminal support for colours. */
interface ScreenOptions {
  readonly color: boolean;
}

const PANEL_MIN_WIDTH = 58;
const GAP = 2;
const NOTES_MIN = 3;

/**
 * Renders the live view as text: at most `height` lines of exactly `width` columns, the same for
 * the same model. Wide terminals show markets side by side. If not all fit, the last line of the
 * markets gives the number left out.
 */
export function renderScreen(
  model: ScreenModel,
  width: number,
  height: number,
  { color }: ScreenOptions = { color: false },
): string {
  const columns = Math.max(1, width);
  const head = header(model);
  const footer: Line = [[model.footer, "dim"]];
  const room = Math.max(0, height - head.length - 1);
  const notesRoom = Math.min(
    Math.max(NOTES_MIN, model.notes.length),
    Math.max(NOTES_MIN, Math.floor(room / 4)),
  );
  const panel =
    model.liquidator === undefined
      ? []
      : renderLiquidatorPanel(model.liquidator, Math.max(0, Math.floor((room - notesRoom) / 3)));
  const markets = [
    ...marketRows(model, columns, Math.max(0, room - notesRoom - panel.length - 1)),
    ...panel,
  ];
  const notes = model.notes.slice(-Math.max(0, room - markets.length - 1)).map(noteLine);
  const body = [...markets, [["─".repeat(columns), "dim"] as const], ...notes].slice(0, room);
  const filler: Line[] = Array.from({ length: room - body.length }, () => []);
  return [...head, ...body, ...filler, footer]
    .slice(0, Math.max(1, height))
    .map((line) => renderLine(fitToWidth(line, columns), color))
    .join("\n");
}

function header(model: ScreenModel): Line[] {
  const { equityQuote, earnedQuote, inTransitQuote, peakEquityQuote } = model;
  const equity: Span[] = [
    ["equity ", "dim"],
    [equityQuote ?? "not known yet", "bold"],
  ];
  if (earnedQuote !== undefined) equity.push(["  "], colorBySign(earnedQuote));
  if (inTransitQuote !== undefined)
    equity.push(["   under way ", "dim"], colorBySign(inTransitQuote));
  if (peakEquityQuote !== undefined) equity.push(["   peak ", "dim"], [peakEquityQuote]);
  const lines: Line[] = [
    [
      ["Marketwright ", "bold"],
      [model.title],
      ["   up ", "dim"],
      [durationText(model.nowMs - model.startedMs)],
      ["   account ", "dim"],
      [model.account],
      ["   at ", "dim"],
      [model.exchange],
    ],
    [
      ...equity,
      ...model.budgets.flatMap((budget): Span[] => [
        [`   ${budget.name} `, "dim"],
        [`${budget.left}/${budget.limit}`, budgetStyle(budget.left, budget.limit)],
      ]),
    ],
  ];
  if (model.halts.length > 0)
    lines.push([
      [" HALTED ", "inverse"],
      [` ${model.halts.join("; ")}`, "red"],
    ]);
  if (model.ladder !== undefined && model.ladder.length > 0)
    lines.push([
      [" RISK ", "inverse"],
      [` ${model.ladder.join("; ")}`, "yellow"],
    ]);
  return lines;
}

function marketRows(model: ScreenModel, width: number, room: number): Line[] {
  const across = Math.max(
    1,
    Math.min(model.markets.length, Math.floor((width + GAP) / (PANEL_MIN_WIDTH + GAP))),
  );
  const panelWidth = Math.floor((width - GAP * (across - 1)) / across);
  const rowsOfPanels = Math.ceil(model.markets.length / across);
  if (rowsOfPanels === 0 || room === 0) return [];
  const rowHeight = Math.max(9, Math.floor(room / rowsOfPanels));
  const lines: Line[] = [];
  let shown = 0;
  for (let start = 0; start < model.markets.length; start += across) {
    const panels = model.markets
      .slice(start, start + across)
      .map((market) => renderMarketPanel(market, panelWidth, rowHeight));
    const rows = joinPanels(
      panels,
      panels.map(() => panelWidth),
      GAP,
    );
    if (lines.length > 0 && lines.length + rows.length > room) break;
    lines.push(...rows);
    shown += panels.length;
  }
  if (shown < model.markets.length)
    lines.splice(Math.max(0, room - 1), lines.length, [
      [`... ${model.markets.length - shown} markets more: a larger terminal shows them`, "yellow"],
    ]);
  return lines.slice(0, room);
}

function noteLine({ atMs, level, text }: ScreenNote): Line {
  const style: Style = level === "error" ? "red" : level === "warn" ? "yellow" : "plain";
  return [
    [`${formatClock(atMs)} `, "dim"],
    [text, style],
  ];
}

function budgetStyle(left: number, limit: number): Style {
  if (left <= 0) return "red";
  return left * 5 < limit ? "yellow" : "plain";
}

/** Formats a duration as `1:02:03`. */
function durationText(ms: Ms): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 3600)}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
}
