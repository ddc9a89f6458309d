import type { DealerReader } from "../chain/contracts/dealer-reader.js";
import type { Hex } from "../core/units.js";
import type { LiquidatorLog } from "./takeover-deps.js";

/**
 * Warns when the signing key may not act for the account. Until the account names it as operator,
 * the simulation of each takeover reverts (`JOJO_INVALID_LIQUIDATION_EXECUTOR`,
 * docs/reference/protocol.md#liquidations), so the bot sends nothing and burns no gas.
 * @returns true if the key may act.
 * @throws the errors of {@link DealerReader}.
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
  log("error", "the key may not act for the account on the chain: the liquidator only watches", {
    account,
    sender,
    expected: `setOperator(${sender}, true) by ${account}`,
  });
  return false;
}
