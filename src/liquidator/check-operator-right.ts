import type { DealerReader } from "../chain/contracts/dealer-reader.js";
import type { Hex } from "../core/units.js";
import type { LiquidatorLog } from "./takeover-deps.js";

/**
 * Says so when the key that signs may not act for the account: the simulation of each takeover is
 * refused then (`JOJO_INVALID_LIQUIDATION_EXECUTOR`, docs/reference/protocol.md#liquidations), so
 * that nothing is sent and no gas burnt, until the account names it.
 * @returns whether it may.
 * @throws as {@link DealerReader} does.
 */
export async function checkOperatorRight(
  reader: Pick<DealerReader, "isOperatorValid">,
  account: Hex,
  sender: Hex,
  log: LiquidatorLog,
): Promise<boolean> {
  if (
    sender.toLowerCase() === account.toLowerCase() ||
    (await reader.isOperatorValid(account, sender))
  )
    return true;
  log("error", "the key is no operator of the account on the chain: the liquidator only watches", {
    account,
    sender,
    expected: `setOperator(${sender}, true) by ${account}`,
  });
  return false;
}
