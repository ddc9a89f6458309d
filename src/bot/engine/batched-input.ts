import type { BotContext } from "./context.js";
import type { BotInput } from "./input.js";

/**
 * True if an input waits for the next decision round. While load is shed, market data changes the
 * books at once, but decisions on it are batched into rounds, as the newest state of each market;
 * so are the effects of an order that is sent. A lost book, an answer and every account event
 * settle at once.
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
