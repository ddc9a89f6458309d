import type { PageRequest } from "./frame.js";

/** Confirms a command for all markets, as the account does. */
export const ALL = "all";

/** The text that confirms a command: its market's name, or `all` for several markets. */
export function confirmationFor(request: PageRequest): string {
  return marketOf(request) ?? ALL;
}

/** As the cockpit's server decides it. */
function marketOf(request: PageRequest): string | undefined {
  if (request.command === "reload") return undefined;
  if (request.command !== "set") return request.marketId;
  const markets = request.changes.map(({ path }) => /^markets\.([^.]+)\./.exec(path)?.[1]);
  const [first] = markets;
  return markets.every((market) => market === first) ? first : undefined;
}
