import { Interface, ZeroAddress } from "ethers";
import { dealerAbi } from "../../chain/abi/dealer.generated.js";
import type { Hex } from "../../core/units.js";
import { ChainRequestError } from "./chain-request-error.js";
import type { EmbeddedChain } from "./embedded-chain.js";

/**
 * The format of the events of a chain's dealer. A kept chain keeps the contracts that it began
 * with.
 */
export interface DealerEventFormat {
  /**
   * True if OrderFilled reports the credit after the fee. The dealers of earlier versions report it
   * before the fee.
   */
  readonly isFilledCreditNet: boolean;
}

const DEALER = new Interface(dealerAbi);
const REVERTED = 3;

/**
 * Detects the event format of a deployed dealer. The events look alike and the version is the
 * published one, so a function that was added with the change tells the two apart.
 * @throws ChainRequestError and RunError as the chain does
 */
export async function detectDealerEventFormat(
  chain: EmbeddedChain,
  dealer: Hex,
): Promise<DealerEventFormat> {
  try {
    await chain.call(
      dealer,
      DEALER.encodeFunctionData("getSetOperatorCallData", [ZeroAddress, false]) as Hex,
    );
    return { isFilledCreditNet: true };
  } catch (error) {
    if (error instanceof ChainRequestError && error.code === REVERTED)
      return { isFilledCreditNet: false };
    throw error;
  }
}
