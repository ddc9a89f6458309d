import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { History, seen } from "./history.js";
import { DEPOSITS, MAX_POSITIONS, START_PRICES } from "./opening.js";
import { operation } from "./operations.js";
import { TRADERS } from "./traders.js";
import { BTC_RATIOS, ETH_RATIOS, type Market, type Ratios, World } from "./world.js";

describe("any history of trades, funding, prices, liquidations and withdrawals", () => {
  let world: World;
  let markets: { chain: Market; ratios: Ratios }[];

  beforeAll(async () => {
    world = await World.create();
    const third = await world.addMarket("third");
    await world.setPrice(third, START_PRICES[2]);
    await world.dealer.send(world.owner, "setMaxPositionAmount", MAX_POSITIONS);
    for (const [i, trader] of TRADERS.entries())
      await world.deposit(trader, DEPOSITS[i] ?? 0n, 1_000n);
    await world.deposit(world.owner, 5n);
    await world.evm.save();
    markets = [
      { chain: world.btc, ratios: BTC_RATIOS },
      { chain: world.eth, ratios: ETH_RATIOS },
      { chain: third, ratios: BTC_RATIOS },
    ];
  });

  it("leaves the contracts where an independent model is, with its reason for every refusal, and conserves credit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 200, maxLength: 200 }),
        async (operations) => {
          await world.evm.restore();
          const history = new History(world, markets);
          for (const [i, next] of operations.entries()) {
            await history.step(next, BigInt(i)).catch((cause: unknown) => {
              throw new Error(`operation ${i}, ${fc.stringify(next)}: ${String(cause)}`, { cause });
            });
          }
          await history.compareEnd();
          seen.badDebts += history.model.badDebts;
        },
      ),
      // A shorter history of as many operations is no clearer: the seed and the operation's number
      // are.
      { numRuns: 4, endOnFailure: true },
    );
    expect(seen.trades).toBeGreaterThan(20);
    expect(seen.liquidations).toBeGreaterThan(2);
    expect(seen.withdrawals).toBeGreaterThan(5);
    expect(seen.refusals.size).toBeGreaterThan(5);
  });
});
