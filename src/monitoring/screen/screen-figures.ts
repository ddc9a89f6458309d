import { PNL_PARTS, type PnlPart } from "../pnl-parts.js";
import { alignDecimals } from "./align-decimals.js";
import type { ScreenMarket } from "./screen-model.js";
import {
  colorBySign,
  isZero,
  joinPanels,
  type Line,
  type Span,
  type Style,
} from "./screen-text.js";

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

/** Decimals of a small amount of money; its column has room for them where the panel has. */
const SMALL_DECIMALS = 4;
/** Width of a column of values that holds most amounts with as many decimals. */
const ROOMY_VALUE_WIDTH = 11;

/** Widths of the columns of a market's figures: its position, and the parts of its profit. */
interface FigureWidths {
  readonly label: number;
  readonly partLabel: number;
  readonly value: number;
}

/** They depend on the market, not on the digits of the moment. */
function figureWidths(market: ScreenMarket): FigureWidths {
  const { baseAsset, priceDecimals, amountDecimals } = market;
  const label = [...positionLabel(baseAsset)].length + 1;
  return {
    label: Math.min(MOST_LABEL_WIDTH, Math.max(LABEL_WIDTH, label)),
    partLabel: LABEL_WIDTH,
    value: Math.max(9, priceDecimals + 4, amountDecimals + 5),
  };
}

/** Least width of the figures of a market in one column or in two. */
export function figuresWidth(market: ScreenMarket, columns: 1 | 2): number {
  const { label, partLabel, value } = figureWidths(market);
  return columns === 1 ? label + value : label + partLabel + 2 * value + GAP;
}

/**
 * Renders position, entry, value and the whole profit split, all money in one column with aligned
 * points, or in two. At most `height` lines a column, and at most `width` columns, of which there
 * are at least {@link figuresWidth} but for a book with unusually long numbers beside it.
 */
export function renderFigures(
  market: ScreenMarket,
  height: number,
  columns: 1 | 2,
  width: number,
): readonly Line[] {
  const position = positionFigures(market);
  const { label, partLabel, value } = figureWidths(market);
  if (columns === 1) {
    const all = [...position, ...partFigures(market, height - 1 - position.length)];
    const most = Math.min(width, label + Math.max(value, ROOMY_VALUE_WIDTH));
    return figureLines(all, market, { label, most, width }, height);
  }
  const spare = Math.floor(Math.max(0, width - figuresWidth(market, 2)) / 2);
  const valueWidth = value + Math.min(spare, Math.max(0, ROOMY_VALUE_WIDTH - value));
  const first = Math.min(label + valueWidth, Math.floor((width - GAP) / 2));
  const second = Math.min(partLabel + valueWidth, width - GAP - first);
  return joinPanels(
    [
      figureLines(position, market, { label, most: first, width: first }, height),
      figureLines(
        partFigures(market, height - 1),
        market,
        { label: partLabel, most: second, width: second },
        height,
      ),
    ],
    [first, second],
    GAP,
  );
}

function positionLabel(baseAsset: string | undefined): string {
  return `position ${baseAsset ?? "base"}`;
}

function positionFigures(market: ScreenMarket): readonly Figure[] {
  const { positionBase, entryPrice, baseAsset, notionalQuote, unrealisedQuote } = market;
  const isFlat = positionBase !== undefined && isZero(positionBase);
  return [
    { label: positionLabel(baseAsset), value: positionBase, isSigned: true },
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

/** Columns of one column of figures: its labels, its usual width, and the most it may take. */
interface FigureSpace {
  readonly label: number;
  readonly most: number;
  readonly width: number;
}

function figureLines(
  figures: readonly Figure[],
  { quoteAsset }: ScreenMarket,
  { label: labelWidth, most, width }: FigureSpace,
  height: number,
): readonly Line[] {
  const spans = figures.map(({ value, isSigned }) =>
    value === undefined
      ? (["unknown", "yellow"] as const)
      : isSigned
        ? colorBySign(value)
        : ([value, "plain"] as const),
  );
  const values = fitValues(
    spans.map(([text]) => text),
    most - labelWidth,
    width - labelWidth,
  );
  const lineWidth = Math.max(
    most,
    ...values.map((text) => Math.min(width, labelWidth + [...text].length)),
  );
  const row = (label: string, value: Span, style: Style = "dim"): Line => {
    const room = Math.max(1, lineWidth - [...value[0]].length);
    return [
      [
        label
          .slice(0, labelWidth - 1)
          .slice(0, room)
          .padEnd(room),
        style,
      ],
      value,
    ];
  };
  const rows = figures.map(({ label }, at) => row(label, [values[at] ?? "", spans[at]?.[1]]));
  return [row("", [quoteAsset ?? "quote", "dim"]), ...rows].slice(0, height);
}

/**
 * Aligns values at the point in the usual width of their column, whatever their digits are. Where
 * they are too wide, small amounts lose decimals first, then the points their alignment.
 */
function fitValues(texts: readonly string[], usual: number, most: number): readonly string[] {
  const isIn = (width: number, aligned: readonly string[]): boolean =>
    aligned.every((text) => [...text].length <= width);
  const roomy = usual >= ROOMY_VALUE_WIDTH ? alignDecimals(texts, SMALL_DECIMALS) : [];
  if (roomy.length > 0 && isIn(usual, roomy)) return roomy;
  const aligned = alignDecimals(texts);
  if (isIn(usual, aligned)) return aligned;
  const short = alignDecimals(texts.map(withoutSmallDecimals));
  return isIn(most, short) ? short : texts;
}

/** An amount below a hundredth with two decimals. */
function withoutSmallDecimals(text: string): string {
  return /^[+-]?0\.00\d+$/.test(text) ? `${text.slice(0, text.indexOf(".") + 3)}` : text;
}
