import type { TransactionReceipt } from "../chain/blocks/transaction-receipt.js";
import { liquidateArguments } from "../chain/calls/liquidate.js";
import type { ContractCall } from "../chain/contracts/contract-call.js";
import { type JoinLiquidation, joinLiquidation } from "../chain/events/liquidation-events.js";
import { FormatError } from "../core/errors.js";
import type { CreditUnits, Hex, PaperUnits } from "../core/units.js";
import type { SubLotRemainder } from "./ledger/opportunity.js";

/**
 * Reads the position that an account acquired from a receipt's dealer event; undefined if there is
 * none. Addresses in lower case.
 */
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
 * Checks that the receipt of a successful takeover contains its event. The contract always emits
 * it, so the node's response is incomplete without it. Accepting the receipt would leave the
 * acquired position unsold.
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
    throw new FormatError("does not show the takeover", {
      field: "receipt.logs",
      value:
        joined === undefined
          ? `${receipt.logs.length} logs`
          : `${joined.paper} paper of ${joined.victim} in ${joined.perp}`,
      expected: `at most ${requestPaper} paper of ${victim} in ${perp}`,
    });
}

/** The contract caps a request to the position and keeps its sign. */
function isPartOf(paper: PaperUnits, request: PaperUnits): boolean {
  return request > 0n ? paper > 0n && paper <= request : paper < 0n && paper >= request;
}

/** Identifies a takeover. The same transaction in another block is another takeover. */
export function takeoverIdFor({ hash, blockHash }: TransactionReceipt): string {
  return `${hash}@${blockHash}`;
}

/** The fraction of a lot in a takeover, if there is one. */
export function computeSubLotRemainder(
  paper: PaperUnits,
  markValue: (paper: PaperUnits) => CreditUnits | undefined,
): { readonly odd: SubLotRemainder } | undefined {
  return paper === 0n ? undefined : { odd: { paper, markCredit: markValue(paper) } };
}
