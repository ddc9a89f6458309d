import fc from "fast-check";
import { expect } from "vitest";
import { JobRejectedError } from "#chain/job-rejected-error.js";
import type { JobOutcome } from "#chain/transaction-event.js";
import { LaneLife } from "./lane-life.js";
import { GWEI, type LaneFaults, type LaneWorld } from "./lane-world.js";
import { MemoryLaneStore } from "./memory-lane-store.js";

/** Possible next steps. */
export type LaneStep =
  | {
      readonly kind: "submit";
      readonly lane: number;
      readonly shape: "plain" | "hopeless" | "cheap" | "hurried";
    }
  | { readonly kind: "cancel"; readonly job: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "block" }
  | { readonly kind: "drop" }
  | { readonly kind: "reorg"; readonly depth: number; readonly pool: "kept" | "lost" }
  | { readonly kind: "spike"; readonly gwei: number }
  | { readonly kind: "fault"; readonly fault: keyof typeof FAULTS }
  | { readonly kind: "kill"; readonly nextDiesAfter: number };

const SENDS = (method: string) => method === "eth_sendRawTransaction";
const FAULTS = {
  none: {},
  dead: { isDead: () => true },
  sendingLost: { isDead: SENDS },
  answerLost: { losesAnswer: SENDS },
  noReceipts: { isDead: (method: string) => method === "eth_getTransactionReceipt" },
  forgetful: { isDead: (method: string) => method === "eth_getTransactionByHash" },
  refusing: { refuses: (method: string) => (SENDS(method) ? "txpool is full" : undefined) },
} satisfies Record<string, LaneFaults>;

/** Histories of any kind, of mostly ordinary steps. */
export const laneHistories = (maxLength: number): fc.Arbitrary<LaneStep[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant("submit" as const),
          lane: fc.nat(3),
          shape: fc.constantFrom(
            "plain" as const,
            "plain" as const,
            "hopeless" as const,
            "cheap" as const,
            "hurried" as const,
          ),
        }),
      },
      { weight: 6, arbitrary: fc.constant<LaneStep>({ kind: "block" }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant("wait" as const),
          ms: fc.integer({ min: 50, max: 4000 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("cancel" as const), job: fc.nat(30) }),
      },
      { weight: 2, arbitrary: fc.constant<LaneStep>({ kind: "drop" }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("reorg" as const),
          depth: fc.integer({ min: 1, max: DEEPEST }),
          pool: fc.constantFrom("kept" as const, "lost" as const),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("spike" as const),
          gwei: fc.integer({ min: 1, max: 80 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("fault" as const),
          fault: fc.constantFrom(...(Object.keys(FAULTS) as (keyof typeof FAULTS)[])),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("kill" as const),
          nextDiesAfter: fc.integer({ min: 0, max: 80 }),
        }),
      },
    ),
    { minLength: 1, maxLength },
  );

const GAS = 100_000n;
const LIMITS = { plain: 50n, hopeless: 50n, cheap: 3n, hurried: 50n };
const CONFIRMATIONS = 4;
/** Beyond what is waited for: an end may be none. */
const DEEPEST = 7;

/**
 * Plays a history, then lets everything come to its end, and checks that each job acted at most
 * once and every nonce is accounted for.
 */
export async function playLanes(world: LaneWorld, history: readonly LaneStep[]): Promise<void> {
  await world.reset();
  await world.mine(DEEPEST + 1);
  const store = new MemoryLaneStore();
  const lives: LaneLife[] = [];
  const limits = new Map<string, bigint>();
  const begin = (diesAt = Number.POSITIVE_INFINITY): LaneLife => {
    const life = new LaneLife(world, store, { confirmations: CONFIRMATIONS, diesAt });
    lives.push(life);
    return life;
  };
  let life = begin();
  for (const step of history) {
    if (life.isDead) life = begin();
    if (step.kind === "kill") {
      life.kill();
      life = begin(step.nextDiesAfter + 0.5);
    } else await take(world, life, step, limits);
  }
  // The last life may be one that dies soon.
  life.kill();
  life = begin();
  world.faults = {};
  for (let i = 0; i < 120 && life.lanes.jobs().some(({ state }) => state !== "final"); i += 1)
    await world.block();
  // A stored transaction that fills a gap may still be in flight, and a final one may be
  // reorganised away.
  const isOver = () => life.lanes.nonces().every(({ state }) => state === "final");
  for (let i = 0; i < CONFIRMATIONS + 1 || (i < 120 && !isOver()); i += 1) await world.block();
  await check(world, lives, life, limits);
  const closing = life.lanes.close();
  await world.rest();
  await closing;
}

async function take(
  world: LaneWorld,
  life: LaneLife,
  step: Exclude<LaneStep, { kind: "kill" }>,
  limits: Map<string, bigint>,
): Promise<void> {
  switch (step.kind) {
    case "submit": {
      const { shape } = step;
      const id = `job ${limits.size}`;
      const changes = {
        lane: `lane ${step.lane}`,
        gasLimit: GAS,
        maxCostWei: GAS * LIMITS[shape] * GWEI,
        deadlineMs: world.clock.nowMs() + (shape === "hurried" ? 1500 : 60_000),
      };
      try {
        const base = shape === "hopeless" ? world.hopelessJob(id) : world.job(id);
        life.lanes.submit({ ...base, ...changes });
        limits.set(id, changes.maxCostWei);
      } catch (error) {
        if (!(error instanceof JobRejectedError) || error.reason !== "busy") throw error;
      }
      return world.run(100);
    }
    case "cancel":
      life.lanes.cancel(`job ${step.job}`);
      return;
    case "wait":
      return world.run(step.ms);
    case "block":
      return world.block();
    case "drop":
      await world.drop();
      return;
    case "reorg":
      return world.reorg(step.depth, step.pool);
    case "spike":
      return world.setBaseFee(BigInt(step.gwei) * GWEI);
    case "fault":
      world.faults = FAULTS[step.fault];
  }
}

async function check(
  world: LaneWorld,
  lives: readonly LaneLife[],
  last: LaneLife,
  limits: ReadonlyMap<string, bigint>,
): Promise<void> {
  const reports = new Map(last.lanes.jobs().map((report) => [report.jobId, report]));
  for (const [id, limit] of limits) {
    const ends = lives.flatMap((life) => life.outcome(id) ?? []);
    const outcome: JobOutcome | undefined = reports.get(id)?.outcome ?? ends[0];
    const done = await world.timesDone(id);
    expect(reports.get(id)?.state ?? "final", `${id} has ended`).toBe("final");
    expect(done, `${id} was carried out`).toBe(outcome?.kind === "mined" ? 1 : 0);
    const isUndone = lives.some((life) => life.of("undone").some(({ jobId }) => jobId === id));
    if (!isUndone)
      for (const end of ends) expect(end, `${id} ends as it ended before`).toEqual(outcome);
    expect(["mined", "cancelled", "refused", undefined], id).toContain(outcome?.kind);
    if (outcome !== undefined && "receipt" in outcome)
      expect(outcome.receipt.costWei <= limit, `${id} cost ${outcome.receipt.costWei}`).toBe(true);
    for (const life of lives) {
      for (const event of life.events) {
        if (!("jobId" in event) || event.jobId !== id || !("attempt" in event)) continue;
        expect(
          event.attempt.gasLimit * event.attempt.maxFeeWei <= limit,
          `${id} might cost too much`,
        ).toBe(true);
      }
    }
  }
  const nonces = last.lanes.nonces();
  expect(nonces.map(({ nonce }) => nonce)).toEqual(nonces.map((_, i) => i));
  expect(nonces.length).toBe(await world.count());
  expect(nonces.filter(({ by, state }) => by === "foreign" || state !== "final")).toEqual([]);
  for (const life of lives) expect(life.of("fault")).toEqual([]);
}
