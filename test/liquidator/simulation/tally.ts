import type { TransactionRecord } from "#chain/transaction-store.js";
import type { Hex } from "#core/units.js";
import type { Opportunity } from "#liquidator/opportunity.js";
import { type Ground, SOURCE } from "./ground.js";
import type { RivalPlan } from "./rivals.js";

/** A run's data to count. */
export interface TallyInput {
  readonly ground: Ground;
  readonly fromBlock: number;
  readonly records: readonly TransactionRecord[];
  readonly opportunities: readonly Opportunity[];
  readonly rivals: readonly RivalPlan[];
}

/**
 * Counts the events of a run that only show afterwards: races lost to each kind of rival, and
 * prices that moved under a transaction.
 */
export async function tallyOf({
  ground,
  fromBlock,
  records,
  opportunities,
  rivals,
}: TallyInput): Promise<Map<string, number>> {
  const tally = new Map<string, number>();
  const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1);
  rivals.forEach(({ kind }, i) => {
    const { address } = ground.cast.rivals[i === 0 ? 0 : 1];
    for (const { lostTo } of opportunities)
      if (lostTo?.winner === address.toLowerCase())
        count(`lost to one that ${kind === "faster" ? "is faster" : kind}`);
  });
  const times = await blockTimes(ground, fromBlock);
  for (const record of records) {
    if (record.kind !== "final" || record.outcome === null || !("receipt" in record.outcome))
      continue;
    const first = records.find(
      (one) => one.kind === "attempt" && one.attempt.nonce === record.nonce,
    );
    const { receipt } = record.outcome;
    if (
      first?.kind !== "attempt" ||
      (await blockHashOf(ground, receipt.hash)) !== receipt.blockHash
    )
      continue;
    const decided = Math.max(
      fromBlock,
      ...[...times].flatMap(([block, atMs]) => (atMs <= first.attempt.atMs ? [block] : [])),
    );
    const source = ground.markets.find(({ perp }) => first.job?.lane.endsWith(perp))?.source;
    if (
      source !== undefined &&
      (await priceAt(ground, source, decided)) !==
        (await priceAt(ground, source, receipt.blockNumber))
    )
      count("price moved before inclusion");
  }
  return tally;
}

async function blockTimes({ chain }: Ground, fromBlock: number): Promise<Map<number, number>> {
  const times = new Map<number, number>();
  for (let number = fromBlock; number <= chain.head.number; number += 1) {
    const { timestamp } = (await chain.request(
      "eth_getBlockByNumber",
      `0x${number.toString(16)}`,
      false,
    )) as { readonly timestamp: Hex };
    times.set(number, Number(timestamp) * 1000);
  }
  return times;
}

async function priceAt(ground: Ground, source: Hex, block: number): Promise<bigint> {
  const [price] = (await ground.view(source, SOURCE, "getMarkPrice", [], block)) as unknown as [
    bigint,
  ];
  return price;
}

async function blockHashOf({ chain }: Ground, hash: Hex): Promise<Hex | undefined> {
  const receipt = (await chain.request("eth_getTransactionReceipt", hash)) as {
    readonly blockHash: Hex;
  } | null;
  return receipt?.blockHash;
}
