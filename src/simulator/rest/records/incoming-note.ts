import type { ExchangeAccount } from "../../accounts/account.js";
import type { CreditLedger } from "../../accounts/credit-ledger.js";
import type { ExchangeConfig } from "../../config/config.js";

/**
 * The end of a message about missing margin: the time at which a pending deposit counts. Empty if
 * none is pending.
 */
export function incomingNote(
  account: ExchangeAccount,
  credit: Pick<CreditLedger, "hasPendingDeposit">,
  { chain }: ExchangeConfig,
): string {
  if (!credit.hasPendingDeposit(account)) return "";
  const everyMs = chain?.blocks.intervalMs ?? 0;
  const rhythm = everyMs === 0 ? "" : `, one every ${everyMs} ms`;
  return `: a deposit of the account is pending on the chain and counts from the next block on${rhythm}`;
}
