import type { PageRequest } from "./frame.js";

/** The text that confirms a command: its market's name, or the account for several markets. */
export function confirmationFor(request: PageRequest, account: string): string {
  return marketOf(request) ?? account;
}

/** As the cockpit's server decides it. */
function marketOf(request: PageRequest): string | undefined {
  if (request.command === "reload") return undefined;
  if (request.command !== "set") return request.marketId;
  const markets = request.changes.map(({ path }) => /^markets\.([^.]+)\./.exec(path)?.[1]);
  const [first] = markets;
  return markets.every((market) => market === first) ? first : undefined;
}
