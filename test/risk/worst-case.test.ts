import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import type { Side } from "#core/units.js";
import { checkPlace, isOnlyReducing, type PlaceProposal } from "#risk/check-place.js";
import {
  type AccountExposure,
  type ExposureOrder,
  type MarketExposure,
  toMarginRatePpm,
  worstFeePpm,
} from "#risk/exposure.js";
import type { AccountLimits, MarketLimits } from "#risk/limits.js";
import { account, market, resting } from "./fixtures.js";

const buy = (lots: number, ticks = 100): PlaceProposal => ({
  marketId: "plain",
  side: "BUY",
  ticks,
  lots,
});
const sell = (lots: number, ticks = 100): PlaceProposal => ({
  marketId: "plain",
  side: "SELL",
  ticks,
  lots,
});
const limitOf = (place: PlaceProposal, exposure: AccountExposure, limits: AccountLimits = {}) =>
  checkPlace(place, exposure, limits)?.limit ?? null;

describe("the text of a breach", () => {
  const btc = new Instrument({
    marketId: "plain",
    tickSize: "0.1",
    stepSize: "0.001",
    creditDecimals: 6,
    paperDecimals: 18,
  });
  const whyOf = (
    limits: MarketLimits,
    over: Partial<MarketExposure> = {},
    account_: AccountLimits = {},
  ) =>
    checkPlace(buy(30), account(1_000_000, market({ instrument: btc, limits, ...over })), account_)
      ?.why;

  it("is in base and quote for display, never in lots or units of credit", () => {
    expect(whyOf({ maxPositionLots: 20 })).toBe(
      "0.03 base of position if every open order fills, allowed 0.02 base",
    );
    expect(whyOf({ maxOrderLots: 25 })).toBe("0.03 base in one order, allowed 0.025 base");
    expect(whyOf({ maxNotional: 200_000n })).toBe(
      "0.3 quote of position if every open order fills, allowed 0.2 quote",
    );
    expect(whyOf({}, {}, { maxNotional: 250_000n })).toBe(
      "0.3 quote of position, all markets, allowed 0.25 quote",
    );
    expect(whyOf({}, { availableCredit: { buy: 150_000n, sell: 0n } })).toBe(
      "0.3 quote of the exchange's available BUY credit would be used, allowed 0.15 quote",
    );
  });
});

describe("a breach without a number", () => {
  // A message once read "no-mark: no-mark: none nothing to value it by".
  it("is a sentence without the limit's name, which the caller puts before it", () => {
    const why = (place: PlaceProposal, over: Partial<MarketExposure>, limits: AccountLimits = {}) =>
      checkPlace(place, account(1_000, market(over)), limits)?.why;
    expect(why(buy(3), { markTicks: Number.NaN })).toBe(
      "there is no mark price to value the position at",
    );
    expect(why(buy(3), { markTicks: Number.NaN, limits: { maxDistanceFromMarkBps: 10 } })).toBe(
      "there is no mark price to measure the order's distance from",
    );
    expect(why({ ...buy(3), marketId: "other" }, {})).toBe("other is not a market of the account");
    expect(why(buy(0), {})).toBe(
      "0 lots at 100 ticks is not an order: expected whole lots and ticks above 0",
    );
    expect(checkPlace(buy(3), account(0, market()), { maxLeverage: 2 })?.why).toBe(
      "the net value is not above 0 in the worst case, allowed 2 times the net value as position",
    );
    expect(why(buy(30), {}, { maxLeverage: 2 })).toMatch(
      /^3\.\d+ times the net value as position in the worst case, allowed 2$/,
    );
    expect(why(buy(30), {}, { minLiquidationDistanceBps: 9_000 })).toBe(
      "less than 9000 basis points from the mark to liquidation in the worst case, expected at least 9000",
    );
  });
});

describe("the worst case of a place", () => {
  it.each(["intended", "sent", "unknown", "open", "partly-filled", "cancelling"])(
    "counts an order that is %s at full size",
    (phase) => {
      const held = market({
        positionLots: 3,
        orders: [resting("BUY", 99, 4, { phase })],
        limits: { maxPositionLots: 10 },
      });
      expect(limitOf(buy(3), account(1_000, held))).toBe(null);
      expect(checkPlace(buy(4), account(1_000, held), {})).toMatchObject({
        limit: "position",
        scope: "market",
        value: "11",
        allowed: "10",
      });
    },
  );

  it("counts possible unreported fills and manual orders, and the order itself only once", () => {
    const limits = { maxPositionLots: 10 };
    const taken = resting("BUY", 99, 0, { phase: "cancelling", unreportedLots: 8 });
    expect(limitOf(buy(3), account(1_000, market({ orders: [taken], limits })))).toBe("position");
    expect(
      limitOf(buy(3), account(1_000, market({ foreignOrders: [resting("BUY", 90, 8)], limits }))),
    ).toBe("position");
    const itself = resting("BUY", 100, 8, { phase: "intended" });
    expect(
      limitOf(
        { ...buy(8), hash: itself.hash },
        account(1_000, market({ orders: [itself], limits })),
      ),
    ).toBe(null);
  });

  it("counts a pending takeover at full size on its side, and ignores it on the other", () => {
    const limits = { maxPositionLots: 10 };
    const takeover = resting("BUY", 100, 0, {
      hash: "takeover 1",
      phase: "matched",
      unreportedLots: 8,
    });
    const beside = (over: Partial<MarketExposure> = {}) =>
      account(1_000, market({ pendingTakeovers: [takeover], limits, ...over }));
    expect(limitOf(buy(2), beside())).toBe(null);
    expect(limitOf(buy(3), beside())).toBe("position");
    expect(limitOf(sell(10), beside())).toBe(null);
    expect(limitOf(sell(11), beside())).toBe("position");
    expect(limitOf(buy(1), beside({ limits: { maxNotional: 850n } }))).toBe("notional");
    expect(limitOf(buy(1), beside({ limits: {} }), { maxLeverage: 0.8 })).toBe("leverage");
    expect(
      limitOf(buy(1), beside({ limits: { maxOpenOrders: 1, maxOpenNotional: 100n } })),
      "it is no order",
    ).toBe(null);
  });

  it("gives no capacity for a trade that may fail: an unsettled sale may come back", () => {
    const limits = { maxPositionLots: 10 };
    const held = (over: Partial<MarketExposure>) => account(1_000, market({ limits, ...over }));
    // Held 8, bought 3, sold 4: 11 remain if the sale fails.
    expect(limitOf(buy(1), held({ positionLots: 7, unsettledLots: { buy: 3, sell: 4 } }))).toBe(
      "position",
    );
    expect(limitOf(buy(3), held({ positionLots: 7, unsettledLots: { buy: 3, sell: 0 } }))).toBe(
      null,
    );
    expect(limitOf(sell(4), held({ positionLots: -7, unsettledLots: { buy: 4, sell: 3 } }))).toBe(
      "position",
    );
    expect(
      limitOf(
        buy(1),
        held({
          positionLots: 0,
          unsettledLots: { buy: 0, sell: 9 },
          limits: { maxNotional: 900n },
        }),
      ),
    ).toBe("notional");
    expect(
      limitOf(buy(1), held({ positionLots: 0, unsettledLots: { buy: 0, sell: 8 }, limits: {} }), {
        maxLeverage: 0.8,
      }),
    ).toBe("leverage");
  });

  it("checks a reducing order against the limit of the other side, as far as the reduced position may fail", () => {
    const limits = { maxPositionLots: 10 };
    const held = (over: Partial<MarketExposure>) => account(1_000, market({ limits, ...over }));
    // Held 0, bought 18, sold 6. None of the remaining 12 is certain, and 6 are sold in any case.
    const unsettledLots = { buy: 18, sell: 6 };
    expect(limitOf(sell(4), held({ positionLots: 12, unsettledLots }))).toBe(null);
    expect(limitOf(sell(5), held({ positionLots: 12, unsettledLots }))).toBe("position");
    expect(
      limitOf(sell(5), held({ positionLots: 12, unsettledLots, limits: { maxNotional: 1_000n } })),
    ).toBe("notional");
    // The account's limits apply if the worst of both sides grows: here from 12 to 13 and more.
    const free = held({ positionLots: 12, unsettledLots: { buy: 18, sell: 0 }, limits: {} });
    expect([
      limitOf(sell(6), free, { maxNotional: 1_000n }),
      limitOf(sell(7), free, { maxNotional: 1_000n }),
    ]).toEqual([null, "account-notional"]);
    // Lots that are certainly over the limit may be sold.
    expect(limitOf(sell(20), held({ positionLots: 30, unsettledLots: { buy: 0, sell: 6 } }))).toBe(
      null,
    );
    expect(limitOf(sell(20), held({ positionLots: 30, unsettledLots: { buy: 10, sell: 6 } }))).toBe(
      null,
    );
  });

  it("keeps the position limit of an order's side in every outcome of fills, takeovers and settlements", () => {
    const signed = fc.integer({ min: -12, max: 12 }).filter((lots) => lots !== 0);
    const fate = fc.record({ lots: signed, comes: fc.boolean() });
    const world = fc.record({
      settled: fc.integer({ min: -15, max: 15 }),
      trades: fc.array(fate, { maxLength: 4 }),
      orders: fc.array(fate, { maxLength: 3 }),
      takeovers: fc.array(fate, { maxLength: 2 }),
      place: signed,
    });
    fc.assert(
      fc.property(world, ({ settled, trades, orders, takeovers, place }) => {
        const sum = (list: readonly number[]) => list.reduce((total, lots) => total + lots, 0);
        const ofSide = (sign: number) =>
          Math.abs(sum(trades.map(({ lots }) => (lots * sign > 0 ? lots : 0))));
        const asExposed = ({ lots }: { lots: number }, i: number) =>
          resting(lots > 0 ? "BUY" : "SELL", 100, Math.abs(lots), { hash: `${i} ${lots}` });
        const held = market({
          positionLots: settled + sum(trades.map(({ lots }) => lots)),
          unsettledLots: { buy: ofSide(1), sell: ofSide(-1) },
          orders: orders.map(asExposed),
          pendingTakeovers: takeovers.map(asExposed),
          limits: { maxPositionLots: 10 },
        });
        const proposal = place > 0 ? buy(place) : sell(-place);
        if (checkPlace(proposal, account(1_000, held), {}) !== null) return;
        const came = [...trades, ...orders, ...takeovers]
          .filter(({ comes }) => comes)
          .map(({ lots }) => lots);
        expect(Math.sign(place) * (settled + sum(came) + place)).toBeLessThanOrEqual(10);
      }),
      { numRuns: 2_000 },
    );
  });

  it("passes an order as reducing only if no pending takeover could reverse the position", () => {
    const takeover = resting("SELL", 100, 0, {
      hash: "takeover 1",
      phase: "matched",
      unreportedLots: 8,
    });
    const held = market({ positionLots: 10, pendingTakeovers: [takeover] });
    expect([isOnlyReducing(sell(2), held), isOnlyReducing(sell(3), held)]).toEqual([true, false]);
  });

  it("works beside a manual order of any size: an internal error on a refused place once ended the run", () => {
    const huge = resting("BUY", 2 ** 40, 2 ** 40);
    const limits = { maxNotional: 1_000n };
    expect(limitOf(buy(1), account(1_000, market({ foreignOrders: [huge], limits })))).toBe(
      "notional",
    );
    const many = resting("BUY", 1, Number.MAX_SAFE_INTEGER);
    expect(
      limitOf(
        buy(2),
        account(1_000, market({ foreignOrders: [many], limits: { maxPositionLots: 10 } })),
      ),
    ).toBe("position");
  });

  it("ignores orders of the other side: they may not fill", () => {
    const held = market({ orders: [resting("SELL", 101, 50)], limits: { maxPositionLots: 10 } });
    expect(limitOf(buy(11), account(1_000, held))).toBe("position");
  });

  it("limits a single order, the orders of a market and of the account; manual orders do not count as the bot's", () => {
    expect(limitOf(buy(6), account(1_000, market({ limits: { maxOrderLots: 5 } })))).toBe(
      "order-size",
    );
    const two = [resting("BUY", 99, 1), resting("SELL", 101, 1, { phase: "cancelling" })];
    const gone = resting("BUY", 98, 0, { phase: "cancelling", unreportedLots: 1 });
    const crowded = (maxOpenOrders: number) =>
      account(
        1_000,
        market({ orders: [...two, gone], foreignOrders: two, limits: { maxOpenOrders } }),
      );
    expect([limitOf(buy(1), crowded(2)), limitOf(buy(1), crowded(3))]).toEqual([
      "open-orders",
      null,
    ]);
    const both = account(
      1_000,
      market({ orders: two }),
      market({ marketId: "other", orders: two }),
    );
    expect([
      limitOf(buy(1), both, { maxOpenOrders: 4 }),
      limitOf(buy(1), both, { maxOpenOrders: 5 }),
    ]).toEqual(["account-open-orders", null]);
  });

  it("refuses a price too far from the mark, in either direction", () => {
    const held = account(1_000, market({ limits: { maxDistanceFromMarkBps: 500 } }));
    expect(
      [buy(1, 95), buy(1, 105), buy(1, 94), sell(1, 106)].map((place) => limitOf(place, held)),
    ).toEqual([null, null, "distance-from-mark", "distance-from-mark"]);
  });

  it("values a position at the worse of the mark and the price", () => {
    const held = account(10_000, market({ limits: { maxNotional: 1_000n } }));
    expect([
      limitOf(buy(10, 90), held),
      limitOf(buy(11, 90), held),
      limitOf(buy(10, 101), held),
    ]).toEqual([null, "notional", "notional"]);
  });

  it("limits the bot's open orders by their own value", () => {
    const held = account(
      10_000,
      market({ orders: [resting("SELL", 110, 5)], limits: { maxOpenNotional: 1_000n } }),
    );
    expect([limitOf(buy(5, 90), held), limitOf(buy(5, 91), held)]).toEqual([null, "open-notional"]);
  });

  it("adds up all markets of the account", () => {
    const other = market({
      marketId: "other",
      positionLots: -5,
      orders: [resting("SELL", 100, 2)],
    });
    const held = account(10_000, market(), other);
    expect([
      limitOf(buy(3), held, { maxNotional: 1_000n }),
      limitOf(buy(4), held, { maxNotional: 1_000n }),
    ]).toEqual([null, "account-notional"]);
  });

  it("limits leverage by the net value after the fills: unfavourable prices and fees are subtracted first", () => {
    const held = account(100, market());
    expect([
      limitOf(buy(5), held, { maxLeverage: 5 }),
      limitOf(buy(6), held, { maxLeverage: 5 }),
    ]).toEqual([null, "leverage"]);
    expect(limitOf(buy(5, 101), held, { maxLeverage: 5 })).toBe("leverage");
    expect(limitOf(buy(5), account(100, market({ feePpm: 500 })), { maxLeverage: 5 })).toBe(
      "leverage",
    );
    expect(limitOf(buy(1), account(-1, market()), { maxLeverage: 5 })).toBe("leverage");
  });

  it("limits the share of the net value that initial margin uses", () => {
    const held = account(100, market());
    const limits = { maxMarginUseFraction: 0.5 };
    expect([limitOf(buy(10), held, limits), limitOf(buy(11), held, limits)]).toEqual([
      null,
      "margin-use",
    ]);
  });

  it("limits an order by the exchange's available credit, less the orders not yet included in it", () => {
    const orders = [
      resting("BUY", 100, 2, { phase: "unknown" }),
      resting("BUY", 100, 50),
      resting("SELL", 100, 9, { phase: "sent" }),
    ];
    const held = account(100_000, market({ orders, availableCredit: { buy: 1_000n, sell: 900n } }));
    expect([limitOf(buy(8), held), limitOf(buy(9), held), limitOf(sell(1), held)]).toEqual([
      null,
      "available-credit",
      "available-credit",
    ]);
    expect(limitOf(buy(3), held, { maxCreditUseFraction: 0.5 })).toBe(null);
    expect(limitOf(buy(4), held, { maxCreditUseFraction: 0.5 })).toBe("available-credit");
  });

  it("refuses an order that it cannot check: no mark, an unknown market, a size of zero", () => {
    const unmarked = account(1_000, market({ markTicks: Number.NaN, positionLots: 3 }));
    expect(limitOf(buy(1), unmarked)).toBe("no-mark");
    expect(limitOf(sell(1), unmarked)).toBe(null);
    expect(limitOf({ ...buy(1), marketId: "nowhere" }, unmarked)).toBe("unknown-market");
    for (const wrong of [buy(0), buy(1.5), buy(Number.NaN), buy(1, 0), buy(1, 99.5)])
      expect(limitOf(wrong, account(1_000, market()))).toBe("order-size");
  });
});

describe("distance to liquidation", () => {
  // The contract's reference case: 1 BTC at 30000 with 10000 of credit, mmr 3 %. The buyer pays
  // 0.05 % and the seller 0.01 %.
  const btc = new Instrument({
    marketId: "plain",
    tickSize: "0.1",
    stepSize: "0.001",
    creditDecimals: 6,
    paperDecimals: 18,
  });

  it.each([
    ["BUY", 500, 20_634.020618],
    ["SELL", 100, 38_832.038834],
  ] as const)(
    "of a %s agrees with the liquidation price of the contract",
    (side, feePpm, liquidationPrice) => {
      const held = market({ instrument: btc, markTicks: 300_000, feePpm });
      const exposure: AccountExposure = {
        netValue: 10_000_000_000n,
        markets: new Map([["plain", held]]),
      };
      const distanceBps = (Math.abs(30_000 - liquidationPrice) / 30_000) * 10_000;
      const place: PlaceProposal = { marketId: "plain", side, ticks: 300_000, lots: 1_000 };
      expect(limitOf(place, exposure, { minLiquidationDistanceBps: distanceBps - 0.02 })).toBe(
        null,
      );
      expect(limitOf(place, exposure, { minLiquidationDistanceBps: distanceBps + 0.02 })).toBe(
        "liquidation-distance",
      );
    },
  );

  it("counts the maintenance margin of the other markets", () => {
    const other = market({ marketId: "other", positionLots: 4, maintenancePpm: 500_000 });
    const limits = { minLiquidationDistanceBps: 500 };
    expect(limitOf(buy(30), account(400, market()), limits)).toBe(null);
    expect(checkPlace(buy(30), account(400, market(), other), limits)).toMatchObject({
      limit: "liquidation-distance",
      marketId: "plain",
    });
    expect(limitOf(buy(1), account(400, market(), other), limits)).toBe(null);
  });
});

describe("an account over a limit for another cause", () => {
  const over = market({
    positionLots: 20,
    orders: [resting("SELL", 101, 5)],
    limits: { maxPositionLots: 10, maxNotional: 1_000n, maxOrderLots: 15 },
  });
  const limits: AccountLimits = {
    maxLeverage: 1,
    maxMarginUseFraction: 0.1,
    minLiquidationDistanceBps: 5_000,
    maxNotional: 1n,
  };

  it("may reduce its position, in the worst case and without reversing it", () => {
    expect(limitOf(sell(15), account(100, over), limits)).toBe(null);
    expect(
      limitOf(sell(15), account(100, { ...over, orders: [resting("SELL", 101, 6)] }), limits),
    ).not.toBe(null);
    expect(limitOf(buy(1), account(100, over), limits)).not.toBe(null);
  });

  it("still obeys the order size limit", () => {
    expect(limitOf(sell(16), account(100, over), limits)).toBe("order-size");
  });

  it("may only trade against its position", () => {
    expect(isOnlyReducing(sell(1), market())).toBe(false);
    expect(isOnlyReducing(buy(5), market({ positionLots: -5 }))).toBe(true);
    expect(
      isOnlyReducing(buy(5), market({ positionLots: -5, foreignOrders: [resting("BUY", 1, 1)] })),
    ).toBe(false);
  });
});

describe("rates", () => {
  it("come from leverages and fee rates, rounded against the account", () => {
    expect([
      toMarginRatePpm(20),
      toMarginRatePpm("33.333333"),
      toMarginRatePpm(3),
      toMarginRatePpm("0"),
      toMarginRatePpm("nonsense"),
    ]).toEqual([50_000, 30_001, 333_334, 1_000_000, 1_000_000]);
    expect([
      worstFeePpm(-100_000_000_000_000n, 300_000_000_000_001n),
      worstFeePpm(-1n, -2n),
    ]).toEqual([301, 0]);
  });
});

describe("any fills of accepted orders", () => {
  const limits: MarketLimits = {
    maxPositionLots: 30,
    maxOrderLots: 9,
    maxNotional: 2_900n,
    maxOpenOrders: 6,
    maxDistanceFromMarkBps: 1_000,
    maxOpenNotional: 5_000n,
  };
  const accountLimits: AccountLimits = {
    maxNotional: 4_000n,
    maxOpenOrders: 9,
    maxLeverage: 3,
    maxMarginUseFraction: 0.4,
    minLiquidationDistanceBps: 2_000,
  };
  const NET_VALUE = 1_500;

  interface Held {
    positionLots: number;
    readonly orders: ExposureOrder[];
  }

  function exposureOf(held: Map<string, Held>, netValue: number, mark: number): AccountExposure {
    const markets = new Map<string, MarketExposure>();
    for (const [marketId, { positionLots, orders }] of held) {
      markets.set(
        marketId,
        market({
          marketId,
          positionLots,
          orders: [...orders],
          markTicks: mark,
          limits,
          feePpm: 500,
        }),
      );
    }
    return { netValue: BigInt(Math.floor(netValue)), markets };
  }

  it("breach no limit at the mark at which the orders were accepted", () => {
    const step = fc.record({
      marketId: fc.constantFrom("a", "b"),
      side: fc.constantFrom<Side>("BUY", "SELL"),
      ticks: fc.integer({ min: 88, max: 112 }),
      lots: fc.integer({ min: 1, max: 10 }),
      event: fc.constantFrom("place", "place", "place", "fill", "cancel"),
      pick: fc.nat(99),
    });
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        (steps, subset) => {
          const mark = 100;
          const held = new Map<string, Held>([
            ["a", { positionLots: 0, orders: [] }],
            ["b", { positionLots: 0, orders: [] }],
          ]);
          let netValue = NET_VALUE;
          const fill = (
            into: Map<string, Held>,
            marketId: string,
            order: ExposureOrder,
            lots: number,
          ): number => {
            const sign = order.side === "BUY" ? 1 : -1;
            (into.get(marketId) as Held).positionLots += sign * lots;
            return sign * (mark - order.ticks) * lots - order.ticks * lots * 0.0005;
          };
          for (const [i, { marketId, side, ticks, lots, event, pick }] of steps.entries()) {
            const here = held.get(marketId) as Held;
            if (event === "place") {
              const place = { marketId, side, ticks, lots };
              if (checkPlace(place, exposureOf(held, netValue, mark), accountLimits) !== null)
                continue;
              accepted++;
              here.orders.push({ hash: `0x${i}`, side, ticks, mayFillLots: lots, phase: "open" });
            } else if (here.orders.length > 0) {
              const [order] = here.orders.splice(pick % here.orders.length, 1) as [ExposureOrder];
              if (event === "fill") netValue += fill(held, marketId, order, order.mayFillLots);
            }
          }
          // Any subset of the open orders fills now.
          const after = new Map(
            [...held].map(([id, { positionLots }]) => [id, { positionLots, orders: [] } as Held]),
          );
          let index = 0;
          let count = 0;
          for (const [marketId, { orders }] of held) {
            expect(orders.length).toBeLessThanOrEqual(6);
            count += orders.length;
            for (const order of orders)
              if (subset[index++ % subset.length])
                netValue += fill(after, marketId, order, order.mayFillLots);
          }
          expect(count).toBeLessThanOrEqual(9);
          let notional = 0;
          let maintenance = 0;
          for (const { positionLots } of after.values()) {
            expect(Math.abs(positionLots)).toBeLessThanOrEqual(30);
            expect(Math.abs(positionLots) * mark).toBeLessThanOrEqual(2_900);
            notional += Math.abs(positionLots) * mark;
            maintenance += Math.abs(positionLots) * mark * 0.03;
          }
          expect(notional).toBeLessThanOrEqual(4_000);
          if (notional === 0) return;
          expect(notional).toBeLessThanOrEqual(3 * netValue + 3);
          expect(notional * 0.05).toBeLessThanOrEqual(0.4 * netValue + 1);
          for (const { positionLots } of after.values()) {
            const own = Math.abs(positionLots) * mark * 0.03;
            const moved = Math.abs(positionLots) * mark * (positionLots > 0 ? 0.8 : 1.2) * 0.03;
            if (positionLots !== 0)
              expect(netValue - Math.abs(positionLots) * mark * 0.2).toBeGreaterThanOrEqual(
                maintenance - own + moved - 1,
              );
          }
        },
      ),
      { numRuns: 600 },
    );
    expect(accepted).toBeGreaterThan(1_000);
  });
});
