import type {
  ChangedValue,
  ConfigDifference,
  MarketDifference,
  QuotedOrder,
} from "../../bot/configure/config-difference.js";
import {
  differenceSentence,
  fateText,
  ordersSentence,
  quoteChanges,
  savedEarlierValues,
} from "../../bot/configure/difference-text.js";
import { alignedTable } from "./aligned-table.js";
import { oneLine } from "./one-line.js";

const CHARACTERS = 60;
const REASON_CHARACTERS = 120;
const FATE_CHARACTERS = "withheld: ".length + REASON_CHARACTERS;
const MOST_REASONS = 2;

/** Describes what a `set` or a `reload` changed, or would change, for a person. */
export function describeDifference(difference: ConfigDifference): string {
  const { changes, markets, notes } = difference;
  const earlier = savedEarlierValues(difference);
  const parts = [
    `${differenceSentence(difference)}\n`,
    changes.length === 0 ? "" : changeTable(changes, ["value", "before", "after"]),
    earlier.length === 0 ? "" : changeTable(earlier, ["saved", "file before", "file now"]),
    ...Object.entries(markets).map(([marketId, market]) =>
      difference.state === "same" ? "" : marketText(marketId, market),
    ),
    ...notes.map((note) => `${note}\n`),
  ];
  return parts.join("");
}

function changeTable(
  changes: readonly ChangedValue[],
  [name, before, after]: readonly [string, string, string],
): string {
  const value = (text: string | null): string =>
    text === null ? "none" : oneLine(text, CHARACTERS);
  return alignedTable([
    { heading: name, cells: changes.map(({ path }) => path) },
    { heading: before, cells: changes.map((change) => value(change.before)) },
    { heading: after, cells: changes.map((change) => value(change.after)) },
  ]);
}

function marketText(marketId: string, market: MarketDifference): string {
  const { quotes, reasons } = market.after;
  const lines = [`${marketId}: ${ordersSentence(market)}`, ...quoteLines(market)];
  if (quotes.length === 0)
    for (const reason of reasons.slice(0, MOST_REASONS))
      lines.push(`  ${oneLine(reason, REASON_CHARACTERS)}`);
  return `${lines.join("\n")}\n`;
}

/** Each quote that is wanted before or after, with both prices and sizes. */
function quoteLines(market: MarketDifference): readonly string[] {
  const quotes = quoteChanges(market);
  if (quotes.length === 0) return ["  no quotes before, and none after"];
  const table = alignedTable([
    { heading: "quote", cells: quotes.map(({ side, level }) => `${side} ${level}`) },
    { heading: "before", cells: quotes.map(({ before }) => quoteText(before)), isNumeric: true },
    { heading: "after", cells: quotes.map(({ after }) => quoteText(after)), isNumeric: true },
    { heading: "", cells: quotes.map(({ after }) => oneLine(fateText(after), FATE_CHARACTERS)) },
  ]);
  return table
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`);
}

function quoteText(quote: QuotedOrder | undefined): string {
  if (quote === undefined) return "none";
  return `${quote.amountBase} at ${quote.price}, ${quote.fromMidBps.toFixed(2)} bps`;
}
