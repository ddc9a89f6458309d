import type { Hex } from "../../core/units.js";
import { AbiWords } from "../abi-words.js";
import { type ContractCall, callOf } from "../contract-call.js";

/** `getMarkPrice()` of a market's price source. It reverts where the price is stale. */
export function sourcePriceCall(priceSource: Hex): ContractCall {
  return callOf(priceSource, "getMarkPrice()", []);
}

/** `Dealer.getMarkPrice(address)`: what the dealer judges accounts of that market by. It reverts where the price is stale. */
export function dealerPriceCall(dealer: Hex, perp: Hex): ContractCall {
  return callOf(dealer, "getMarkPrice(address)", [perp]);
}

/** What either returns: credit units per 1e18 paper. @throws FormatError when it is no number */
export function markPriceOf(returned: Hex): bigint {
  return new AbiWords(returned).uint(0);
}
