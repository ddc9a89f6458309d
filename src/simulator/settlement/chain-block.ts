import { Interface } from "ethers";
import { dealerAbi } from "../../chain/abi/dealer.generated.js";
import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type {
  ChainEvent,
  ChainEventReader,
  EventLog,
  PendingWithdrawalEvent,
} from "./chain-events.js";
import { insertTradeEvents, type TradeReaderDeps } from "./trade-events.js";

/** A mined transaction with the contracts' events. */
export interface ChainTransaction {
  readonly hash: Hex;
  /** Both in lower case; null for a deployment. */
  readonly from: Hex;
  readonly to: Hex | null;
  readonly input: Hex;
  readonly isReverted: boolean;
  /** The revert reason, if it was wanted and the chain knows it. */
  readonly revertReason: string | null;
  /**
   * In the order in which they were emitted, with each trade's sender before its fills, then the
   * pending withdrawal after each withdrawal; empty for a reverted transaction.
   */
  readonly events: readonly ChainEvent[];
}

/** A block of the chain with its transactions in order. */
export interface ChainBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestampSeconds: number;
  readonly transactions: readonly ChainTransaction[];
}

/** Dependencies to read a block. */
export interface BlockReaderDeps extends TradeReaderDeps {
  readonly events: ChainEventReader;
  /** True if the revert reason of this transaction is wanted. */
  isOwn(transaction: Pick<ChainTransaction, "from" | "to" | "input">): boolean;
  /** The reason why a transaction was reverted; null if the chain does not know. */
  findRevertReason(hash: Hex): Promise<string | null>;
}

interface WireTransaction {
  readonly hash: Hex;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly input: Hex;
}

interface WireBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
  readonly transactions: readonly WireTransaction[];
}

const DEALER = new Interface(dealerAbi);

/**
 * Reads a mined block.
 * @throws ChainRequestError and RunError as the chain does; FormatError when it does not exist
 */
export async function readBlock(number: number, reading: BlockReaderDeps): Promise<ChainBlock> {
  const { chain, events, isOwn, findRevertReason } = reading;
  const block = (await chain.request(
    "eth_getBlockByNumber",
    `0x${number.toString(16)}`,
    true,
  )) as WireBlock | null;
  if (block === null)
    throw new FormatError("the chain does not have this block", { field: "block", value: number });
  const transactions: ChainTransaction[] = [];
  for (const wire of block.transactions) {
    const { status, logs } = (await chain.request("eth_getTransactionReceipt", wire.hash)) as {
      readonly status: Hex;
      readonly logs: readonly EventLog[];
    };
    const isReverted = status !== "0x1";
    const emitted = logs.map((log) => events.read(log)).filter((event) => event !== null);
    const what = {
      from: wire.from.toLowerCase() as Hex,
      to: (wire.to?.toLowerCase() ?? null) as Hex | null,
      input: wire.input,
    };
    transactions.push({
      ...what,
      hash: wire.hash,
      isReverted,
      revertReason: isReverted && isOwn(what) ? await findRevertReason(wire.hash) : null,
      events: [
        ...(await insertTradeEvents(emitted, { ...what, hash: wire.hash }, reading)),
        ...(await waitingAfter(emitted, number, reading)),
      ],
    });
  }
  const { hash, parentHash, timestamp } = block;
  return { number, hash, parentHash, timestampSeconds: Number(timestamp), transactions };
}

/**
 * Returns the pending withdrawals, at the end of the block, of the accounts that withdrew in a
 * transaction. No event tells if it was the pending one that was paid out, and a contract may have
 * requested it.
 */
async function waitingAfter(
  events: readonly ChainEvent[],
  number: number,
  { chain, dealer }: BlockReaderDeps,
): Promise<readonly PendingWithdrawalEvent[]> {
  const accounts = new Set<Hex>();
  for (const event of events)
    if (event.kind === "withdraw" || event.kind === "transfer-out") accounts.add(event.account);
  const waiting: PendingWithdrawalEvent[] = [];
  for (const account of accounts) {
    const call = { to: dealer, data: DEALER.encodeFunctionData("getCreditOf", [account]) };
    const answer = (await chain.request("eth_call", call, `0x${number.toString(16)}`)) as Hex;
    const { pendingPrimaryWithdraw: primary, pendingSecondaryWithdraw: secondary } =
      DEALER.decodeFunctionResult("getCreditOf", answer);
    waiting.push({ kind: "waiting-withdrawal", account, primary, secondary });
  }
  return waiting;
}
