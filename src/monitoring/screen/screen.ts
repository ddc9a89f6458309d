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
const NO_KEYS: ScreenView = { hasKeys: false, isHelp: false, focus: 0, prompt: undefined };

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
  // A link is of use only as a whole, so it has a line of its own.
  const link: Line[] =
    model.cockpitLink === undefined ? [] : [[[`cockpit: ${model.cockpitLink}`, "plain"]]];
  const room = Math.max(0, height - head.length - link.length - 1);
  const body = (view.isHelp ? renderHelp() : bodyLines(model, columns, room, view)).slice(0, room);
  const filler: Line[] = Array.from({ length: room - body.length }, () => []);
  // A question must be visible however little room there is.
  const lines = [...head, ...body, ...filler, ...link].slice(0, Math.max(0, height - 1));
  return [...lines, footerLine(model, view)]
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

function footerLine({ logFile }: ScreenModel, { prompt, hasKeys }: ScreenView): Line {
  if (prompt !== undefined) return [[` ${prompt} `, "inverse"]];
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
