import type { FrameLevel, OwnQuote } from "./frame.js";

/** A row of the depth ladder: a level of the book, or an order of ours that is in none. */
export interface LadderRow {
  readonly price: string;
  /** All orders of the level; undefined where the book shows none. */
  readonly amountBase: string | undefined;
  readonly ownBase: string | undefined;
  /** From the touch of its side, in basis points. */
  readonly distanceBps: number;
  /** True for an order of ours behind the last level that is shown. */
  readonly isBeyond: boolean;
  /** Further orders of ours before this one that have no row. */
  readonly hidden: number;
}

/**
 * The rows of one side, best first: levels of the book, then our own orders that lie beyond them.
 * There are never more than `rows`: own orders take the places of the farthest levels.
 * @param most own orders beyond the levels that have a row of their own
 */
export function ladderRows(
  side: "BUY" | "SELL",
  levels: readonly FrameLevel[],
  quotes: readonly OwnQuote[],
  rows: number,
  most: number,
): readonly LadderRow[] {
  const all = withOwnOrders(side, levels, quotes);
  const touch = Number(levels[0]?.price ?? quotes[0]?.price);
  let shown = Math.min(rows, all.length);
  while (shown > rows - most && shown + ownAfter(all, shown).length > rows) shown -= 1;
  const beyond = ownAfter(all, shown);
  const kept = beyond.slice(0, rows - shown);
  const hidden = beyond.length - kept.length;
  // The farthest order is the one worth knowing of those that have no row.
  const last = beyond.at(-1);
  if (hidden > 0 && last !== undefined) kept[kept.length - 1] = last;
  const row = (level: BookRow, isBeyond: boolean, index: number): LadderRow => ({
    ...level,
    distanceBps: (10_000 * Math.abs(Number(level.price) - touch)) / touch,
    isBeyond,
    amountBase: isBeyond ? undefined : level.amountBase,
    hidden: isBeyond && index === kept.length - 1 ? hidden : 0,
  });
  return [
    ...all.slice(0, shown).map((level, index) => row(level, false, index)),
    ...kept.map((level, index) => row(level, true, index)),
  ];
}

interface BookRow {
  readonly price: string;
  readonly amountBase: string | undefined;
  readonly ownBase: string | undefined;
}

/** The levels with our own orders, best first. The book may lag an order, or end before it. */
function withOwnOrders(
  side: "BUY" | "SELL",
  levels: readonly FrameLevel[],
  quotes: readonly OwnQuote[],
): readonly BookRow[] {
  const prices = new Set(levels.map(({ price }) => Number(price)));
  const ownAt = (price: string): string | undefined =>
    quotes.find((quote) => Number(quote.price) === Number(price))?.amountBase;
  const rows = [
    ...levels.map(({ price, amountBase, ownBase }) => ({
      price,
      amountBase,
      ownBase: ownBase ?? ownAt(price),
    })),
    ...quotes
      .filter(({ price }) => !prices.has(Number(price)))
      .map(({ price, amountBase }) => ({ price, amountBase: undefined, ownBase: amountBase })),
  ];
  const sign = side === "BUY" ? -1 : 1;
  return rows.sort((a, b) => sign * (Number(a.price) - Number(b.price)));
}

function ownAfter(rows: readonly BookRow[], shown: number): BookRow[] {
  return rows.slice(shown).filter(({ ownBase }) => ownBase !== undefined);
}
