import { html } from "../chart/html.js";
import { type LadderRow, ladderRows } from "./depth-levels.js";
import { alignedText, decimalsOf, numberText } from "./format.js";
import type { FrameBook, MarketStatus } from "./frame.js";
import { type Column, dataTable, panel, tableRow } from "./panel.js";
import { setClass, setLength, setText } from "./update-element.js";

const ROWS = 12;
const MOST_BEYOND = 4;
const COLUMNS = [
  { title: "price" },
  { title: "amount" },
  { title: "ours" },
  { title: "from touch, bps" },
] as const satisfies readonly Column[];

interface RowView {
  readonly row: HTMLTableRowElement;
  readonly price: HTMLElement;
  readonly amount: HTMLElement;
  readonly bar: HTMLElement;
  readonly own: HTMLElement;
  readonly distance: HTMLElement;
}

/** The book around the touch with our own orders in it; those beyond its levels at its edge. */
export class DepthLadder {
  readonly element: HTMLElement;
  readonly #asks: readonly RowView[];
  readonly #bids: readonly RowView[];
  readonly #spread = html("td", "text");
  readonly #age = html("span", "count");

  constructor() {
    const { element, head, body } = panel("Depth", "depth");
    this.element = element;
    head.append(this.#age);
    const { table, body: asks } = dataTable(
      "Order book, asks above bids; our own orders beyond the shown levels are at the edges",
      COLUMNS,
    );
    table.classList.add("ladder");
    this.#asks = rowViews(asks, "ask");
    const middle = html("tr", "spread");
    this.#spread.colSpan = COLUMNS.length;
    middle.append(this.#spread);
    asks.append(middle);
    this.#bids = rowViews(asks, "bid");
    body.append(table);
  }

  update(market: MarketStatus, framed: FrameBook): void {
    const { bids, asks } = framed;
    const own = (side: "BUY" | "SELL") => market.quotes.filter((quote) => quote.side === side);
    const bidRows = ladderRows("BUY", bids, own("BUY"), ROWS, MOST_BEYOND);
    const askRows = ladderRows("SELL", asks, own("SELL"), ROWS, MOST_BEYOND);
    const most = Math.max(
      0,
      ...[...bidRows, ...askRows].map(({ amountBase }) => Number(amountBase ?? 0)),
    );
    for (const [index, view] of this.#bids.entries()) show(view, bidRows[index], most, framed);
    // The best ask is next to the spread.
    for (const [index, view] of this.#asks.entries())
      show(view, askRows[ROWS - 1 - index], most, framed);
    setText(this.#spread, spreadText(bids[0]?.price, asks[0]?.price, framed.tickSize));
    const { bookAgeMs } = market;
    setText(
      this.#age,
      bookAgeMs === undefined || bookAgeMs < 1_000
        ? ""
        : `book confirmed ${numberText(bookAgeMs / 1000, 0)} s ago`,
    );
  }
}

function rowViews(host: HTMLElement, side: "ask" | "bid"): readonly RowView[] {
  return Array.from({ length: ROWS }, () => {
    const { row, cells } = tableRow(COLUMNS);
    row.className = side;
    const [price, amountCell, own, distance] = cells;
    amountCell.className = "depth-cell";
    const bar = html("span", "bar-fill");
    const amount = html("span", "amount");
    amountCell.append(bar, amount);
    host.append(row);
    return { row, price, amount, bar, own, distance };
  });
}

function show(
  view: RowView,
  row: LadderRow | undefined,
  most: number,
  { tickSize, stepSize }: FrameBook,
): void {
  const { row: element, price, amount, bar, own, distance } = view;
  setClass(element, "own", row?.ownBase !== undefined);
  setClass(element, "beyond", row?.isBeyond === true);
  setText(price, row === undefined ? "" : alignedText(row.price, tickSize));
  setText(amount, row === undefined ? "" : amountText(row, stepSize));
  setLength(bar, row?.amountBase === undefined || most === 0 ? 0 : Number(row.amountBase) / most);
  setText(own, row?.ownBase === undefined ? "" : `◆ ${alignedText(row.ownBase, stepSize)}`);
  setText(distance, row === undefined ? "" : numberText(row.distanceBps, 1));
}

function amountText({ amountBase, isBeyond, hidden }: LadderRow, stepSize: string): string {
  if (hidden > 0) return `${hidden} more before`;
  if (isBeyond) return "beyond";
  return amountBase === undefined ? "not in the book" : alignedText(amountBase, stepSize);
}

function spreadText(bid: string | undefined, ask: string | undefined, tickSize: string): string {
  if (bid === undefined && ask === undefined) return "The book is empty.";
  if (bid === undefined) return "The book has no bids.";
  if (ask === undefined) return "The book has no asks.";
  const spread = Number(ask) - Number(bid);
  const bps = (20_000 * spread) / (Number(ask) + Number(bid));
  return `spread ${numberText(spread, decimalsOf(tickSize))} (${numberText(bps, 2)} bps)`;
}
