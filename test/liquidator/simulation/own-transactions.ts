import type { Hex, Ms } from "#core/units.js";
import { DEALER, type Ground, PERPETUAL } from "./ground.js";

/** One transaction of the liquidator, as the chain has it. */
export interface OwnTransaction {
  readonly hash: Hex;
  readonly nonce: number;
  readonly block: number;
  readonly blockHash: Hex;
  readonly blockTimeMs: Ms;
  readonly isReverted: boolean;
  readonly gasWei: bigint;
  readonly call:
    | {
        readonly perp: Hex;
        readonly victim: Hex;
        readonly paper: bigint;
        readonly expectCredit: bigint;
      }
    | undefined;
  /** Signed changes of the liquidator's paper and credit. */
  readonly taken: { readonly paper: bigint; readonly credit: bigint } | undefined;
}

interface RpcTransaction {
  readonly hash: Hex;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly nonce: Hex;
  readonly input: Hex;
}

/**
 * All that the liquidator has sent which is in a block from `fromBlock` on, in the order of the
 * chain; read and decoded anew.
 */
export async function ownTransactions(
  ground: Ground,
  fromBlock: number,
): Promise<OwnTransaction[]> {
  const { chain, cast } = ground;
  const own = cast.liquidator.address.toLowerCase();
  const found: OwnTransaction[] = [];
  for (let number = fromBlock; number <= chain.head.number; number += 1) {
    const block = (await chain.request(
      "eth_getBlockByNumber",
      `0x${number.toString(16)}`,
      true,
    )) as {
      readonly hash: Hex;
      readonly timestamp: Hex;
      readonly transactions: readonly RpcTransaction[];
    };
    for (const transaction of block.transactions) {
      if (transaction.from.toLowerCase() !== own) continue;
      const receipt = (await chain.request("eth_getTransactionReceipt", transaction.hash)) as {
        readonly status: Hex;
        readonly gasUsed: Hex;
        readonly effectiveGasPrice: Hex;
        readonly logs: readonly { readonly topics: string[]; readonly data: string }[];
      };
      const joined = receipt.logs.flatMap((log) => {
        const event = DEALER.parseLog(log);
        return event?.name === "JoinLiquidation" && String(event.args[1]).toLowerCase() === own
          ? [event.args]
          : [];
      });
      const [first] = joined;
      found.push({
        hash: transaction.hash,
        nonce: Number(transaction.nonce),
        block: number,
        blockHash: block.hash,
        blockTimeMs: Number(block.timestamp) * 1000,
        isReverted: receipt.status !== "0x1",
        gasWei: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice),
        call: callOf(transaction),
        taken:
          first === undefined
            ? undefined
            : { paper: first[3] as bigint, credit: first[4] as bigint },
      });
    }
  }
  return found;
}

function callOf({ to, input }: RpcTransaction): OwnTransaction["call"] {
  const parsed = input.length < 10 ? null : PERPETUAL.parseTransaction({ data: input });
  if (parsed?.name !== "liquidate" || to === null) return undefined;
  const [, victim, paper, expectCredit] = parsed.args as unknown as [
    string,
    string,
    bigint,
    bigint,
  ];
  return {
    perp: to.toLowerCase() as Hex,
    victim: victim.toLowerCase() as Hex,
    paper,
    expectCredit,
  };
}
