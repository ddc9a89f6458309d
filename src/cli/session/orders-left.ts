import type { OwnOrder } from "../../account/orders/order.js";

/** Largest number of orders named in one line. */
const MOST_NAMED = 20;

/**
 * Describes the orders that an immediate exit leaves at the exchange, and the command that cancels
 * them.
 * @param orders of the bot that may still fill; undefined if unknown, as before its start or after
 * an error.
 */
export function ordersLeftText(
  orders: readonly Pick<OwnOrder, "marketId" | "hash" | "phase">[] | undefined,
  cancelCommand: string,
): string {
  if (orders === undefined || orders.length === 0)
    return `the bot knows of no order that may still fill, but has not made sure: ${cancelCommand} does`;
  const named = orders
    .slice(0, MOST_NAMED)
    .map(({ marketId, hash, phase }) => `${marketId} ${hash} (${phase})`);
  const more = orders.length > named.length ? ` and ${orders.length - named.length} more` : "";
  return `orders that may still fill are left: ${named.join(", ")}${more}; ${cancelCommand} cancels them`;
}
