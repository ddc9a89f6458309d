import { Interface, ZeroAddress } from "ethers";
import { dealerAbi } from "../../chain/abi/dealer.generated.js";
import type { Hex } from "../../core/units.js";
import { ChainRequestError } from "./chain-request-error.js";
import type { EmbeddedChain } from "./embedded-chain.js";

/** How the dealer of a chain tells what it does. A chain that is kept keeps the contracts that it began with. */
export interface DealerEventFormat {
  /** Whether OrderFilled tells the credit after the fee; the dealers of earlier versions told it before the fee. */
  readonly isFilledCreditNet: boolean;
}

const DEALER = new Interface(dealerAbi);
const REVERTED = 3;

/**
 * Asks a deployed dealer which form it has: its events look alike and its version is the published one's, so what tells the two
 * apart is a function that came with the change.
 * @throws ChainRefusal and RunError as the chain does
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
