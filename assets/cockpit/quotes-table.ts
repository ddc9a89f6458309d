import { html } from "../chart/html.js";
import { alignedText, durationText, numberText } from "./format.js";
import type { FrameBook, MarketStatus, OwnQuote } from "./frame.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { type Column, dataTable, scrollBox, tableRow } from "./panel.js";
import { quoteReason, reasonSentences, reasonTerms } from "./quote-reason.js";
import { setClass, setShown, setText } from "./update-element.js";

const COLUMNS = [
  { title: "order", isText: true },
  { title: "price" },
  { title: "open amount" },
  { title: "behind touch, bps" },
  { title: "age", isWide: true },
  { title: "state", isText: true, isWide: true },
  { title: "why there", isText: true },
] as const satisfies readonly Column[];

const HEAD_PIXELS = 30;
const ROW_PIXELS = 29;

interface QuoteLine extends Pick<FrameBook, "tickSize" | "stepSize"> {
  readonly key: string;
  readonly quote: OwnQuote;
  readonly why: string;
}

/** Our open orders with the reason of each, and the strategy's own reason and figures. */
export class QuotesTable {
  /** From top to bottom: the reason in sentences, the orders, the figures of the strategy. */
  readonly elements: readonly HTMLElement[];
  readonly #lines: KeyedList<QuoteLine>;
  readonly #box = scrollBox("Our open orders");
  readonly #none = html("p", "empty", "No order of ours is open.");
  readonly #sentences = html("p", "sentences");
  readonly #terms = html("dl", "terms");
  readonly #termList: KeyedList<{ readonly name: string; readonly text: string }>;
  #mostOrders = 0;

  constructor() {
    const { table, body: rows } = dataTable("Our open orders, best first", COLUMNS);
    table.classList.add("quotes");
    this.#box.append(table, this.#none);
    this.#lines = new KeyedList(
      rows,
      ({ key }) => key,
      () => quoteRow(),
    );
    this.#termList = new KeyedList(
      this.#terms,
      ({ name }) => name,
      ({ name }) => termItem(name),
    );
    const details = html("details", "behind");
    details.append(html("summary", "", "Figures of the strategy"), this.#terms);
    this.elements = [this.#sentences, this.#box, details];
  }

  update(
    market: MarketStatus,
    { tickSize, stepSize }: Pick<FrameBook, "tickSize" | "stepSize">,
  ): void {
    const { quotes, lastReason, strategy } = market;
    setText(this.#sentences, reasonSentences(market, tickSize).join(" "));
    setShown(this.#none, quotes.length === 0);
    this.#keepPlace(quotes.length);
    this.#lines.update(
      quotes.map((quote) => ({
        key: quote.clientId,
        quote,
        tickSize,
        stepSize,
        why: quoteReason(quote, market, tickSize),
      })),
    );
    this.#termList.update(
      lastReason === undefined ? [] : reasonTerms(lastReason, strategy, tickSize),
    );
  }

  /** Orders come and go with each change of a quote: what is below them stays where it is. */
  #keepPlace(orders: number): void {
    if (orders <= this.#mostOrders) return;
    this.#mostOrders = orders;
    this.#box.style.minHeight = `${HEAD_PIXELS + orders * ROW_PIXELS}px`;
  }
}

function quoteRow(): ListItem<QuoteLine> {
  const { row, cells } = tableRow(COLUMNS);
  const [name, price, amount, distance, age, phase, reason] = cells;
  return {
    element: row,
    update: ({ quote, why, tickSize, stepSize }) => {
      const { side, level } = quote;
      setText(
        name,
        `${side === "BUY" ? "▲ buy" : "▼ sell"}${level === undefined ? "" : ` ${level}`}`,
      );
      setClass(name, "buy", side === "BUY");
      setClass(name, "sell", side === "SELL");
      setText(price, alignedText(quote.price, tickSize));
      setText(amount, alignedText(quote.amountBase, stepSize));
      setText(distance, numberText(quote.distanceBps, 1));
      setText(age, durationText(quote.ageMs));
      setText(phase, quote.phase.replace("-", " "));
      setText(reason, why);
    },
  };
}

function termItem(name: string): ListItem<{ readonly name: string; readonly text: string }> {
  const element = html("div");
  const value = html("dd");
  element.append(html("dt", "", name), value);
  return { element, update: ({ text }) => setText(value, text) };
}
