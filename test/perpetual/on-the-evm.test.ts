import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Hex } from "#core/units.js";
import { ONE } from "#perpetual/fixed-point.js";
import {
  computeTakeoverTerms,
  liquidationPrice,
  liquidationPriceOnChain,
} from "#perpetual/liquidation.js";
import { computeAccountMargin, isSafe, type MarginPosition } from "#perpetual/margin.js";
import { computeHoldingsMargin, type MarginMarket } from "#perpetual/margin-account.js";
import {
  BTC_RATIOS,
  COIN,
  ETH_RATIOS,
  type Market,
  type Ratios,
  signer,
  USD,
  World,
} from "../contracts/world.js";

const [trader, other] = [signer(1), signer(2)];

/**
 * Sizes from a thousandth of a coin to one and a half, long or short, with all digits, so that each
 * division truncates something.
 */
const paper = fc
  .tuple(fc.bigInt(COIN / 1_000n, 1_500_000_000_000_000_007n), fc.boolean())
  .map(([size, isLong]) => (isLong ? size : -size));
const price = (dollars: bigint) =>
  fc.bigInt((dollars * USD * 6n) / 10n, (dollars * USD * 14n) / 10n);

describe("margin, liquidation prices and takeovers of any account", () => {
  let world: World;
  let markets: readonly (readonly [market: Market, ratios: Ratios, dollars: bigint])[];
  beforeAll(async () => {
    world = await World.create();
    markets = [
      [world.btc, BTC_RATIOS, 30_000n],
      [world.eth, ETH_RATIOS, 2_000n],
    ];
  });

  it("equal the contracts' results on an EVM to the unit", async () => {
    let unsafe = 0;
    await fc.assert(
      fc.asyncProperty(
        paper,
        paper,
        price(30_000n),
        price(2_000n),
        fc.bigInt(COIN / 1_000n, 2n * COIN),
        async (btcPaper, ethPaper, btcPrice, ethPrice, request) => {
          await world.evm.restore();
          await world.deposit(trader, 9_000n, 1_000n);
          await world.deposit(other, 1_000_000n);
          const marks = new Map<Hex, MarginMarket>();
          const papers = [btcPaper, ethPaper * 10n];
          const prices = [btcPrice, ethPrice];
          for (const [i, [market, , dollars]] of markets.entries()) {
            const size = papers[i] as bigint;
            await world.trade(
              market,
              { trader, paper: size, price: dollars },
              { trader: other, paper: -size, price: dollars },
            );
          }
          // Set only now: the contracts let no unsafe account trade.
          for (const [i, [market, ratios]] of markets.entries()) {
            await world.setPrice(market, prices[i] as bigint);
            const perp = market.perp.address.toLowerCase() as Hex;
            marks.set(perp, {
              perp,
              markPrice: prices[i] as bigint,
              initialMarginRatio: ratios.initial,
              maintenanceMarginRatio: ratios.maintenance,
              liquidationPriceOff: ratios.discount,
              insuranceFeeRate: ratios.insuranceFee,
            });
          }
          const [primaryCredit, secondaryCredit] = await world.credit(trader);
          const held = await Promise.all(
            markets.map(async ([market]) => {
              const [heldPaper, credit] = await world.balance(market, trader);
              const perp = market.perp.address.toLowerCase() as Hex;
              return { perp, paper: heldPaper, credit };
            }),
          );
          const account = computeHoldingsMargin(
            { primaryCredit, secondaryCredit, positions: held },
            marks,
          );
          if (account === undefined) throw new Error("a market is missing");
          const onChain = (await world.dealer.read("getTraderRisk", trader.address)) as bigint[];
          const { netValueCredit, exposureCredit, maintenanceMarginCredit } = account;
          expect([
            netValueCredit,
            exposureCredit,
            account.initialMarginCredit,
            maintenanceMarginCredit,
          ]).toEqual([...onChain]);
          expect(isSafe(account)).toBe(await world.isSafe(trader));

          // The same account, as the exchange computes it.
          const positions = held.map(({ perp, paper, credit }): MarginPosition => {
            const { markPrice, maintenanceMarginRatio } = marks.get(perp) as MarginMarket;
            return {
              value: (paper * markPrice) / ONE,
              credit,
              openBuyCredit: 0n,
              openSellCredit: 0n,
              maintenanceRatio: maintenanceMarginRatio,
              maxLeverage: 20n,
            };
          });
          const margin = computeAccountMargin(primaryCredit + secondaryCredit, positions);
          expect(margin).toMatchObject({ netValueCredit, exposureCredit, maintenanceMarginCredit });

          for (const [i, [market]] of markets.entries()) {
            const { perp, paper } = held[i] as (typeof held)[number];
            const { value, maintenanceRatio } = positions[i] as MarginPosition;
            const mark = marks.get(perp) as MarginMarket;
            const price = await world.dealer.read("getLiquidationPrice", trader.address, perp);
            expect(liquidationPriceOnChain(account, mark)).toBe(price);
            expect(
              liquidationPrice(margin, { paper, value, maintenanceRatio, paperUnit: ONE }),
            ).toBe(price);
            if (isSafe(account)) continue;
            unsafe += 1;
            const asked = paper > 0n ? request : -request;
            const cost = await world.dealer.read(
              "getLiquidationCost",
              market.perp.address,
              trader.address,
              asked,
            );
            const { paper: taken, credit } = computeTakeoverTerms(mark, paper, asked);
            expect([taken, credit]).toEqual([...(cost as bigint[])]);
          }
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
    expect(unsafe).toBeGreaterThan(4);
  });
});
