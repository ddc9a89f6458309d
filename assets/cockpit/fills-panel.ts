import { html } from "../chart/html.js";
import { alignedText, clockText, countText, negative, signedText } from "./format.js";
import type { FrameFill, FrameMarket } from "./frame.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "./panel.js";
import { setClass, setShown, setText } from "./update-element.js";

const MOST_ROWS = 60;
const COLUMNS = [
  { title: "time", isText: true },
  { title: "side", isText: true },
  { title: "price" },
  { title: "amount" },
  { title: "fee or rebate", isWide: true },
  { title: "maker or taker", isText: true },
] as const satisfies readonly Column[];

interface FillLine extends Pick<FrameMarket, "tickSize" | "stepSize"> {
  readonly key: string;
  readonly fill: FrameFill;
}

/** The newest fills of one market. */
export class FillsPanel {
  readonly element: HTMLElement;
  readonly #count = html("span", "count");
  readonly #none = html("p", "empty", "No fill yet.");
  readonly #list: KeyedList<FillLine>;

  constructor() {
    const { element, head, body } = panel("Fills", "fills");
    this.element = element;
    head.append(this.#count);
    const { table, body: rows } = dataTable("Newest fills first; a rebate is above zero", COLUMNS);
    const box = scrollBox("Fills", "fills-box");
    box.append(table, this.#none);
    body.append(box);
    this.#list = new KeyedList(
      rows,
      ({ key }) => key,
      () => fillRow(),
    );
  }

  update({ fills, tickSize, stepSize }: FrameMarket): void {
    setText(
      this.#count,
      fills.length > MOST_ROWS ? `newest ${MOST_ROWS}` : countText(fills.length, "fill"),
    );
    setShown(this.#none, fills.length === 0);
    // Parts of one order may fill at one price in one millisecond: they are counted.
    const times = new Map<string, number>();
    const lines = fills.map((fill) => {
      const { atMs, side, price, amountBase } = fill;
      const same = `${atMs} ${side} ${price} ${amountBase}`;
      const before = times.get(same) ?? 0;
      times.set(same, before + 1);
      return { key: `${same} ${before}`, fill, tickSize, stepSize };
    });
    this.#list.update(lines.slice(-MOST_ROWS).reverse());
  }
}

function fillRow(): ListItem<FillLine> {
  const { row, cells } = tableRow(COLUMNS);
  const [time, side, price, amount, fee, role] = cells;
  return {
    element: row,
    update: ({ fill, tickSize, stepSize }) => {
      setText(time, clockText(fill.atMs));
      setText(side, fill.side === "BUY" ? "▲ buy" : "▼ sell");
      setClass(side, "buy", fill.side === "BUY");
      setClass(side, "sell", fill.side === "SELL");
      setText(price, alignedText(fill.price, tickSize));
      setText(amount, alignedText(fill.amountBase, stepSize));
      // As in the profit: a rebate is above zero.
      setText(fee, signedText(negative(fill.feeQuote)));
      setText(
        role,
        `${fill.isMaker ? "maker" : "taker"}${fill.level === undefined ? "" : `, level ${fill.level}`}`,
      );
    },
  };
}
