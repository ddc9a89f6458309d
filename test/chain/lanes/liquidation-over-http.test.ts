import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balanceChange } from "#chain/account-events.js";
import type { ChainLog } from "#chain/chain-log.js";
import { ChainRpc } from "#chain/chain-rpc.js";
import type { EventDecoder } from "#chain/event-decoder.js";
import { liquidateCall } from "#chain/liquidate.js";
import { handleBadDebt, joinLiquidation } from "#chain/liquidation-events.js";
import type { JobOutcome } from "#chain/transaction-event.js";
import { liquidationLane } from "#chain/transaction-job.js";
import { TransactionManager } from "#chain/transaction-manager.js";
import { checkShape } from "#core/config-shape.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { chainConfigShape } from "#simulator/chain-config.js";
import { openChain } from "#simulator/open-chain.js";
import { COIN, KEYS, USD } from "../../contracts/world.js";
import { MemoryLaneStore } from "./memory-lane-store.js";
import { addressOf, RpcSite } from "./rpc-site.js";

const { clock } = createLiveRuntime();
/** From `foundryup`, or the npm package @foundry-rs/anvil: its path in ANVIL, or on the PATH. */
const ANVIL = process.env.ANVIL ?? "anvil";

interface Chain {
  readonly url: string;
  stop(): Promise<void>;
}

async function embedded(): Promise<Chain> {
  const rpc = { port: 0, deployments: true, foreignGas: 10_000_000 };
  const config = checkShape(chainConfigShape, { accounts: { count: 2 }, rpc });
  const open = await openChain(config, { chainId: 31337, markets: [], clock });
  return { url: open.server?.url ?? "", stop: () => open.close() };
}

async function anvil(): Promise<Chain> {
  const process: ChildProcess = spawn(ANVIL, ["--port", "0", "--chain-id", "31337"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    void ended.then(() => reject(new Error("anvil ended before it listened")));
    // Read to the end, or it would stand still once the pipe is full.
    createInterface({ input: process.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const address = /Listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
  });
  return {
    url,
    stop: () => {
      process.kill();
      return ended;
    },
  };
}

const isAnvilThere = (() => {
  try {
    execFileSync(ANVIL, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const suites = [
  { name: "the embedded chain's port", start: embedded, isThere: true },
  { name: "anvil", start: anvil, isThere: isAnvilThere },
];

describe.each(suites)("a liquidation over $name", ({ name, start, isThere }) => {
  if (!isThere) {
    it.skip(`skipped: there is no ${name} here`, () => {});
    return;
  }
  let chain: Chain;
  let site: RpcSite;
  let rpc: ChainRpc;
  let lanes: TransactionManager;
  const ends = new Map<string, (outcome: JobOutcome) => void>();
  beforeAll(async () => {
    chain = await start();
    site = await RpcSite.deploy(chain.url);
    await site.openVictim();
    const { url, chainId } = site;
    rpc = new ChainRpc({
      urls: [url],
      chainId,
      clock,
      maxHeadAgeMs: 10 ** 9,
      requestTimeoutMs: 60_000,
      headRefreshMs: 0,
    });
    lanes = TransactionManager.open({
      rpc,
      signer: ecdsaScheme.signer(site.liquidator),
      chainId,
      clock,
      store: new MemoryLaneStore(),
      pollMs: 20,
      confirmations: 1,
      tipWei: 10n ** 9n,
    });
    lanes.listen((event) => {
      if (event.kind === "final") ends.get(event.jobId)?.(event.outcome);
    });
  });
  afterAll(async () => {
    await lanes?.close();
    await rpc?.close();
    await chain?.stop();
  });

  const liquidate = (
    id: string,
    requestPaper: bigint,
    expectCredit: bigint,
  ): Promise<JobOutcome> => {
    const [liquidator, victim] = [addressOf(site.liquidator), addressOf(site.victim)];
    const ended = new Promise<JobOutcome>((resolve) => ends.set(id, resolve));
    lanes.submit({
      id,
      lane: liquidationLane(victim, site.perp),
      ...liquidateCall({ perp: site.perp, liquidator, victim, requestPaper, expectCredit }),
      gasLimit: 600_000n,
      maxCostWei: 600_000n * 100n * 10n ** 9n,
      deadlineMs: clock.nowMs() + 600_000,
    });
    return ended;
  };
  const told = <Event>(kind: EventDecoder<Event>, logs: readonly ChainLog[]): Event[] =>
    logs.flatMap((log) => kind.decode(log) ?? []);

  it("of an account that is safe is a lost race before anything is sent", async () => {
    expect(await liquidate("early", COIN, -30_000n * USD)).toEqual({
      kind: "refused",
      reason: { kind: "revert", revert: { kind: "lost-race", text: "JOJO_ACCOUNT_IS_SAFE" } },
    });
    expect(lanes.nonces()).toEqual([]);
  });

  // Reference case of the published contracts: long 1 at 30,000 with 5,000, mark price 20,600, a
  // hundredth of the coin.
  it("takes part of the position at the price that the contract says, and its events say the same", async () => {
    await site.setPrice(20_600n);
    const outcome = await liquidate("part", COIN / 100n, -250n * USD);
    expect(outcome).toMatchObject({ kind: "mined", receipt: { isReverted: false } });
    expect(await site.balance(site.liquidator)).toEqual([COIN / 100n, -203_940_000n]);
    if (outcome.kind !== "mined") throw new Error("not mined");
    const { gasUsed, effectiveGasPriceWei, costWei, logs } = outcome.receipt;
    expect(costWei).toBe(gasUsed * effectiveGasPriceWei);
    const [perp, victim, liquidator] = [
      site.perp,
      addressOf(site.victim),
      addressOf(site.liquidator),
    ].map((address) => address.toLowerCase());
    const paper = COIN / 100n;
    expect(told(joinLiquidation, logs)).toEqual([
      {
        name: "JoinLiquidation",
        perp,
        victim,
        liquidator,
        paper,
        credit: -203_940_000n,
        positionSerial: 0n,
      },
    ]);
    expect(told(balanceChange, logs)).toEqual([
      {
        name: "BalanceChange",
        perp,
        trader: victim,
        paper: -paper,
        credit: 203_940_000n - 2_039_400n,
      },
      { name: "BalanceChange", perp, trader: liquidator, paper, credit: -203_940_000n },
    ]);
  });

  it("at a worse price than is accepted is refused by the simulation", async () => {
    expect(await liquidate("dear", COIN, -100n * USD)).toMatchObject({
      kind: "refused",
      reason: { kind: "revert", revert: { kind: "price-protection" } },
    });
  });

  it("of the whole rest, for less than the debt, ends in bad debt", async () => {
    await site.setPrice(19_000n);
    const outcome = await liquidate("rest", COIN, -50_000n * USD);
    if (outcome.kind !== "mined") throw new Error(outcome.kind);
    const [debt] = told(handleBadDebt, outcome.receipt.logs);
    expect(debt).toMatchObject({
      victim: addressOf(site.victim).toLowerCase(),
      secondaryCredit: 0n,
    });
    expect(debt?.primaryCredit).toBeLessThan(0n);
    expect(await site.balance(site.victim)).toEqual([0n, 0n]);
    expect((await site.balance(site.liquidator))[0]).toBe(COIN);
    expect(lanes.nonces().map(({ by, jobId }) => [by, jobId])).toEqual([
      ["job", "part"],
      ["job", "rest"],
    ]);
  });

  it("never shows its key", () => {
    expect(
      JSON.stringify(lanes.jobs(), (_, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      ),
    ).not.toContain((KEYS[1] as Hex).slice(2));
  });
});
