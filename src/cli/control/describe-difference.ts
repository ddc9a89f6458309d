import type {
  ChangedValue,
  ConfigDifference,
  MarketDifference,
  QuotedMarket,
  QuotedOrder,
} from "../../bot/configure/config-difference.js";
import { alignedTable } from "./aligned-table.js";
import { formatCount } from "./market-figures.js";
import { oneLine } from "./one-line.js";

const CHARACTERS = 60;
const REASON_CHARACTERS = 120;
const MOST_REASONS = 2;

/** Describes what a `set` or a `reload` changed, or would change, for a person. */
export function describeDifference(difference: ConfigDifference): string {
  const { changes, markets, notes } = difference;
  const earlier = savedEarlierValues(difference);
  const parts = [
    `${sentenceFor(difference)}\n`,
    changes.length === 0 ? "" : changeTable(changes, ["value", "before", "after"]),
    earlier.length === 0 ? "" : changeTable(earlier, ["saved", "file before", "file now"]),
    ...Object.entries(markets).map(([marketId, market]) =>
      difference.state === "same" ? "" : marketText(marketId, market),
    ),
    ...notes.map((note) => `${note}\n`),
  ];
  return parts.join("");
}

/** Values that a save wrote, and that were set before it. */
function savedEarlierValues({ changes, written = [] }: ConfigDifference): readonly ChangedValue[] {
  return written.filter(({ path }) => !changes.some((change) => change.path === path));
}

function sentenceFor(difference: ConfigDifference): string {
  const { state, changes, saved } = difference;
  const values = formatCount(changes.length, "value");
  const earlier = savedEarlierValues(difference).length;
  const earlierText = `${formatCount(earlier, "value")} that ${earlier === 1 ? "was" : "were"} set before`;
  switch (state) {
    case "same":
      if (saved)
        return earlier > 0
          ? `${earlierText} ${earlier === 1 ? "is" : "are"} saved to the file.`
          : "The values in force are in the file already.";
      return "Nothing changes: the values are in force already.";
    case "preview":
      return changes.length === 0
        ? "Nothing would change: the values are in force already."
        : `${values} would change; nothing was done.`;
    case "applied":
      if (!saved) return `${values} changed.`;
      return `${values} changed, and saved to the file${earlier > 0 ? ` with ${earlierText}` : ""}.`;
  }
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

function marketText(marketId: string, { before, after }: MarketDifference): string {
  const placed = after.quotes.filter((quote) => isPlaced(quote)).length;
  const kept = after.quotes.filter(({ fate }) => fate === "keep").length;
  const counts = [
    `${formatCount(kept, "order")} stay${kept === 1 ? "s" : ""}`,
    ...(after.cancels > 0 ? [`${after.cancels} cancelled`] : []),
    ...(placed > 0 ? [`${placed} placed`] : []),
  ];
  const lines = [`${marketId}: ${counts.join(", ")}`, ...quoteLines(before, after)];
  if (after.quotes.length === 0)
    for (const reason of after.reasons.slice(0, MOST_REASONS))
      lines.push(`  ${oneLine(reason, REASON_CHARACTERS)}`);
  return `${lines.join("\n")}\n`;
}

/** Each quote that is wanted before or after, with both prices and sizes. */
function quoteLines(before: QuotedMarket, after: QuotedMarket): readonly string[] {
  const key = ({ side, level }: QuotedOrder): string => `${side} ${level}`;
  const olds = new Map(before.quotes.map((quote) => [key(quote), quote]));
  const news = new Map(after.quotes.map((quote) => [key(quote), quote]));
  const all = new Map([...olds, ...news].map(([name, { side, level }]) => [name, { side, level }]));
  const keys = [...all.entries()]
    .sort(([, a], [, b]) => (a.side === b.side ? a.level - b.level : a.side === "BUY" ? -1 : 1))
    .map(([name]) => name);
  if (keys.length === 0) return ["  no quotes before, and none after"];
  const table = alignedTable([
    { heading: "quote", cells: keys },
    { heading: "before", cells: keys.map((one) => quoteText(olds.get(one))), isNumeric: true },
    { heading: "after", cells: keys.map((one) => quoteText(news.get(one))), isNumeric: true },
    { heading: "", cells: keys.map((one) => fateText(news.get(one))) },
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

function fateText(quote: QuotedOrder | undefined): string {
  if (quote === undefined) return "cancelled";
  if (quote.fate === "keep") return "stays";
  return isPlaced(quote) ? "placed" : `withheld: ${oneLine(quote.why, REASON_CHARACTERS)}`;
}

/** True for a quote that is placed now, or as soon as the order in its slot has ended. */
function isPlaced({ fate, why }: QuotedOrder): boolean {
  return fate === "place" || (fate === "withheld" && why.startsWith("waiting for"));
}
