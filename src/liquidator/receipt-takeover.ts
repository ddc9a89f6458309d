import type { TransactionReceipt } from "../chain/blocks/transaction-receipt.js";
import { liquidateArguments } from "../chain/calls/liquidate.js";
import type { ContractCall } from "../chain/contracts/contract-call.js";
import { type JoinLiquidation, joinLiquidation } from "../chain/events/liquidation-events.js";
import { FormatError } from "../core/errors.js";
import type { CreditUnits, Hex, PaperUnits } from "../core/units.js";
import type { SubLotRemainder } from "./ledger/opportunity.js";

/** What a receipt says that an account has taken over, by the dealer's word; undefined when it says nothing of the kind. Addresses in lower case. */
export function findTakeover(
  receipt: TransactionReceipt,
  dealer: Hex,
  account: Hex,
): JoinLiquidation | undefined {
  return receipt.logs
    .filter(({ address }) => address === dealer)
    .map(joinLiquidation.decode)
    .find((joined) => joined?.liquidator === account);
}

/**
 * Refuses the receipt of a takeover that went through and does not tell it: the node's answer lacks something, since the contract tells
 * each. Taken at its word, the position that came with it would never be sold.
 * @throws FormatError
 */
export function requireTakeover(
  receipt: TransactionReceipt,
  dealer: Hex,
  call: ContractCall,
): void {
  const { perp, liquidator, victim, requestPaper } = liquidateArguments(call);
  const joined = findTakeover(receipt, dealer, liquidator);
  if (
    joined === undefined ||
    joined.perp !== perp ||
    joined.victim !== victim ||
    !isPartOf(joined.paper, requestPaper)
  )
    throw new FormatError("does not tell the takeover", {
      field: "receipt.logs",
      value:
        joined === undefined
          ? `${receipt.logs.length} logs`
          : `${joined.paper} paper of ${joined.victim} in ${joined.perp}`,
      expected: `at most ${requestPaper} paper of ${victim} in ${perp}`,
    });
}

/** A request is capped to the position, and of its sign. */
function isPartOf(paper: PaperUnits, request: PaperUnits): boolean {
  return request > 0n ? paper > 0n && paper <= request : paper < 0n && paper >= request;
}

/** Names a takeover: the same transaction in another block is another one. */
export function takeoverIdFor({ hash, blockHash }: TransactionReceipt): string {
  return `${hash}@${blockHash}`;
}

/** What of a takeover is no whole lot, where something is. */
export function computeSubLotRemainder(
  paper: PaperUnits,
  markValue: (paper: PaperUnits) => CreditUnits | undefined,
): { readonly odd: SubLotRemainder } | undefined {
  return paper === 0n ? undefined : { odd: { paper, markCredit: markValue(paper) } };
}
