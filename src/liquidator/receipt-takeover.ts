import { type JoinLiquidation, joinLiquidation } from "../chain/events/liquidation-events.js";
import type { TransactionReceipt } from "../chain/transaction-receipt.js";
import type { CreditUnits, Hex } from "../core/units.js";
import type { OddRest } from "./ledger/opportunity.js";
import type { Paper } from "./margin/margin-account.js";

/** What a receipt says that an account has taken over, by the dealer's word; undefined when it says nothing of the kind. Addresses in lower case. */
export function takenOverBy(receipt: TransactionReceipt, dealer: Hex, account: Hex): JoinLiquidation | undefined {
  return receipt.logs
    .filter(({ address }) => address === dealer)
    .map(joinLiquidation.decode)
    .find((joined) => joined?.liquidator === account);
}

/** Names a takeover: the same transaction in another block is another one. */
export function takeoverIdOf({ hash, blockHash }: TransactionReceipt): string {
  return `${hash}@${blockHash}`;
}

/** What of a takeover is no whole lot, where something is. */
export function oddRest(paper: Paper, markValue: (paper: Paper) => CreditUnits | undefined): { readonly odd: OddRest } | undefined {
  return paper === 0n ? undefined : { odd: { paper, markCredit: markValue(paper) } };
}
