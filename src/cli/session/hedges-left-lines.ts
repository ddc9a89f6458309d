import type { HedgeAtEnd, UnsettledHedge } from "../../bot/engine/bot-event.js";

/** Hedges that a run leaves behind at its end. */
export interface HedgesLeft {
  /** Those with an open order, or with too much unhedged. */
  readonly hedgesLeft?: readonly HedgeAtEnd[] | undefined;
  /** Those that a failing settlement would leave open. */
  readonly unsettledHedges?: readonly UnsettledHedge[] | undefined;
}

/** Names what a run leaves behind at its hedge venues, one sentence for each hedge. */
export function describeHedgesLeft({
  hedgesLeft = [],
  unsettledHedges = [],
}: HedgesLeft): readonly string[] {
  return [...hedgesLeft.map(describeLeft), ...unsettledHedges.map(describeUnsettled)];
}

function describeLeft({ marketId, venue, neededBase, ordersLeft }: HedgeAtEnd): string {
  const needed =
    neededBase === undefined
      ? "it is not known how much is unhedged"
      : `${neededBase.replace("-", "")} base are still to be ${neededBase.startsWith("-") ? "sold" : "bought"}`;
  const orders =
    ordersLeft.length === 0 ? "" : `, and orders may still fill: ${ordersLeft.join(", ")}`;
  return `the hedge of ${marketId} at ${venue} is not done: ${needed}${orders}`;
}

function describeUnsettled({ marketId, venue, buyBase, sellBase }: UnsettledHedge): string {
  const fills = [
    ...(buyBase === "0" ? [] : [`${buyBase} base bought`]),
    ...(sellBase === "0" ? [] : [`${sellBase} base sold`]),
  ].join(" and ");
  return `${fills} in ${marketId} are not settled yet: if the settlement fails, the hedge at ${venue} stays open until the bot runs again`;
}
