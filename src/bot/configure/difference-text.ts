import { formatCount } from "../../core/format-count.js";
import type {
  ChangedValue,
  ConfigDifference,
  MarketDifference,
  QuotedMarket,
  QuotedOrder,
  StrategyEffect,
} from "./config-difference.js";

/** A quote that is wanted before a change of values, after it, or both. */
export interface QuoteChange {
  readonly side: QuotedOrder["side"];
  readonly level: number;
  readonly before: QuotedOrder | undefined;
  readonly after: QuotedOrder | undefined;
}

/** Values that a save wrote, and that were set before it. */
export function savedEarlierValues({
  changes,
  written = [],
}: ConfigDifference): readonly ChangedValue[] {
  return written.filter(({ path }) => !changes.some((change) => change.path === path));
}

/** The effect of a `set` or a `reload`, for the command line and the cockpit. */
export function differenceSentence(difference: ConfigDifference): string {
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

/** The effect on the orders of a market, such as `0 orders stay, 4 cancelled, 4 placed`. */
export function ordersSentence({ after }: MarketDifference): string {
  const placed = after.quotes.filter((quote) => isPlaced(quote)).length;
  const kept = after.quotes.filter(({ fate }) => fate === "keep").length;
  return [
    `${formatCount(kept, "order")} stay${kept === 1 ? "s" : ""}`,
    ...(after.cancels > 0 ? [`${after.cancels} cancelled`] : []),
    ...(placed > 0 ? [`${placed} placed`] : []),
  ].join(", ");
}

const STRATEGY_SENTENCES: Readonly<Record<StrategyEffect, string>> = {
  unchanged: "The strategy's parameters stay as they are.",
  kept: "The strategy keeps its estimates.",
  restarted: "The strategy is created again: its estimates begin anew.",
  idle: "The strategy does not run now, and takes the values when it starts.",
};

/** The effect on a market's strategy. */
export function strategySentence({ strategy }: MarketDifference): string {
  return STRATEGY_SENTENCES[strategy];
}

/** The quotes of a market before and after, bids first, the innermost of each first. */
export function quoteChanges({ before, after }: MarketDifference): readonly QuoteChange[] {
  const changes = new Map<string, QuoteChange>();
  const add = (quoted: QuotedMarket, name: "before" | "after"): void => {
    for (const quote of quoted.quotes) {
      const { side, level } = quote;
      const key = `${side} ${level}`;
      const known = changes.get(key) ?? { side, level, before: undefined, after: undefined };
      changes.set(key, { ...known, [name]: quote });
    }
  };
  add(before, "before");
  add(after, "after");
  return [...changes.values()].sort((a, b) =>
    a.side === b.side ? a.level - b.level : a.side === "BUY" ? -1 : 1,
  );
}

/** The fate of a quote, in words. */
export function fateText(quote: QuotedOrder | undefined): string {
  if (quote === undefined) return "cancelled";
  if (quote.fate === "keep") return "stays";
  return isPlaced(quote) ? "placed" : `withheld: ${quote.why}`;
}

/** True for a quote that is placed now, or as soon as the order in its slot has ended. */
function isPlaced({ fate, why }: QuotedOrder): boolean {
  return fate === "place" || (fate === "withheld" && why.startsWith("waiting for"));
}
