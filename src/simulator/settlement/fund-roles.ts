import { Interface, zeroPadValue } from "ethers";
import { dealerAbi } from "../../chain/abi/dealer.generated.js";
import { testTokenAbi } from "../../chain/abi/test-token.generated.js";
import type { Signer } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type { CreditUnits, Hex, MarketId } from "../../core/units.js";
import type { OpenChain } from "../chain/open-chain.js";

/** Tokens of the owner, who makes all of the exchange's deposits: more than can ever be used. */
const OWNER_TOKENS = 1n << 120n;
/**
 * A million million dollars, so that a trade never fails for want of credit of a house or the order
 * sender.
 */
const ROLE_CREDIT: CreditUnits = 10n ** 18n;
const GAS = 200_000;

const DEALER = new Interface(dealerAbi);
const TOKEN = new Interface(testTokenAbi);

/**
 * Mints tokens for the owner, allows the dealer to transfer them, and gives credit to each market's
 * house, to the order sender, which pays rebates, and to the insurance account. Steps of an earlier
 * opening are not repeated.
 * @throws RunError when a step reverts
 */
export async function fundRoles(
  { chain, keys, addresses }: OpenChain,
  marketIds: Iterable<MarketId>,
  insuranceCredit: CreditUnits,
): Promise<void> {
  const { dealer, token } = addresses;
  const owner = keys.owner.signer;
  const sent: Hex[] = [];
  const send = async (from: Signer, to: Hex, data: string) => {
    sent.push(await chain.send({ from, to, data, gas: GAS }));
  };
  const allowed = await chain.call(
    token,
    TOKEN.encodeFunctionData("allowance", [owner.address, dealer]),
  );
  if (BigInt(allowed) === 0n) {
    await send(owner, token, TOKEN.encodeFunctionData("mint", [owner.address, OWNER_TOKENS]));
    await send(owner, token, TOKEN.encodeFunctionData("approve", [dealer, (1n << 256n) - 1n]));
  }
  const roles = [keys.orderSender, ...[...marketIds].map((marketId) => keys.house(marketId))];
  const capital = [
    ...roles.map(({ signer }) => [signer, ROLE_CREDIT] as const),
    [keys.insurance.signer, insuranceCredit] as const,
  ];
  for (const [signer, credit] of capital) {
    if (credit === 0n) continue;
    const topics = [DEALER.getEvent("Deposit")?.topicHash, zeroPadValue(signer.address, 32)];
    const made = (await chain.request("eth_getLogs", {
      address: dealer,
      fromBlock: "0x0",
      toBlock: "latest",
      topics,
    })) as unknown[];
    if (made.length === 0)
      await send(owner, dealer, DEALER.encodeFunctionData("deposit", [credit, 0, signer.address]));
  }
  await chain.minePending();
  for (const hash of sent) {
    if ((await chain.receipt(hash))?.isReverted !== false) {
      throw new RunError("the exchange's accounts could not be funded", {
        field: "chain",
        value: hash,
        expected: "a successful transaction",
      });
    }
  }
}
