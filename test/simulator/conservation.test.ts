import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { traders } from "./reference-client.js";

type World = ReturnType<typeof traders>;

const trader = fc.integer({ min: 0, max: 2 });
const place = fc.record({
  kind: fc.constant("place" as const),
  trader,
  side: fc.constantFrom("BUY" as const, "SELL" as const),
  ticks: fc.integer({ min: 299_950, max: 300_050 }),
  lots: fc.integer({ min: 1, max: 900 }),
  timeInForce: fc.constantFrom("GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"),
  type: fc.constantFrom("LIMIT", "LIMIT", "LIMIT", "MARKET"),
});
const cancel = fc.record({ kind: fc.constant("cancel" as const), trader, which: fc.nat(20) });
const cancelAll = fc.record({ kind: fc.constant("cancel-all" as const), trader });
const pass = fc.record({
  kind: fc.constant("pass" as const),
  ms: fc.integer({ min: 1, max: 4000 }),
});
const fund = fc.record({ kind: fc.constant("fund" as const) });
const move = fc.record({
  kind: fc.constantFrom("withdraw" as const, "deposit" as const),
  trader,
  amount: fc.constantFrom("0.001", "1", "17.003", "90000"),
});
const step = fc.oneof(
  { weight: 8, arbitrary: place },
  { weight: 3, arbitrary: cancel },
  cancelAll,
  { weight: 3, arbitrary: pass },
  fund,
  {
    weight: 2,
    arbitrary: move,
  },
);

async function take(
  world: World,
  action: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
): Promise<void> {
  const clients = [world.alice, world.bob, world.carol];
  switch (action.kind) {
    case "place": {
      const price = `${Math.floor(action.ticks / 10)}.${action.ticks % 10}`;
      const amount = (action.lots / 1000).toFixed(3);
      const timeInForce =
        action.type === "MARKET" && action.timeInForce === "POST_ONLY" ? "GTC" : action.timeInForce;
      clients[action.trader]?.place(action.side, price, amount, { timeInForce, type: action.type });
      return;
    }
    case "cancel": {
      const open = world.exchange.openOrders(clients[action.trader]?.address ?? "");
      const order = open[action.which % Math.max(1, open.length)];
      if (order !== undefined) {
        clients[action.trader]?.cancel(order.terms.id);
      }
      return;
    }
    case "withdraw":
      clients[action.trader]?.call("POST", "/withdraw", { amount: action.amount });
      return;
    case "deposit":
      clients[action.trader]?.raw("POST", "/faucet", {
        account: clients[action.trader]?.address ?? "",
        amount: action.amount,
      });
      return;
    case "cancel-all":
      clients[action.trader]?.call("DELETE", "/v1/allOpenOrders");
      return;
    case "pass":
      await world.clock.runFor(action.ms);
      return;
    case "fund":
      await world.clock.runFor(60_000);
  }
}

/** Checks the invariants after every step. */
function check({ exchange, alice, bob, carol }: World): void {
  const sums = exchange.audit();
  expect(
    sums.isConserved,
    JSON.stringify(sums, (_key, value) => (typeof value === "bigint" ? String(value) : value)),
  ).toBe(true);
  // The insurance account covers the debt of an account that has only debt, and nothing else.
  expect(sums.insuranceCredit <= 100_000_000n).toBe(true);
  const levels = new Map<string, number>();
  for (const { address } of [alice, bob, carol]) {
    let buyLots = 0;
    let sellLots = 0;
    for (const order of exchange.openOrders(address)) {
      const parts =
        order.openLots +
        order.pendingLots +
        order.filledLots +
        order.canceledLots +
        order.expiredLots +
        order.failedLots;
      expect(parts).toBe(order.lots);
      if (order.openLots > 0) {
        const key = `${order.side} ${order.ticks}`;
        levels.set(key, (levels.get(key) ?? 0) + order.openLots);
        buyLots += order.side === "BUY" ? order.openLots : 0;
        sellLots += order.side === "SELL" ? order.openLots : 0;
      }
    }
    const part = exchange.account(address)?.markets.get("btcusdc");
    expect([part?.openBuyLots ?? 0, part?.openSellLots ?? 0]).toEqual([buyLots, sellLots]);
    if (buyLots + sellLots === 0) {
      expect([
        part?.openBuyCredit ?? 0n,
        part?.openSellCredit ?? 0n,
        part?.openOrders ?? 0,
      ]).toEqual([0n, 0n, 0]);
    }
  }
  const book = exchange.book("btcusdc");
  const published = new Map([
    ...book.bids.map(([ticks, lots]) => [`BUY ${ticks}`, lots] as const),
    ...book.asks.map(([ticks, lots]) => [`SELL ${ticks}`, lots] as const),
  ]);
  expect(published).toEqual(levels);
  const [bid, ask] = [book.bids[0]?.[0], book.asks[0]?.[0]];
  expect(bid === undefined || ask === undefined || bid < ask).toBe(true);
}

describe("random trading with failed settlements, funding, deposits and withdrawals", () => {
  it("conserves all credit and lots, and the book is the sum of the open orders", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.constantFrom(0, 0.3, 1),
        fc.constantFrom("1", "100000"),
        async (steps, failureRate, creditOnRegistration) => {
          const world = traders({
            // Products that are not whole numbers of credit units, so that every rounding rule is
            // used.
            creditDecimals: 3,
            markets: {
              btcusdc: {
                funding: { mode: "fixed", intervalMs: 60_000, rate: "0.00313" },
                makerFeeRate: "-0.0001",
                takerFeeRate: "0.0003",
              },
            },
            creditOnRegistration,
            settlement: { delayMs: 1500, failureRate },
            choices: { closedPositions: "latest" },
          });
          for (const action of steps) {
            await take(world, action);
            check(world);
          }
          await world.clock.runFor(1500);
          check(world);
          expect(world.exchange.unsettledTrades).toBe(0);
          const { accountCredit, settledCredit } = world.exchange.audit();
          expect(settledCredit).toBe(accountCredit);
          world.exchange.stop();
        },
      ),
      { numRuns: 60 },
    );
  });
});
