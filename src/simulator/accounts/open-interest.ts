import { atLeastZero } from "../../core/bigints.js";
import type { Market } from "../markets/market.js";
import type { Account } from "./account.js";

/** Runs a change of an account's position and keeps the market's open interest and holders in step. */
export function withOpenInterest<Result>(
  market: Market,
  account: Account,
  change: () => Result,
): Result {
  const { position } = account.in(market.id);
  const before = position.matched.paper;
  const result = change();
  const after = position.matched.paper;
  market.openInterestPaper += atLeastZero(after) - atLeastZero(before);
  if (after === 0n) {
    market.holders.delete(account);
  } else {
    market.holders.add(account);
  }
  return result;
}
