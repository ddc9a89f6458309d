import { Interface } from "ethers";
import { ChainRpc } from "#chain/chain-rpc.js";
import { LensReader } from "#chain/lens-reader.js";
import type { RpcReply } from "#chain/rpc-transport.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme, type Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { Confirmer } from "#liquidator/confirmer.js";
import { COIN, signer, USD, World } from "../test/contracts/world.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { interleaved } from "./rounds.js";

const CANDIDATES = effort(1000, 20);
const ROUNDS = effort(5, 1);
const ROUND_TRIP_MS = 5;
const MAKERS = 20;
const UNSAFE_EVERY = effort(50, 10);
const DEALER = new Interface(["function isSafe(address) view returns (bool)"]);

/**
 * The cost of finding an account in danger: margin, positions and costs of all in batches, against
 * `isSafe` for each.
 */
export const bench: Bench = {
  about: `${CANDIDATES} candidates confirmed in batches at one block, against one call each, ${ROUND_TRIP_MS} ms of round trip in both`,
  ceiling: 1 / 20,
  async run() {
    const { world, accounts } = await candidates();
    const { clock } = createLiveRuntime();
    let calls = 0;
    const rpc = new ChainRpc({
      urls: [
        {
          name: "edr",
          call: async (method, params): Promise<RpcReply> => {
            calls += 1;
            await new Promise<void>((resolve) => clock.setTimer(ROUND_TRIP_MS, resolve));
            return (await world.evm.answer(
              JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
            )) as RpcReply;
          },
        },
      ],
      chainId: 31337,
      clock,
      nowMs: () => world.evm.nowSeconds * 1000,
      requestTimeoutMs: 60_000,
    });
    const dealer = world.dealer.address.toLowerCase();
    const lens = new LensReader({ rpc, lens: world.lens.address, dealer });
    const confirmer = new Confirmer({ rpc, lens });
    const own = signer(8).address;

    const inBatches = async (): Promise<Hex[]> => {
      const confirmation = await confirmer.confirm(accounts, own);
      return confirmation.accounts.flatMap((entry) =>
        entry.kind === "read" && !entry.isSafe ? [entry.account] : [],
      );
    };
    const oneByOne = async (): Promise<Hex[]> => {
      const head = await rpc.head();
      const unsafe: Hex[] = [];
      for (const account of accounts) {
        const data = DEALER.encodeFunctionData("isSafe", [account]);
        const decode = (answer: Hex) => DEALER.decodeFunctionResult("isSafe", answer)[0] as boolean;
        if (!(await rpc.read({ to: dealer, data, gas: 1_000_000 }, head.number, decode)))
          unsafe.push(account);
      }
      return unsafe;
    };
    const took = async (work: () => Promise<Hex[]>): Promise<number> => {
      const startMs = clock.monotonicMs();
      await work();
      return clock.monotonicMs() - startMs;
    };

    try {
      const [ours, theirs] = [await inBatches(), await oneByOne()];
      if (ours.length === 0 || ours.join() !== theirs.join())
        throw new Error("the two do not find the same accounts");
      calls = 0;
      await inBatches();
      const details = { "calls of a confirmation": calls, "unsafe accounts": ours.length };
      const measured = await interleaved({
        rounds: ROUNDS,
        ours: () => took(inBatches),
        reference: () => took(oneByOne),
      });
      return {
        ...measured,
        unit: "ms",
        referenceIs: "isSafe of each account, one after the other, over the same connection",
        details,
      };
    } finally {
      await rpc.close();
    }
  },
};

/** Accounts with a position each; some become unsafe when the price moves. */
async function candidates(): Promise<{ readonly world: World; readonly accounts: readonly Hex[] }> {
  const world = await World.create();
  const holders: Signer[] = Array.from({ length: CANDIDATES }, (_, i) =>
    ecdsaScheme.signer(`0x${(i + 1000).toString(16).padStart(64, "0")}`),
  );
  const other = signer(1);
  const total = 10_000_000n * USD;
  await world.usdc.send(world.owner, "mint", world.owner.address, 2n * total);
  await world.usdc.send(world.owner, "approve", world.dealer.address, 2n * total);
  await world.dealer.send(world.owner, "deposit", total, 0, other.address);
  // A tenth of a coin, worth 3,000 dollars. A margin of 100 does not survive a fall of 50, but 400
  // do.
  for (const [i, holder] of holders.entries())
    await world.dealer.send(
      world.owner,
      "deposit",
      (i % UNSAFE_EVERY === 0 ? 100n : 400n) * USD,
      0,
      holder.address,
    );
  const paper = COIN / 10n;
  const free = { price: 30_000n, makerFeeRate: 0n, takerFeeRate: 0n };
  for (let from = 0; from < holders.length; from += MAKERS) {
    const makers = holders.slice(from, from + MAKERS);
    const taker = { trader: other, paper: -paper * BigInt(makers.length), ...free };
    await world.trade(world.btc, taker, ...makers.map((trader) => ({ trader, paper, ...free })));
  }
  await world.setPrice(world.btc, 29_500n * USD);
  return { world, accounts: holders.map(({ address }) => address.toLowerCase()) };
}
