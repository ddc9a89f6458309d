import { Transaction } from "ethers";
import { hexToBytes } from "../../core/crypto/hex.js";
import type { Signer } from "../../core/crypto/signing.js";
import type { Hex } from "../../core/units.js";
import { unwrapResult } from "./chain-request-error.js";
import type { ChainGenesis } from "./genesis.js";
import type { LoggedEvm } from "./logged-evm.js";
import type { SenderNonces } from "./sender-nonces.js";

/** A transaction to send. Amounts in wei, `gas` in units; without `gas`, the limit of a call. */
export interface OutgoingTransaction {
  readonly from: Signer;
  /** Null deploys. */
  readonly to: Hex | null;
  readonly data: Hex;
  readonly valueWei?: bigint;
  readonly gas?: number;
  readonly tipWei?: bigint;
}

/** A transaction that is sent for an account without its key. */
export type ImpersonatedTransaction = Omit<OutgoingTransaction, "from" | "to"> & {
  readonly to: Hex;
};

/**
 * Signs and sends, in a turn of the chain.
 * @returns the hash
 * @throws ChainRequestError when it is refused
 */
export async function sendSigned(
  evm: LoggedEvm,
  { chainId, callGasLimit }: ChainGenesis,
  nonces: SenderNonces,
  {
    from,
    to,
    data,
    valueWei = 0n,
    gas = callGasLimit,
    tipWei = DEFAULT_TIP_WEI,
  }: OutgoingTransaction,
  nowSeconds: number,
): Promise<Hex> {
  const method = "eth_sendRawTransaction";
  const maxFeePerGas = await maxFeeWei(evm, tipWei);
  for (;;) {
    const nonce = await nonces.next(evm, from.address);
    const fees = { maxFeePerGas, maxPriorityFeePerGas: tipWei };
    const transaction = Transaction.from({
      type: 2,
      chainId,
      nonce,
      gasLimit: gas,
      ...fees,
      to,
      value: valueWei,
      data,
    });
    transaction.signature = from.sign(hexToBytes(transaction.unsignedHash));
    const outcome = await evm.carryOut(method, [transaction.serialized], nowSeconds);
    // Another sender may have used the nonce. If not, the transaction is refused again.
    if ("error" in outcome && nonces.forget(from.address)) continue;
    const hash = unwrapResult(method, outcome) as Hex;
    nonces.taken(from.address, nonce, hash);
    return hash;
  }
}

/**
 * Sends for an account without its key and funds the gas, in a turn of the chain.
 * @returns the hash
 * @throws ChainRequestError when it is refused
 */
export async function sendAs(
  evm: LoggedEvm,
  { callGasLimit }: ChainGenesis,
  from: Hex,
  {
    to,
    data,
    valueWei = 0n,
    gas = callGasLimit,
    tipWei = DEFAULT_TIP_WEI,
  }: ImpersonatedTransaction,
  nowSeconds: number,
): Promise<Hex> {
  const maxFeePerGas = await maxFeeWei(evm, tipWei);
  const balanceAt = async (block: string) =>
    BigInt((await evm.requestOrThrow("eth_getBalance", from, block)) as Hex);
  const missing = valueWei + BigInt(gas) * maxFeePerGas - (await balanceAt("pending"));
  const carryOut = (method: string, ...params: readonly unknown[]) =>
    evm.carryOut(method, params, nowSeconds);
  if (missing > 0n) {
    // Added to its balance: its own pending transactions still have to be paid from that.
    unwrapResult(
      "hardhat_setBalance",
      await carryOut("hardhat_setBalance", from, hexOf((await balanceAt("latest")) + missing)),
    );
  }
  unwrapResult("hardhat_impersonateAccount", await carryOut("hardhat_impersonateAccount", from));
  const method = "eth_sendTransaction";
  const sent = await carryOut(method, {
    from,
    to,
    data,
    gas: hexOf(gas),
    value: hexOf(valueWei),
    maxFeePerGas: hexOf(maxFeePerGas),
    maxPriorityFeePerGas: hexOf(tipWei),
  });
  unwrapResult(
    "hardhat_stopImpersonatingAccount",
    await carryOut("hardhat_stopImpersonatingAccount", from),
  );
  return unwrapResult(method, sent) as Hex;
}

/** Returns the highest fee: the base fee grows by at most an eighth a block. */
async function maxFeeWei(evm: LoggedEvm, tipWei: bigint): Promise<bigint> {
  const { baseFeePerGas } = (await evm.requestOrThrow("eth_getBlockByNumber", "latest", false)) as {
    baseFeePerGas: Hex;
  };
  return 4n * BigInt(baseFeePerGas) + tipWei;
}

/** The same tip for everything that the exchange sends, so that blocks keep its order. */
const DEFAULT_TIP_WEI = 1_000_000_000n;

function hexOf(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}
