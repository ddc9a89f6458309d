import { expect } from "vitest";
import type { Hex } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { RecordChange } from "#simulator/record-store.js";
import { KEYS } from "../reference-client.js";
import { MemoryRecords } from "../store/memory-records.js";
import { ChainWorld, DEALER, PERPETUAL } from "./chain-world.js";
import { expectEqualViews } from "./equal-views.js";
import { carriedOut, liquidate, setMark, walletOf } from "./wallet.js";

const FUNDING_MS = 3_600_000;
const CONFIG = {
  creditOnRegistration: "2000",
  markets: {
    btcusdc: { funding: { mode: "fixed" as const, rate: "0.0001", intervalMs: FUNDING_MS } },
  },
};
const QUOTE = 10n ** 6n;

/**
 * Records with a copy after every commit: the content that a process killed right after it leaves.
 */
class KeptRecords extends MemoryRecords {
  readonly copies: MemoryRecords[] = [];
  isKeeping = false;
  #commits = 0;

  /** The number of commits so far. */
  get commits(): number {
    return this.#commits;
  }

  override commit(change: RecordChange): void {
    super.commit(change);
    this.#commits += 1;
    if (this.isKeeping) this.copies[this.#commits] = this.copy();
  }
}

/** A one-time request, and the commit from which it was promised. */
interface Promised {
  readonly name: "deposit" | "withdraw";
  readonly account: Hex;
  readonly units: bigint;
  readonly from: number;
}

/** A morning at the exchange, with its records after every commit. */
export async function playedMorning(): Promise<{
  records: KeptRecords;
  promised: readonly Promised[];
  endMs: number;
  kills: readonly number[];
}> {
  const records = new KeptRecords();
  const world = await ChainWorld.open({ config: CONFIG, records });
  const promised: Promised[] = [];
  const promise = (name: Promised["name"], account: string, quote: number, ask: () => void) => {
    ask();
    promised.push({
      name,
      account: account as Hex,
      units: BigInt(quote) * QUOTE,
      from: records.commits,
    });
  };
  try {
    await world.setMark(30_000);
    records.isKeeping = true;
    const [alice, bob, carol] = await world.clients();
    promise("deposit", carol.address, 50_000, () =>
      carol.call("POST", "/faucet", { amount: "50000" }),
    );
    promise("deposit", carol.address, 50_001, () =>
      carol.call("POST", "/faucet", { amount: "50001" }),
    );
    alice.place("BUY", "30000", "1");
    bob.place("SELL", "30000", "1");
    promise("withdraw", carol.address, 123, () =>
      carol.call("POST", "/withdraw", { amount: "123" }),
    );
    alice.call("POST", "/operator", { operator: bob.address, isValid: "true" });
    await world.open.waitUntilSettled();
    const wallet = walletOf(KEYS[2]);
    await carriedOut(
      world,
      wallet,
      world.chain.addresses.dealer,
      DEALER,
      "fastWithdraw",
      wallet.address,
      alice.address,
      77n * QUOTE,
      0,
      true,
      "0x",
    );
    alice.place("SELL", "30000", "0.25");
    bob.place("BUY", "30000", "0.25");
    await world.open.waitUntilSettled();
    // An hour of samples, each a commit, would leave hardly any kill at the interesting events.
    records.isKeeping = false;
    await world.clock.runFor(FUNDING_MS - 20_000);
    records.isKeeping = true;
    await world.clock.runFor(20_000);
    await world.open.waitUntilSettled();
    await setMark(world, 28_000);
    await liquidate(world, wallet, alice.address, 333_333_333_333_333_333n);
    await liquidate(world, wallet, alice.address, 10n ** 18n);
    const endMs = world.clock.nowMs();
    const kills = Object.keys(records.copies).map(Number);
    return { records, promised, endMs, kills };
  } finally {
    await world.open.close();
  }
}

/** Continues after a kill: promises are kept exactly once, and exchange and chain agree. */
export async function goesOn(
  records: MemoryRecords,
  kill: number,
  promised: readonly Promised[],
  endMs: number,
): Promise<void> {
  const world = await ChainWorld.open({ config: CONFIG, records, clock: new VirtualClock(endMs) });
  try {
    await world.open.waitUntilSettled();
    expect(world.exchange.unsettledTrades).toBe(0);
    const { chain, addresses } = world.chain;
    const logs = (await chain.request("eth_getLogs", {
      address: addresses.dealer,
      fromBlock: "0x0",
      toBlock: "latest",
    })) as {
      readonly topics: string[];
      readonly data: string;
    }[];
    const events = logs.map((log) => DEALER.parseLog(log)).filter((event) => event !== null);
    for (const { name, account, units, from } of promised) {
      const event = name === "deposit" ? "Deposit" : "Withdraw";
      const whose = name === "deposit" ? "to" : "payer";
      const times = events.filter(
        ({ name: found, args }) =>
          found === event &&
          args.getValue(whose) === account &&
          args.getValue("primaryAmount") === units,
      ).length;
      expect({ kill, name, units, times }).toEqual({
        kill,
        name,
        units,
        times: kill >= from ? 1 : 0,
      });
    }
    const registered = KEYS.slice(0, 3)
      .map((key) => walletOf(key).address)
      .filter((address) => world.exchange.account(address) !== undefined);
    await expectEqualViews(world, registered);
    for (const address of registered) {
      const count = events.filter(
        ({ name, args }) => name === "Deposit" && args.getValue("to") === address,
      ).length;
      expect(
        world.exchange
          .account(address)
          ?.incomes.page({ limit: 500 }, ({ type }) => type === "DEPOSIT").length,
      ).toBeGreaterThanOrEqual(count);
      await expect(
        chain.request("eth_sendTransaction", {
          from: address,
          to: addresses.dealer,
          data: PERPETUAL.encodeFunctionData("getFundingRate"),
        }),
      ).rejects.toThrow();
    }
  } finally {
    await world.open.close();
  }
}
