import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { LmdbRecords } from "#simulator/lmdb-records.js";
import type { OpenChain } from "#simulator/open-chain.js";
import type { RecordChange, RecordStore } from "#simulator/record-store.js";
import { RecordTransactionLog } from "#simulator/record-transaction-log.js";
import { MemoryTransactionLog } from "#simulator/transaction-log.js";
import {
  BTC,
  type ChainCase,
  chainOf,
  DEALER,
  ETH,
  PERPETUAL,
  read,
  SOURCE,
  START_MS,
  sendTo,
  TOKEN,
} from "./chains.js";

const opened: OpenChain[] = [];
afterEach(async () => {
  for (const open of opened.splice(0)) await open.close();
});

async function start(options: ChainCase): Promise<OpenChain> {
  const open = await chainOf(options);
  opened.push(open);
  return open;
}

/** A store with the content that a killed process leaves: everything committed. */
class MemoryRecords implements RecordStore {
  readonly place = "memory";
  readonly texts = new Map<string, string>();
  /** The number of the first commit that fails; all later ones fail too. */
  failsFrom = Number.POSITIVE_INFINITY;
  commits = 0;

  withPrefix(prefix: string): (readonly [string, string])[] {
    return [...this.texts]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  commit({ puts }: RecordChange): void {
    this.commits += 1;
    if (this.commits >= this.failsFrom) throw new RunError("the disk is full");
    for (const [key, text] of puts) this.texts.set(key, text);
  }
}

/** Deposits, a price, funding and a withdrawal, at different times. */
async function live({ chain, keys, addresses }: OpenChain, clock: VirtualClock): Promise<void> {
  const { dealer, token } = addresses;
  const place = addresses.markets.get("btcusdc");
  for (const { signer } of keys.accounts) {
    await sendTo(chain, signer, token, TOKEN, "approve", dealer, 10n ** 12n);
    await sendTo(chain, signer, dealer, DEALER, "deposit", 5_000_000_000n, 0n, signer.address);
    await clock.runFor(1_300);
  }
  await sendTo(
    chain,
    keys.market("btcusdc").signer,
    place?.priceSource ?? "",
    SOURCE,
    "setMarkPrice",
    31_000n * 10n ** 6n,
  );
  await clock.runFor(12_000);
  const [first] = keys.accounts;
  const from = first?.signer ?? keys.owner.signer;
  await sendTo(
    chain,
    from,
    dealer,
    DEALER,
    "fastWithdraw",
    from.address,
    from.address,
    1_000_000_000n,
    0n,
    false,
    "0x",
  );
}

/** Everything that a trader can read from the chain. */
async function picture({ chain, keys, addresses }: OpenChain) {
  const { dealer, token } = addresses;
  const perp = addresses.markets.get("btcusdc")?.perp ?? "";
  const accounts = await Promise.all(
    keys.accounts.map(async ({ signer }) => [
      await read(chain, dealer, DEALER, "getCreditOf", signer.address),
      await read(chain, token, TOKEN, "balanceOf", signer.address),
      await read(chain, perp, PERPETUAL, "balanceOf", signer.address),
      await chain.request("eth_getTransactionCount", signer.address, "pending"),
    ]),
  );
  const { stateRoot } = (await chain.request("eth_getBlockByNumber", "latest", false)) as {
    stateRoot: string;
  };
  return {
    head: chain.head,
    stateRoot,
    price: await read(chain, dealer, DEALER, "getMarkPrice", perp),
    accounts,
  };
}

describe("a chain that is rebuilt", () => {
  it("has the same state root and the same hash of its last block", async () => {
    const records = new MemoryRecords();
    const clock = new VirtualClock(START_MS);
    const first = await start({ clock, log: new RecordTransactionLog(records) });
    await live(first, clock);
    const before = await picture(first);
    const entries = records.texts.size;
    const second = await start({
      clock: new VirtualClock(START_MS + 99_000),
      log: new RecordTransactionLog(records),
    });
    expect(await picture(second)).toEqual(before);
    expect(before.accounts[0]?.slice(0, 2)).toEqual([4_000_000_000n, 996_000_000_000n]);
    // Nothing was deployed or minted again.
    expect(records.texts.size).toBe(entries);
    await live(second, clock);
    expect(second.chain.head.number).toBeGreaterThan(before.head.number);
  });

  it("is restored from the records of an exchange's folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "marketwright-chain-"));
    const clock = new VirtualClock(START_MS);
    let records = await LmdbRecords.open(folder);
    const first = await start({ clock, log: new RecordTransactionLog(records) });
    await live(first, clock);
    const before = await picture(first);
    await records.close();
    records = await LmdbRecords.open(folder);
    expect(await picture(await start({ clock, log: new RecordTransactionLog(records) }))).toEqual(
      before,
    );
    await records.close();
    await rm(folder, { recursive: true });
  });

  it("keeps pending transactions", async () => {
    const log = new MemoryTransactionLog();
    const config = { blocks: { intervalMs: 1000 } };
    const first = await start({ config, log });
    const from = first.keys.accounts[0]?.signer ?? first.keys.owner.signer;
    const hash = await first.chain.send({ from, to: from.address, data: "0x", gas: 21_000 });
    const second = await start({
      config,
      log: new MemoryTransactionLog(log.genesis(), log.entries()),
    });
    expect((await second.chain.receipt(hash))?.isReverted).toBe(false);
  });

  it("continues from any point at which its process was killed, during deployment or trading", async () => {
    const log = new MemoryTransactionLog();
    const clock = new VirtualClock(START_MS);
    const whole = await start({ clock, log });
    const deployed = log.entries().length;
    await live(whole, clock);
    const entries = [...log.entries()];
    for (const cut of [1, 13, deployed, entries.length - 3, entries.length - 2]) {
      const rest = new MemoryTransactionLog(log.genesis(), entries.slice(0, cut));
      const rebuilt = await start({ clock: new VirtualClock(START_MS), log: rest });
      expect(rebuilt.addresses).toEqual(whole.addresses);
      expect(await picture(rebuilt)).toMatchObject({
        accounts: [expect.anything(), expect.anything(), expect.anything()],
      });
      // A transaction without a block gets one. Nothing else happens if the deployment was
      // complete.
      const last = entries[cut - 1];
      if (cut >= deployed)
        expect([...rest.entries()].length).toBe(last?.kind === "block" ? cut : cut + 1);
      if (cut >= deployed && last?.kind === "block")
        expect(rebuilt.chain.head.hash).toBe(last.hash);
      expect([...rest.entries()].slice(0, cut)).toEqual(entries.slice(0, cut));
    }
  });

  it("accepts another market and a changed ratio", async () => {
    const log = new MemoryTransactionLog();
    const first = await start({ log, markets: [BTC] });
    const stricter = {
      ...BTC,
      liquidationThreshold: BTC.liquidationThreshold + 10n ** 15n,
      markPrice: 1n,
    };
    const second = await start({
      log: new MemoryTransactionLog(log.genesis(), log.entries()),
      markets: [ETH, stricter],
    });
    const perp = second.addresses.markets.get("btcusdc")?.perp ?? "";
    expect(perp).toBe(first.addresses.markets.get("btcusdc")?.perp);
    const params = (await read(
      second.chain,
      second.addresses.dealer,
      DEALER,
      "getRiskParams",
      perp,
    )) as { liquidationThreshold: bigint };
    expect(params.liquidationThreshold).toBe(stricter.liquidationThreshold);
    // The existing price stays.
    expect(await read(second.chain, second.addresses.dealer, DEALER, "getMarkPrice", perp)).toBe(
      BTC.markPrice,
    );
    expect(
      await read(second.chain, second.addresses.dealer, DEALER, "getAllRegisteredPerps"),
    ).toHaveLength(2);
  });

  it("refuses another genesis, and a log whose replay gives another state", async () => {
    const log = new MemoryTransactionLog();
    await start({ log });
    const kept = () => new MemoryTransactionLog(log.genesis(), log.entries());
    await expect(
      chainOf({ log: kept(), config: { blocks: { gasLimit: 20_000_000 } } }),
    ).rejects.toThrow("memory: blockGasLimit: the stored chain has another genesis");
    await expect(
      chainOf({ log: kept(), config: { contracts: { fundingSpeedMultiplier: 4 } } }),
    ).rejects.toThrow("cannot be changed");
    const [first, second, ...rest] = log.entries();
    if (first?.kind !== "request" || second?.kind !== "block")
      throw new Error("a new chain begins with a deployment");
    const moved = { ...second, timestampSeconds: second.timestampSeconds + 1 };
    await expect(
      chainOf({ log: new MemoryTransactionLog(log.genesis(), [first, moved, ...rest]) }),
    ).rejects.toThrow("leads to another block hash");
  });

  it("refuses missing records and those of another program", async () => {
    const records = new MemoryRecords();
    await start({ log: new RecordTransactionLog(records) });
    const [key] = [...records.texts.keys()].filter((name) => name.endsWith("3"));
    const text = records.texts.get(key ?? "") ?? "";
    records.texts.set(key ?? "", "{}");
    await expect(chainOf({ log: new RecordTransactionLog(records) })).rejects.toThrow(
      "cannot be read",
    );
    records.texts.delete(key ?? "");
    await expect(chainOf({ log: new RecordTransactionLog(records) })).rejects.toThrow("is missing");
    records.texts.set(key ?? "", text);
    await start({ log: new RecordTransactionLog(records) });
  });
});

describe("a log that cannot be written", () => {
  it("stops the chain before a change that would be lost is reported", async () => {
    const records = new MemoryRecords();
    const faults: unknown[] = [];
    const open = await start({
      log: new RecordTransactionLog(records),
      onFault: (error) => faults.push(error),
    });
    const from = open.keys.accounts[0]?.signer ?? open.keys.owner.signer;
    records.failsFrom = records.commits + 1;
    await expect(
      open.chain.send({ from, to: from.address, data: "0x", gas: 21_000 }),
    ).rejects.toThrow("the disk is full");
    records.failsFrom = Number.POSITIVE_INFINITY;
    await expect(open.chain.request("eth_blockNumber")).rejects.toThrow("the chain has stopped");
    expect(faults).toHaveLength(1);
    const again = await start({ log: new RecordTransactionLog(records) });
    expect(await again.chain.request("eth_getTransactionCount", from.address, "latest")).toBe(
      "0x0",
    );
  });
});
