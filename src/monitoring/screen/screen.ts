import { formatClock } from "./screen-clock.js";
import { renderHeader } from "./screen-header.js";
import { renderHelp } from "./screen-help.js";
import { renderLiquidatorPanel } from "./screen-liquidator.js";
import { panelWidth, renderMarketPanel } from "./screen-market.js";
import type { ScreenMarket, ScreenModel, ScreenNote, ScreenView } from "./screen-model.js";
import { fitToWidth, joinPanels, type Line, renderLine, type Style } from "./screen-text.js";

/** How a screen is drawn: whether the terminal has colours, and what the keys have chosen. */
interface ScreenOptions {
  readonly color: boolean;
  readonly view?: ScreenView;
}

const GAP = 3;
const NOTES_MIN = 3;
/** Least and largest height of a market's panel; a smaller one shows too little to be of use. */
const ROW_MIN = 11;
const ROW_MAX = 27;

/** The view of a screen without keys. */
const NO_KEYS: ScreenView = {
  hasKeys: false,
  isHelp: false,
  helpPage: 0,
  isInterrupted: false,
  focus: 0,
  prompt: undefined,
};

/**
 * Renders the live view as text: at most `height` lines of exactly `width` columns, the same for
 * the same model. Wide terminals show markets side by side. If not all fit, the last line of the
 * markets gives the number left out.
 */
export function renderScreen(
  model: ScreenModel,
  width: number,
  height: number,
  { color, view = NO_KEYS }: ScreenOptions = { color: false },
): string {
  const columns = Math.max(1, width);
  const head = renderHeader(model, columns);
  const link = linkLines(model.cockpitLink, columns);
  const room = Math.max(0, height - head.length - link.length - 1);
  const help = view.isHelp ? helpPage(model, columns, room, view) : undefined;
  const body = (help?.lines ?? bodyLines(model, columns, room, view)).slice(0, room);
  const filler: Line[] = Array.from({ length: room - body.length }, () => []);
  // A question must be visible however little room there is.
  const lines = [...head, ...body, ...filler, ...link].slice(0, Math.max(0, height - 1));
  return [...lines, help?.footer ?? footerLine(model, view)]
    .map((line) => renderLine(fitToWidth(line, columns), color))
    .join("\n");
}

function bodyLines(model: ScreenModel, columns: number, room: number, view: ScreenView): Line[] {
  const notesRoom = Math.max(NOTES_MIN, Math.floor(room / 6));
  const below = Math.max(0, room - notesRoom - 1);
  const panel =
    model.liquidator === undefined
      ? []
      : renderLiquidatorPanel(model.liquidator, Math.max(0, Math.floor(below / 4)));
  const markets = [...marketRows(model, columns, below - panel.length, view), ...panel];
  const notes = model.notes.slice(-Math.max(1, room - markets.length - 1)).map(noteLine);
  return [...markets, [["─".repeat(columns), "dim"] as const], ...notes];
}

function marketRows(model: ScreenModel, width: number, room: number, view: ScreenView): Line[] {
  const { markets } = model;
  if (markets.length === 0 || room <= 0) return [];
  const least = Math.max(...markets.map((market) => panelWidth(market)));
  const across = Math.max(1, Math.min(markets.length, Math.floor((width + GAP) / (least + GAP))));
  const rows = Math.ceil(markets.length / across);
  const shownRows = Math.max(1, Math.min(rows, Math.floor((room + 1) / (ROW_MIN + 1))));
  const isCut = shownRows < rows;
  const height = Math.min(ROW_MAX, Math.floor((room + 1 - (isCut ? 1 : 0)) / shownRows) - 1);
  const first = view.focus % markets.length;
  // Where all have room, none has to move.
  const start = isCut ? first : 0;
  const ordered = [...markets.keys()].map((at) => (at + start) % markets.length);
  const columns = Math.floor((width - GAP * (across - 1)) / across);
  const lines: Line[] = [];
  for (let row = 0; row < shownRows; row++) {
    const panels = ordered.slice(row * across, (row + 1) * across).map((at) => {
      const isChosen = view.hasKeys && markets.length > 1 && at === first;
      return renderMarketPanel(markets[at] as ScreenMarket, columns, height, isChosen);
    });
    if (row > 0) lines.push([]);
    lines.push(
      ...joinPanels(
        panels,
        panels.map(() => columns),
        GAP,
      ),
    );
  }
  if (!isCut) return lines.slice(0, room);
  const left = markets.length - shownRows * across;
  const how = view.hasKeys ? "m shows the next" : "a larger terminal shows them";
  const more = `... ${left} ${left === 1 ? "market" : "markets"} more: ${how}`;
  return [...lines.slice(0, room - 1), [[more, "yellow"]]];
}

/** A link is of use only as a whole: one that does not fit in a line has several. */
function linkLines(link: string | undefined, columns: number): Line[] {
  if (link === undefined) return [];
  const whole = [`cockpit: ${link}`, link].find((text) => text.length <= columns);
  if (whole !== undefined) return [[[whole, "plain"]]];
  // A part of an address is masked as a secret; without its scheme it is none.
  const parts = link.replace(/^https?:\/\//, "").match(new RegExp(`.{1,${columns}}`, "g")) ?? [];
  return parts.map((part) => [[part, "plain"]]);
}

/** The page of the help that fits, and the keys that turn it. */
function helpPage(
  { cockpitCommand }: ScreenModel,
  columns: number,
  room: number,
  { helpPage: page }: ScreenView,
): { readonly lines: readonly Line[]; readonly footer: Line | undefined } {
  const all = renderHelp(cockpitCommand, columns);
  const size = Math.max(1, room);
  const pages = Math.ceil(all.length / size);
  const shown = page % pages;
  const turn = pages === 1 ? "" : `space: next page (${shown + 1}/${pages})   `;
  return {
    lines: all.slice(shown * size, (shown + 1) * size),
    footer: [[`${turn}any key: back`, "plain"]],
  };
}

function footerLine(
  { logFile, stoppingOrders, stopLimitMs }: ScreenModel,
  { prompt, hasKeys, isInterrupted }: ScreenView,
): Line {
  if (prompt !== undefined) return [[` ${prompt} `, "inverse"]];
  if (stoppingOrders !== undefined)
    return [
      // Most important first: a narrow terminal cuts the end.
      [`Ctrl-C${isInterrupted ? "" : " twice"}: exit now, orders stay open`, "plain"],
      [
        `   it waits at most ${Math.ceil(stopLimitMs / 1000)} s for the exchange to confirm that none is`,
        "plain",
      ],
      [`   log: ${logFile}`, "dim"],
    ];
  if (!hasKeys) return [[`Ctrl-C cancels the bot's orders and exits   log: ${logFile}`, "dim"]];
  return [
    ["q stop  h halt  r resume  m next market  ? help", "plain"],
    [`   log: ${logFile}`, "dim"],
  ];
}

function noteLine({ atMs, level, text }: ScreenNote): Line {
  const style: Style = level === "error" ? "red" : level === "warn" ? "yellow" : "plain";
  return [
    [`${formatClock(atMs)} `, "dim"],
    [text, style],
  ];
}
