import type { Hex } from "../../core/units.js";
import type { RiskyAccount } from "../protocol/account.js";

/** Reads an account's safety at this instant: the contracts' own `isSafe`, read from a node. */
export interface OnChainSafetyReader {
  isSafe(account: Hex): Promise<boolean>;
}

/**
 * Returns those accounts of `GET /v1/riskyAccounts` that the chain itself reports unsafe now. The
 * list's own `isSafe` is cached and decides nothing here, either way: acting on a safe account
 * fails on the chain and costs its gas
 * (docs/reference/exchange-interface.md#high-risk-account-fields).
 * @throws whatever the chain's reader throws: without its answer nobody is unsafe.
 * @example
 * ```ts
 * import { type RiskyAccount, filterUnsafeOnChain } from "marketwright/exchange";
 *
 * // The exchange's list, of which only the address is read here.
 * const candidates = [{ account: "0x01" }, { account: "0x02" }] as RiskyAccount[];
 * // Here a table; with real money, a call of the contracts' own `isSafe`.
 * const chain = { isSafe: async (account: string) => account === "0x01" };
 * const unsafe = await filterUnsafeOnChain(candidates, chain);
 * unsafe.map(({ account }) => account); // => ["0x02"]
 * ```
 */
export async function filterUnsafeOnChain(
  candidates: readonly RiskyAccount[],
  chain: OnChainSafetyReader,
): Promise<RiskyAccount[]> {
  const answers = await Promise.all(candidates.map(({ account }) => chain.isSafe(account)));
  return candidates.filter((_, place) => answers[place] === false);
}
