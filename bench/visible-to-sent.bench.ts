import { createLiveRuntime } from "#core/live-runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { OpportunityStage } from "#liquidator/opportunity.js";
import type { HoldingClock } from "#simulation/waiting-clock.js";
import { BlockBuilder } from "../test/liquidator/simulation/block-builder.js";
import { Desk } from "../test/liquidator/simulation/desk.js";
import {
  COIN,
  Ground,
  MARKETS,
  MOST_VICTIMS,
  type Opening,
  SOURCE,
  USD,
} from "../test/liquidator/simulation/ground.js";
import { Disk, LiquidatorProcess } from "../test/liquidator/simulation/process.js";
import { Sender } from "../test/liquidator/simulation/rivals.js";
import { BLOCK_MS, planOf } from "../test/liquidator/simulation/seed-plan.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { median } from "./rounds.js";

const ROUNDS = effort(6, 1);
const VICTIMS = effort(MOST_VICTIMS, 2);
const ROUND_TRIP_MS = 5;
/**
 * Blocks of a round before the first takeover. A bot has observed the chain's rhythm for longer
 * than that.
 */
const FIRST_BLOCKS = effort(12, 2);
const STEP = 0.004;
const STAGES: readonly OpportunityStage[] = ["seen", "confirmed", "planned", "simulated", "sent"];
/** A transaction that takes longer than this has failed. */
const PATIENCE_MS = 60_000;

const { clock: live } = createLiveRuntime();
const clock: HoldingClock = {
  nowMs: () => live.nowMs(),
  monotonicMs: () => live.monotonicMs(),
  setTimer: (delayMs, fire) => live.setTimer(delayMs, fire),
  hold: (work) => void work,
};
const after = (ms: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimer(ms, resolve));

/**
 * From the block that makes an account unsafe to our transaction at the node, in real time over a
 * network of 5 ms.
 */
export const bench: Bench = {
  about:
    "time from the block that makes an account unsafe to the transaction's arrival at a node, against the block time",
  ceiling: 0.5,
  async run() {
    const ground = await Ground.create(clock.nowMs());
    const totals: number[] = [];
    const stages = new Map<string, number[]>();
    for (let round = 1; round <= ROUNDS; round += 1) await playRound(ground, round, totals, stages);
    await ground.close();
    const details: Record<string, number> = {
      takeovers: totals.length,
      "round trip, ms": ROUND_TRIP_MS,
    };
    let before = "block";
    for (const stage of [...STAGES, "arrived"]) {
      details[`${before} to ${stage}, ms`] = median(stages.get(stage) ?? [0]);
      before = stage;
    }
    const ours = median(totals);
    return {
      ours,
      reference: BLOCK_MS,
      ratio: ours / BLOCK_MS,
      unit: "ms",
      referenceIs: "the time between two blocks",
      details,
    };
  },
};

async function playRound(
  ground: Ground,
  round: number,
  totals: number[],
  stages: Map<string, number[]>,
): Promise<void> {
  const { cast } = ground;
  const { price, threshold } = MARKETS[0] as (typeof MARKETS)[number];
  const openings: Opening[] = [];
  const deposits = cast.victims.slice(0, VICTIMS).map((victim, i) => {
    const paper = 500n * 10n ** 15n;
    openings.push({ victim: i, market: 0, paper, price });
    const value = (paper * price) / COIN;
    const margin =
      (value * threshold) / COIN +
      (value * BigInt(Math.round(STEP * (i + 0.75) * 1e6))) / 1_000_000n;
    const least = (value * threshold * 11n) / COIN / 10n;
    return [victim, (margin > least ? margin : least) / USD + 1n] as const;
  });
  const builder = new BlockBuilder(ground, clock, seededRandom(`builder ${round}`));
  const prices = MARKETS.map((market) => market.price);
  const desk = new Desk(ground, builder, clock, prices, 3_600_000);
  await ground.begin(
    clock,
    [[cast.liquidator, 5_000_000n], [cast.counterparty, 50_000_000n], ...deposits],
    openings,
  );
  // The exchange's list names them all, so that they are watched before they become unsafe.
  await desk.onBlock(0);
  let onBlock: (atMs: number) => void = () => {};
  builder.onBlock = () => {
    onBlock(clock.nowMs());
    void desk.onBlock(0);
  };
  const nextBlock = (): Promise<number> =>
    new Promise((resolve) => {
      onBlock = resolve;
    });
  let isOver = false;
  const makeBlocks = (): void => {
    // One timer per block, started at the one before, like a chain whose producer is sometimes a
    // little late.
    clock.setTimer(BLOCK_MS, () => {
      if (isOver) return;
      makeBlocks();
      void builder.makeBlock();
    });
  };
  makeBlocks();
  let arrived: (atMs: number) => void = () => {};
  const process = new LiquidatorProcess({
    plan: { ...planOf(1), quorum: 1, confirmations: 2, marginBufferBps: 500 },
    ground,
    clock,
    random: seededRandom(`speed ${round}`),
    nodes: [
      {
        name: "node",
        call: async (method, params) => {
          await after(ROUND_TRIP_MS / 2);
          if (method === "eth_sendRawTransaction") arrived(clock.nowMs());
          const reply = await builder.handle(method, params);
          await after(ROUND_TRIP_MS / 2);
          return reply;
        },
      },
    ],
    desk,
    disk: new Disk(),
    onStep: () => {},
    rework: (parts) => parts,
  });
  const setter = new Sender(ground.market(0).setter, ground, builder);
  const source = ground.market(0).source;
  for (let block = 0; block < FIRST_BLOCKS; block += 1) await nextBlock();
  for (let step = 1; step <= VICTIMS; step += 1) {
    const fallen = BigInt(Math.round(Number(price) * (1 - STEP * step)));
    desk.setPrice(0, fallen);
    await setter.send(source, SOURCE.encodeFunctionData("setMarkPrice", [fallen]), 10n ** 12n);
    const opportunity = new Promise<number>((resolve) => {
      arrived = resolve;
    });
    const blockMs = await nextBlock();
    const arrivedMs = await Promise.race([opportunity, after(PATIENCE_MS).then(() => Number.NaN)]);
    if (Number.isNaN(arrivedMs)) throw new Error("nothing was sent");
    await after(20);
    const atMs = process.ledger.open.find(
      ({ atMs: at }) => at.sent !== undefined && at.sent >= blockMs,
    )?.atMs;
    if (atMs === undefined) throw new Error("what was sent is not in the ledger");
    totals.push(arrivedMs - blockMs);
    let beforeMs = blockMs;
    for (const stage of STAGES) {
      const ms = Math.max(beforeMs, atMs[stage] ?? beforeMs);
      stages.set(stage, [...(stages.get(stage) ?? []), ms - beforeMs]);
      beforeMs = ms;
    }
    stages.set("arrived", [...(stages.get("arrived") ?? []), arrivedMs - beforeMs]);
    // It is mined, and final, before the next one.
    for (let block = 0; block < 3; block += 1) await nextBlock();
  }
  isOver = true;
  await process.stop(10_000);
  process.kill();
}
