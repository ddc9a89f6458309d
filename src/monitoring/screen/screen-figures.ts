import { PNL_PARTS, type PnlPart } from "../metrics.js";
import { alignDecimals } from "./align-decimals.js";
import type { ScreenMarket } from "./screen-model.js";
import { colorBySign, isZero, joinPanels, type Line } from "./screen-text.js";

/** Parts that are rarely there: together in one row where not every row fits. */
const RARE: ReadonlySet<PnlPart> = new Set(["failed", "liquidation", "other"]);
const GAP = 2;
const LABEL_WIDTH = 12;
const MOST_LABEL_WIDTH = 18;

/** A row: its label, and its amount with sign; undefined while that is not known. */
interface Figure {
  readonly label: string;
  readonly value: string | undefined;
  readonly isSigned: boolean;
}

/** The figures of a market as columns, with the width of each. */
export interface Figures {
  readonly columns: readonly (readonly Line[])[];
  readonly widths: readonly number[];
}

/** Total width of the figures of a market. */
export function widthOf({ widths }: Figures): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);
}

/** Joins the columns of figures side by side. */
export function joinFigures({ columns, widths }: Figures): readonly Line[] {
  return joinPanels(columns, widths, GAP);
}

/**
 * Renders position, entry, value and the whole profit split, all money in one column with aligned
 * points, or in two. At most `height` lines a column.
 */
export function renderFigures(market: ScreenMarket, height: number, columns: 1 | 2): Figures {
  const position = positionFigures(market);
  const groups = columns === 1 ? [[...position]] : [[...position], []];
  const room = height - 1 - (columns === 1 ? position.length : 0);
  groups.at(-1)?.push(...partFigures(market, room));
  const labelWidth = Math.min(
    MOST_LABEL_WIDTH,
    Math.max(LABEL_WIDTH, ...position.map(({ label }) => [...label].length + 1)),
  );
  const drawn = groups.map((figures) => figureLines(figures, market, labelWidth, height));
  return { columns: drawn.map(({ lines }) => lines), widths: drawn.map(({ width }) => width) };
}

function positionFigures(market: ScreenMarket): readonly Figure[] {
  const { positionBase, entryPrice, baseAsset, notionalQuote, unrealisedQuote } = market;
  const isFlat = positionBase !== undefined && isZero(positionBase);
  return [
    { label: `position ${baseAsset ?? "base"}`, value: positionBase, isSigned: true },
    { label: "entry", value: entryPrice ?? (isFlat ? "none" : undefined), isSigned: false },
    { label: "mark", value: market.mark, isSigned: false },
    { label: "notional", value: notionalQuote, isSigned: false },
    { label: "unrealised", value: unrealisedQuote, isSigned: true },
    { label: "realised", value: market.realisedQuote, isSigned: true },
    { label: "profit", value: market.pnlTotalQuote, isSigned: true },
  ];
}

function partFigures({ pnlQuote }: ScreenMarket, room: number): readonly Figure[] {
  const isFolded = PNL_PARTS.length > room && [...RARE].every((part) => isZero(pnlQuote[part]));
  const parts = PNL_PARTS.filter((part) => !isFolded || !RARE.has(part)).map((part) => ({
    label: part,
    value: pnlQuote[part],
    isSigned: true,
  }));
  return isFolded ? [...parts, { label: "other parts", value: "0.00", isSigned: false }] : parts;
}

function figureLines(
  figures: readonly Figure[],
  { quoteAsset }: ScreenMarket,
  labelWidth: number,
  height: number,
): { readonly lines: readonly Line[]; readonly width: number } {
  const spans = figures.map(({ value, isSigned }) =>
    value === undefined
      ? (["unknown", "yellow"] as const)
      : isSigned
        ? colorBySign(value)
        : ([value, "plain"] as const),
  );
  const values = alignDecimals(spans.map(([text]) => text));
  const width = Math.max(0, ...values.map((text) => [...text].length));
  const heading: Line = [
    [" ".repeat(labelWidth)],
    [(quoteAsset ?? "quote").padStart(width), "dim"],
  ];
  const rows = figures.map(
    ({ label }, at): Line => [
      [label.slice(0, labelWidth - 1).padEnd(labelWidth), "dim"],
      [values[at] ?? "", spans[at]?.[1]],
    ],
  );
  return { lines: [heading, ...rows].slice(0, height), width: labelWidth + width };
}
