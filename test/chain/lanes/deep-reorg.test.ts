import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FileTransactionStore } from "#chain/file-transaction-store.js";
import { TransactionLedger } from "#chain/transaction-ledger.js";
import type { TransactionRecord } from "#chain/transaction-store.js";
import { LaneLife } from "./lane-life.js";
import { CHAIN_ID, GWEI, LaneWorld, OWNER, SENDER } from "./lane-world.js";
import { MemoryLaneStore } from "./memory-lane-store.js";

let world: LaneWorld;
const lives: LaneLife[] = [];
beforeAll(async () => {
  world = await LaneWorld.start();
});
beforeEach(() => world.reset());
afterEach(async () => {
  world.faults = {};
  const closing = Promise.all(
    lives.splice(0).map(async (life) => (life.isDead ? undefined : life.lanes.close())),
  );
  await world.run(100);
  await closing;
});

const CONFIRMATIONS = 2;

function live(
  store = new MemoryLaneStore(),
  options: ConstructorParameters<typeof LaneLife>[2] = {},
): LaneLife {
  const life = new LaneLife(world, store, { confirmations: CONFIRMATIONS, ...options });
  lives.push(life);
  return life;
}

/** A job that is final, and then two blocks more. */
async function finalJob(
  life: LaneLife,
  changes: Parameters<LaneWorld["job"]>[1] = {},
): Promise<void> {
  await world.mine(2);
  life.lanes.submit(world.job("a", changes));
  for (let i = 0; i < CONFIRMATIONS; i += 1) await world.block();
  expect(life.outcome("a")?.kind).toBe("mined");
  await world.block();
}

describe("an end that a reorganisation deeper than `confirmations` takes back", () => {
  it("is reported as void, and the same bytes are sent again, so that the job is paid for once", async () => {
    const life = live();
    await finalJob(life);
    await world.reorg(4, "lost");
    await world.run(3000);
    expect(await world.timesDone("a")).toBe(0);
    expect(life.told("a")).toEqual(["simulated", "sent", "mined", "final", "undone", "resent"]);
    expect(life.of("undone")[0]?.outcome).toMatchObject({ kind: "mined", nonce: 0 });
    for (let i = 0; i < 3; i += 1) await world.block();
    expect(life.told("a").slice(-2)).toEqual(["mined", "final"]);
    expect(life.outcome("a")?.kind).toBe("mined");
    expect([await world.timesDone("a"), await world.count()]).toEqual([1, 1]);
  });

  it("is replaced by an outcome in another block if the other branch has the transaction too", async () => {
    const life = live();
    await finalJob(life);
    await world.reorg(3);
    for (let i = 0; i < 3; i += 1) await world.block();
    const [first, second] = life.of("mined");
    expect(first?.receipt.blockHash).not.toBe(second?.receipt.blockHash);
    expect(life.told("a")).toEqual([
      "simulated",
      "sent",
      "mined",
      "final",
      "undone",
      "mined",
      "final",
    ]);
    expect([await world.timesDone("a"), await world.count()]).toEqual([1, 1]);
  });

  it("is followed by a cancel once the deadline is over, so that it is not mined later", async () => {
    const life = live();
    await finalJob(life, { deadlineMs: world.clock.nowMs() + 5000 });
    await world.reorg(4, "lost");
    for (let i = 0; i < 5; i += 1) await world.block();
    expect(life.outcome("a")?.kind).toBe("cancelled");
    expect([await world.timesDone("a"), await world.count()]).toEqual([0, 1]);
  });

  it("keeps its lane until the next outcome, so that no other job acts on the same position", async () => {
    const life = live();
    await finalJob(life);
    await world.reorg(4, "lost");
    await world.run(1000);
    expect(life.lanes.isBusy("a")).toBe(true);
    expect(() => life.lanes.submit(world.job("b", { lane: "a" }))).toThrow("in flight");
  });

  it("may have been a revert, and be a success on the other branch", async () => {
    await world.allowOwner();
    const life = live();
    await world.mine(2);
    life.lanes.submit(world.job("late", { tipWei: GWEI }));
    await world.run(500);
    await world.takeAll(5n * GWEI);
    for (let i = 0; i < CONFIRMATIONS + 1; i += 1) await world.block();
    expect(life.outcome("late")?.kind).toBe("reverted");
    await world.reorg(4, "lost");
    for (const pending of (await world.chain.request("eth_pendingTransactions")) as {
      readonly hash: string;
    }[])
      await world.chain.request("hardhat_dropTransaction", pending.hash);
    for (let i = 0; i < 4; i += 1) await world.block();
    expect(life.outcome("late")?.kind).toBe("mined");
    expect(await world.timesDone("late")).toBe(1);
  });

  it("may have been another process's transaction, whose nonce is then ours again", async () => {
    const life = live();
    world.faults = { isDead: (method) => method === "eth_sendRawTransaction" };
    await world.mine(2);
    life.lanes.submit(world.job("a"));
    await world.run(500);
    await world.chain.send({
      from: SENDER,
      to: OWNER.address,
      data: "0x",
      gas: 21_000,
      tipWei: 20n * GWEI,
    });
    for (let i = 0; i < 4; i += 1) await world.block();
    expect(life.outcome("a")?.kind).toBe("foreign");
    world.faults = {};
    await world.reorg(5, "lost");
    for (let i = 0; i < 4; i += 1) await world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
    expect([await world.timesDone("a"), await world.count()]).toEqual([1, 1]);
  });

  it.each(["while it was down", "and it died right after it had noticed"])(
    "is found by the next process, %s",
    async (when) => {
      const store = new MemoryLaneStore();
      const before = live(store);
      await finalJob(before);
      if (when === "while it was down") before.kill();
      await world.reorg(4, "lost");
      if (!before.isDead) await world.run(1000);
      before.kill();
      await world.drop();
      const after = live(store);
      await world.run(3000);
      expect(after.told("a")).toContain("resent");
      for (let i = 0; i < 3; i += 1) await world.block();
      expect(after.outcome("a")?.kind).toBe("mined");
      expect([await world.timesDone("a"), await world.count()]).toEqual([1, 1]);
    },
  );

  it("is watched for a number of blocks, and then without any request", async () => {
    const life = live(undefined, { followBlocks: 3 });
    await finalJob(life);
    for (let i = 0; i < 3; i += 1) await world.block();
    const { steps } = life;
    await world.run(10_000);
    expect(life.steps).toBe(steps);
  });
});

describe("a store's file that is written anew", () => {
  it("keeps the transactions of the newest outcomes, and those that were reopened", () => {
    const folder = mkdtempSync(join(tmpdir(), "lanes-"));
    const options = { chainId: CHAIN_ID, account: SENDER.address, compactAfter: 20, wholeEnds: 10 };
    const path = join(folder, "lanes.jsonl");
    const attempt = (nonce: number, purpose: "act" | "cancel"): TransactionRecord => ({
      kind: "attempt",
      job: purpose === "act" ? world.job(`job ${nonce}`) : null,
      attempt: {
        nonce,
        hash: `0x${"1".repeat(64)}`,
        purpose,
        gasLimit: 1n,
        maxFeeWei: 1n,
        tipWei: 1n,
        raw: "0x02",
        atMs: 1,
      },
    });
    const final = (nonce: number): TransactionRecord => ({
      kind: "final",
      nonce,
      jobId: `job ${nonce}`,
      outcome: { kind: "foreign", nonce },
      atBlock: nonce,
    });
    const store = new FileTransactionStore(path, options);
    for (let nonce = 0; nonce < 40; nonce += 1)
      for (const record of [attempt(nonce, "act"), attempt(nonce, "cancel"), final(nonce)])
        store.append(record);
    for (const record of [{ kind: "reopened", nonce: 39 } as const, attempt(39, "cancel")])
      store.append(record);
    store.close();
    const again = new FileTransactionStore(path, options);
    expect(again.load().length).toBeLessThan(90);
    const ledger = new TransactionLedger(again);
    expect(ledger.slots.map(({ nonce, attempts }) => [nonce, attempts.length])).toEqual([[39, 3]]);
    expect(ledger.ended.map(({ slot }) => slot.nonce).slice(-9)).toEqual([
      30, 31, 32, 33, 34, 35, 36, 37, 38,
    ]);
    expect(ledger.ended.length).toBeLessThan(30);
    expect(ledger.ended.every(({ slot }) => slot.attempts.length === 2)).toBe(true);
    ledger.close();
    rmSync(folder, { recursive: true });
  });
});
