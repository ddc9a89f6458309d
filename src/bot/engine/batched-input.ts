import type { BotContext } from "./context.js";
import type { BotInput } from "./input.js";

/**
 * True if an input waits for the next round of decisions. While load is shed, market data changes the books at once and is
 * decided on in rounds, as the newest of each market; so is what an order that leaves brings with it. A book that is lost,
 * an answer and everything of the account settle at once.
 */
export function isBatched(
  input: BotInput,
  { loopLag, traders }: Pick<BotContext, "loopLag" | "traders">,
): boolean {
  if (!loopLag.isShedding) return false;
  if (input.kind !== "event") return input.kind === "leave";
  const { event } = input;
  switch (event.type) {
    case "book-snapshot":
    case "book-update":
      return traders.get(event.marketId)?.book.isSynchronised === true;
    case "market-state":
    case "public-trade":
      return true;
    default:
      return false;
  }
}
