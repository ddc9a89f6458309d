import { seededRandom } from "#core/seeded-random.js";
import { KEYS } from "../reference-client.js";
import { ChainWorld } from "./chain-world.js";
import { HISTORY_CONFIG, MARKETS, RandomHistory } from "./random-history.js";
import { walletOf } from "./wallet.js";

/** The number of events of each kind over several histories. */
export interface Happened {
  trades: number;
  failed: number;
  liquidated: number;
  debts: number;
  fundings: number;
  withdrawals: number;
}

/**
 * Plays histories, alternately with a block for each transaction and with a block interval, and
 * compares throughout.
 */
export async function playHistories({
  seeds,
  steps,
  checkEvery,
}: {
  seeds: number;
  steps: number;
  checkEvery: number;
}): Promise<Happened> {
  const happened: Happened = {
    trades: 0,
    failed: 0,
    liquidated: 0,
    debts: 0,
    fundings: 0,
    withdrawals: 0,
  };
  for (let seed = 1; seed <= seeds; seed += 1) {
    const blocks = { intervalMs: seed % 2 === 0 ? 700 : 0, empty: false };
    const world = await ChainWorld.open({
      config: { ...HISTORY_CONFIG, chain: { blocks, oracle: { minIntervalMs: 0 } } },
    });
    try {
      const history = new RandomHistory(world, seededRandom(`history ${seed}`));
      await history.begin();
      for (let step = 1; step <= steps; step += 1) {
        await history.step();
        if (step % checkEvery === 0 || step === steps) await history.check();
      }
      count(world, happened);
    } catch (cause) {
      throw new Error(`history ${seed}`, { cause });
    } finally {
      await world.open.close();
    }
  }
  return happened;
}

const COUNTED: Readonly<Record<string, keyof Happened>> = {
  LIQUIDATED: "liquidated",
  SYSTEM: "debts",
  FUNDING_FEE: "fundings",
  WITHDRAWAL: "withdrawals",
};

function count(world: ChainWorld, happened: Happened): void {
  for (const marketId of MARKETS) happened.trades += world.exchange.market(marketId).trades.length;
  happened.failed += world.reports.filter(({ kind }) => kind === "trade-failed").length;
  for (const { address } of KEYS.slice(0, 3).map(walletOf)) {
    for (const { type } of world.exchange.account(address)?.incomes.page({ limit: 10_000 }) ?? []) {
      const what = COUNTED[type];
      if (what !== undefined) happened[what] += 1;
    }
  }
}
