import { seededRandom } from "#core/seeded-random.js";
import type { Hex } from "#core/units.js";
import { WaitingClock } from "#simulation/waiting-clock.js";
import { BlockBuilder } from "../test/liquidator/simulation/block-builder.js";
import { Desk } from "../test/liquidator/simulation/desk.js";
import { FAIR, faultyNode } from "../test/liquidator/simulation/faulty-node.js";
import {
  COIN,
  DEALER,
  Ground,
  MARKETS,
  MOST_VICTIMS,
  type Opening,
  SOURCE,
  USD,
} from "../test/liquidator/simulation/ground.js";
import { Disk, LiquidatorProcess } from "../test/liquidator/simulation/process.js";
import { Sender } from "../test/liquidator/simulation/rivals.js";
import { BLOCK_MS, planOf, START_MS } from "../test/liquidator/simulation/seed-plan.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { NaiveLiquidator } from "./naive-liquidator.js";

const OPPORTUNITIES = effort(1_000, 6);
/** The initial tip of both. */
const TIP_WEI = 10n ** 9n;
const ROUND_TRIP = { ...FAIR, leastMs: 5, mostMs: 5 };
/** One account becomes unsafe per step; a step is two blocks. */
const STEP = 0.004;
const ROUND_BLOCKS = 2 * MOST_VICTIMS + 6;

interface Score {
  ours: number;
  naive: number;
}

/**
 * The race for accounts that become unsafe: blocks are ordered by tip, then by arrival, and both
 * begin with the same tip.
 */
export const bench: Bench = {
  about:
    "share of 1,000 liquidations won against one that polls every second, one call an account, at one fee",
  floor: 0.95,
  async run() {
    const ground = await Ground.create(START_MS);
    const disk = new Disk();
    const score: Score = { ours: 0, naive: 0 };
    let rounds = 0;
    // Losses raise the next round's tip: the ledger continues, the chain begins anew.
    while (score.ours + score.naive < OPPORTUNITIES) {
      rounds += 1;
      await playRound(ground, disk, rounds, score);
      if (score.ours + score.naive === 0) throw new Error("nobody took anything over");
    }
    await ground.close();
    const taken = score.ours + score.naive;
    return {
      ours: score.ours,
      reference: taken,
      ratio: score.ours / taken,
      unit: "liquidations",
      referenceIs:
        "all positions that were taken over, by us or by the naive one, in the same blocks",
      details: {
        "won by the naive one": score.naive,
        rounds,
        "block time, ms": BLOCK_MS,
        "round trip, ms": ROUND_TRIP.mostMs,
      },
    };
  },
};

async function playRound(ground: Ground, disk: Disk, round: number, score: Score): Promise<void> {
  const random = seededRandom(`race ${round}`);
  const clock = new WaitingClock(START_MS);
  const { cast, chain, open } = ground;
  const falls = random.uniform() < 0.5;
  const openings: Opening[] = [];
  const deposits = cast.victims.map((victim, i) => {
    const market = random.uniform() < 0.5 ? 0 : 1;
    const { price, threshold } = MARKETS[market] as (typeof MARKETS)[number];
    const lots = BigInt(Math.floor((market === 0 ? 300 : 6_000) * (1 + 2 * random.uniform())));
    const paper = lots * 10n ** 15n;
    openings.push({ victim: i, market, paper: falls ? paper : -paper, price });
    const value = (paper * price) / COIN;
    // Unsafe once the price has moved by a little less than its step.
    const margin =
      (value * threshold) / COIN +
      (value * BigInt(Math.round(STEP * (i + 0.75) * 1e6))) / 1_000_000n;
    const least = (value * threshold * 11n) / COIN / 10n;
    return [victim, (margin > least ? margin : least) / USD + 1n] as const;
  });
  const builder = new BlockBuilder(ground, clock, random);
  const desk = new Desk(
    ground,
    builder,
    clock,
    MARKETS.map(({ price }) => price),
    4_000,
  );
  await ground.begin(
    clock,
    [
      [cast.liquidator, 5_000_000n],
      [cast.rivals[0], 5_000_000n],
      [cast.counterparty, 50_000_000n],
      ...deposits,
    ],
    openings,
  );
  const firstBlock = chain.head.number;
  const node = (of: string) =>
    faultyNode(of, builder, clock, seededRandom(`${of} ${round}`), () => ROUND_TRIP);
  const setters = ground.markets.map(({ setter }) => new Sender(setter, ground, builder));
  builder.onBlock = (number) => {
    clock.hold(desk.onBlock(0));
    const block = number - firstBlock;
    if (block % 2 !== 0 || block > 2 * MOST_VICTIMS) return;
    MARKETS.forEach(({ price }, market) => {
      const moved = BigInt(Math.round(Number(price) * (1 + ((falls ? -1 : 1) * STEP * block) / 2)));
      clock.setTimer(10 + random.uniform() * (BLOCK_MS - 100), () => {
        desk.setPrice(market, moved);
        const data = SOURCE.encodeFunctionData("setMarkPrice", [moved]);
        clock.hold(
          (setters[market] as Sender).send(ground.market(market).source, data, 10_000n * TIP_WEI),
        );
      });
    });
  };
  builder.start(BLOCK_MS);
  disk.records.length = 0;
  disk.ledger = `${disk.ledger.split("\n").slice(-400).join("\n")}`;
  const ours = new LiquidatorProcess({
    plan: { ...planOf(1), quorum: 1, confirmations: 2, marginBufferBps: 500 },
    ground,
    clock,
    random: seededRandom(`ours ${round}`),
    nodes: [node("ours")],
    desk,
    disk,
    onStep: () => {},
    rework: (parts) => ({ ...parts, settings: { ...parts.settings, tipWei: TIP_WEI } }),
  });
  const naive = new NaiveLiquidator(
    {
      node: node("naive"),
      clock,
      signer: cast.rivals[0],
      dealer: open.addresses.dealer,
      perps: ground.markets.map(({ perp }) => perp),
      accounts: cast.victims.map(({ address }) => address),
      everyMs: 1_000,
      tipWei: TIP_WEI,
    },
    random.uniform() * 1_000,
  );
  await clock.runUntil(START_MS + ROUND_BLOCKS * BLOCK_MS);
  naive.stop();
  await clock.runThrough(ours.stop(20_000), 60_000);
  ours.kill();
  const topics = [DEALER.getEvent("JoinLiquidation")?.topicHash];
  const logs = (await chain.request("eth_getLogs", {
    address: open.addresses.dealer,
    fromBlock: `0x${firstBlock.toString(16)}`,
    toBlock: "latest",
    topics,
  })) as { readonly topics: readonly Hex[] }[];
  // A position counts once, for the first to take it.
  const first = new Map<string, string>();
  for (const log of logs) {
    const key = `${log.topics[1]}/${log.topics[3]}`;
    if (!first.has(key)) first.set(key, `0x${log.topics[2]?.slice(-40)}`);
  }
  for (const winner of first.values()) {
    if (winner === cast.liquidator.address.toLowerCase()) score.ours += 1;
    else score.naive += 1;
  }
}
