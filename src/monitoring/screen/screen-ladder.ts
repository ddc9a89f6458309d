import { alignDecimals } from "./align-decimals.js";
import type { OwnState, ScreenLevel, ScreenMarket } from "./screen-model.js";
import type { Line, Span, Style } from "./screen-text.js";

/** Lines beside the levels: the heading and the spread. */
const FIXED_LINES = 2;
const MOST_LEVELS = 10;
/** Height of a ladder with all levels. */
export const LADDER_HEIGHT = FIXED_LINES + 2 * MOST_LEVELS;

/** The character before an own level. */
export const OWN_MARKS: Readonly<Record<OwnState, string>> = {
  open: "▸",
  sent: "▹",
  cancelling: "×",
  unknown: "?",
};

/** A drawn ladder and the columns that it takes. */
interface Ladder {
  readonly lines: readonly Line[];
  readonly width: number;
}

/** Texts of a row, not yet aligned. */
interface Row {
  readonly mark: string;
  readonly price: string;
  readonly amount: string;
  readonly own: string;
  readonly distance: string;
  readonly style: Style;
}

type Cell = keyof Pick<Row, "price" | "amount" | "own" | "distance">;

/** Columns before the first cell: the mark. */
const MARK_WIDTH = 2;

/**
 * Widths of the columns of a market. They depend on its decimals, not on the digits of the moment,
 * so that the screen keeps its layout.
 */
function cellWidths(market: LadderMarket): Readonly<Record<Cell, number>> {
  const { priceDecimals, amountDecimals } = market;
  return {
    price: Math.max(7, priceDecimals + 3, [...(market.quoteAsset ?? "quote")].length),
    amount: Math.max(6, amountDecimals + 3, [...(market.baseAsset ?? "base")].length),
    own: Math.max(5, amountDecimals + 2),
    distance: 5,
  };
}

type LadderMarket = Pick<
  ScreenMarket,
  "priceDecimals" | "amountDecimals" | "quoteAsset" | "baseAsset"
>;

/** Columns that the ladder of a market takes, but for a price or an own amount that is longer. */
export function ladderWidth(market: LadderMarket): number {
  return Object.values(cellWidths(market)).reduce((sum, width) => sum + width + 1, MARK_WIDTH);
}

/** Cuts decimals of a number that is longer than its column. */
function cutDecimals(text: string, width: number): string {
  const whole = /^\d+(?=\.\d+$)/.exec(text)?.[0];
  if (whole === undefined || text.length <= width) return text;
  return whole.length + 2 > width ? whole : text.slice(0, width);
}

/**
 * Renders the book around the touch, best prices in the middle. Every own order is visible: where
 * the levels do not fit, those without an own order give way.
 */
export function renderLadder(market: ScreenMarket, height: number): Ladder {
  const levels = Math.max(1, Math.min(MOST_LEVELS, Math.floor((height - FIXED_LINES) / 2)));
  const asks = rowsOf(market.asks, levels, "red");
  const bids = rowsOf(market.bids, levels, "green");
  const heading: Row = {
    mark: "",
    price: market.quoteAsset ?? "quote",
    amount: market.baseAsset ?? "base",
    own: "ours",
    distance: "bps",
    style: "dim",
  };
  const widths = cellWidths(market);
  const rows = [heading, ...asks, ...bids].map((row) => ({
    ...row,
    amount: cutDecimals(row.amount, widths.amount),
    distance: cutDecimals(row.distance, widths.distance),
  }));
  const column = (cell: Cell): readonly string[] => {
    const texts = rows.map((row) => row[cell]);
    const aligned = alignDecimals(texts);
    // Numbers with and without a cut have no common point that fits.
    const isTooWide = aligned.some((text) => [...text].length > widths[cell]);
    const shown = isTooWide ? texts : aligned;
    const width = Math.max(widths[cell], ...shown.map((text) => [...text].length));
    return shown.map((text) => " ".repeat(width - [...text].length) + text);
  };
  const cells: Readonly<Record<Cell, readonly string[]>> = {
    price: column("price"),
    amount: column("amount"),
    own: column("own"),
    distance: column("distance"),
  };
  const lineAt = (at: number): Line => {
    const row = rows[at] as Row;
    const cell = (name: Cell, style: Style): Span => [` ${cells[name][at] ?? ""}`, style];
    return [
      [row.mark.padStart(MARK_WIDTH), "bold"],
      cell("price", row.style),
      cell("amount", at === 0 ? "dim" : "plain"),
      cell("own", at === 0 ? "dim" : "bold"),
      cell("distance", at === 0 ? "dim" : "plain"),
    ];
  };
  const width = lineAt(0).reduce((sum, [text]) => sum + [...text].length, 0);
  const empty = (count: number): Line[] =>
    Array.from({ length: Math.max(0, levels - count) }, () => [["  ·", "dim"]]);
  return {
    width,
    lines: [
      lineAt(0),
      ...empty(asks.length),
      ...asks.map((_, at) => lineAt(asks.length - at)),
      [["   spread ", "dim"], [market.spread ?? "unknown"]],
      ...bids.map((_, at) => lineAt(1 + asks.length + at)),
      ...empty(bids.length),
    ],
  };
}

/** The rows of one side, best first, at most `count`. */
function rowsOf(levels: readonly ScreenLevel[], count: number, style: Style): readonly Row[] {
  const all = [...levels.keys()];
  const own = all.filter((at) => levels[at]?.own !== undefined);
  const others = all.filter((at) => levels[at]?.own === undefined);
  const isCut = own.length > count;
  const kept = isCut ? own.slice(0, Math.max(1, count - 1)) : own;
  const shown = [...kept, ...others.slice(0, isCut ? 0 : count - kept.length)].sort(
    (one, other) => one - other,
  );
  const rows = shown.map((at, index): Row => {
    const { price, amount, own: ours, isBeyond } = levels[at] as ScreenLevel;
    const isAfterGap = isBeyond || at !== (shown[index - 1] ?? -1) + 1;
    return {
      mark: `${isAfterGap ? "⋮" : ""}${ours === undefined ? " " : OWN_MARKS[ours.state]}`,
      price,
      amount: amount ?? "unknown",
      own: ours?.amount ?? "",
      distance: ours === undefined ? "" : (ours.distanceBps ?? "unknown"),
      style,
    };
  });
  if (!isCut || count < 2) return rows;
  // The last row stands for the own levels that find no place.
  const left = own.slice(kept.length);
  const last = levels[left.at(-1) ?? 0] as ScreenLevel;
  const summary: Row = {
    mark: "⋮▸",
    price: last.price,
    amount: `${left.length} ours`,
    own: last.own?.amount ?? "",
    distance: last.own?.distanceBps ?? "unknown",
    style,
  };
  return [...rows, summary];
}
