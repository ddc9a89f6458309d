import {
  differenceSentence,
  fateText,
  ordersSentence,
  quoteChanges,
  strategySentence,
} from "../../src/bot/configure/difference-text.js";
import { html } from "../chart/html.js";
import { decimalText, numberText } from "./format.js";
import type { ConfigDifference, MarketDifference, QuotedOrder } from "./frame.js";
import { dataTable, scrollBox, tableRow } from "./panel.js";

const CHANGE_COLUMNS = [{ title: "value", isText: true }, { title: "before" }, { title: "after" }];
const QUOTE_COLUMNS = [
  { title: "quote", isText: true },
  { title: "before" },
  { title: "after" },
  { title: "order", isText: true },
] as const;

/** The difference in the answer to a `set` or a `reload`. */
export function differenceIn(data: unknown): ConfigDifference | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  return (data as { readonly difference?: ConfigDifference }).difference;
}

/** Shows what a `set` or a `reload` would change: its values, and the quotes of each market. */
export function setPreviewElements(data: unknown): readonly HTMLElement[] {
  const difference = differenceIn(data);
  if (difference === undefined) return [html("p", "", "The bot names no difference.")];
  const { state, markets, notes } = difference;
  return [
    html("p", "", differenceSentence(difference)),
    ...changeTables(difference),
    ...(state === "same"
      ? []
      : Object.entries(markets).flatMap(([marketId, market]) => marketElements(marketId, market))),
    ...notes.map((note) => html("p", "note", note)),
  ];
}

/** The outcome of a `set` or a `reload`, and what a restart would do. */
export function setOutcome(data: unknown): string {
  const difference = differenceIn(data);
  if (difference === undefined) return "Done.";
  const { state, markets, notes } = difference;
  const orders = Object.entries(markets).map(
    ([marketId, market]) => `${marketId}: ${ordersSentence(market)}.`,
  );
  return [differenceSentence(difference), ...(state === "same" ? [] : orders), ...notes].join(" ");
}

function changeTables({ changes }: ConfigDifference): readonly HTMLElement[] {
  if (changes.length === 0) return [];
  const { table, body } = dataTable("Changed values", CHANGE_COLUMNS);
  for (const { path, before, after } of changes) {
    const row = html("tr");
    const head = html("th", "text path", path);
    head.scope = "row";
    row.append(head, html("td", "", before ?? "none"), html("td", "", after ?? "none"));
    body.append(row);
  }
  const box = scrollBox("Changed values");
  box.append(table);
  return [box];
}

function marketElements(marketId: string, market: MarketDifference): readonly HTMLElement[] {
  const heading = html("h3", "", marketId);
  const effect = html("p", "", `${ordersSentence(market)}. ${strategySentence(market)}`);
  const quotes = quoteChanges(market);
  const { after } = market;
  if (quotes.length === 0)
    return [heading, effect, html("p", "", "No quotes before, and none after."), ...reasons(after)];
  const { table, body } = dataTable(`Quotes of ${marketId} before and after`, QUOTE_COLUMNS);
  for (const change of quotes) {
    const { row, cells } = tableRow(QUOTE_COLUMNS);
    const [name, was, is, fate] = cells;
    const isBuy = change.side === "BUY";
    name.textContent = `${isBuy ? "▲ buy" : "▼ sell"} ${change.level}`;
    name.classList.add(isBuy ? "buy" : "sell");
    was.append(...quoteParts(change.before));
    is.append(...quoteParts(change.after));
    fate.textContent = fateText(change.after);
    fate.classList.add("fate");
    body.append(row);
  }
  const box = scrollBox(`Quotes of ${marketId} before and after`);
  box.append(table);
  return [heading, effect, box, ...reasons(after)];
}

function reasons({ reasons: texts }: MarketDifference["after"]): readonly HTMLElement[] {
  return texts.map((text) => html("p", "note", text));
}

/** A price, and below it the size and the distance from the mid. */
function quoteParts(quote: QuotedOrder | undefined): readonly HTMLElement[] {
  if (quote === undefined) return [html("span", "", "none")];
  const { price, amountBase, fromMidBps } = quote;
  return [
    html("span", "price-part", decimalText(price)),
    html("small", "", `${decimalText(amountBase)}, ${numberText(fromMidBps, 2)} bps`),
  ];
}
