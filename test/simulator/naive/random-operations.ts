import { expect } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import type { Side } from "#core/units.js";
import { type ReferenceClient, traders } from "../reference-client.js";
import { NaiveExchange, type NaiveLife } from "./naive-exchange.js";

const MARKET = "btcusdc";
const START_QUOTE = 1_000_000_000n;
const UNITS = 1_000_000n;
const LIVES: readonly NaiveLife[] = [
  "GTC",
  "GTC",
  "GTC",
  "GTC",
  "GTC",
  "IOC",
  "FOK",
  "POST_ONLY",
  "MARKET",
];

/** The number of comparisons, so that a test can require some. */
export interface Comparison {
  readonly operations: number;
  readonly fills: number;
  readonly booksCompared: number;
  readonly largestBook: number;
}

/**
 * Runs seeded random orders, cancels and cancel-alls of three accounts through the exchange's REST
 * interface and through the naive model. It compares every fill as it happens, and the books and
 * the balances every `compareEvery` operations and at the end, when everything has settled.
 * Signatures are replaced, since only matching and credit are compared.
 */
export async function compareWithNaive(
  seed: string,
  operations: number,
  compareEvery: number,
): Promise<Comparison> {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random.uniform() * bound);
  const world = traders({
    rateLimits: { common: 0, order: 0 },
    creditOnRegistration: String(START_QUOTE),
    retention: { publicTrades: 500, historyOrders: 500, userTrades: 500, incomes: 500 },
    markets: {
      [MARKET]: {
        perp: "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
        maxOpenOrders: 1_000_000,
        maxExposureQuote: "100000000000",
        makerFeeRate: "-0.0001",
        takerFeeRate: "0.0003",
        funding: { mode: "fixed", intervalMs: 1_000_000_000_000 },
      },
    },
  });
  const clients: readonly ReferenceClient[] = [world.alice, world.bob, world.carol];
  const naive = new NaiveExchange(clients.length, { maker: -10n, taker: 30n }, START_QUOTE * UNITS);
  const numberOf = new Map<string, number>();
  const idOf = new Map<number, string>();
  let compared = 0;
  let largestBook = 0;

  const place = (number: number, owner: number) => {
    const side: Side = random.uniform() < 0.5 ? "BUY" : "SELL";
    const life = LIVES[below(LIVES.length)] as NaiveLife;
    const distance = below(14) - 5;
    const ticks = 300_000 + (side === "BUY" ? -distance : distance);
    const lots = 1 + below(20);
    const answer = (clients[owner] as ReferenceClient).place(
      side,
      `${Math.floor(ticks / 10)}.${ticks % 10}`,
      (lots / 1000).toFixed(3),
      {
        timeInForce: life === "MARKET" ? "IOC" : life,
        type: life === "MARKET" ? "MARKET" : "LIMIT",
      },
    );
    if (answer.status !== 200) throw new Error(`operation ${number} was refused: ${answer.body}`);
    numberOf.set(String(answer.json.id), number);
    idOf.set(number, String(answer.json.id));
    naive.place(number, owner, side, ticks, lots, life);
  };
  const cancel = (owner: number) => {
    const own = naive.resting.filter((order) => order.owner === owner);
    const target = own[below(own.length)];
    if (target === undefined) return;
    const answer = (clients[owner] as ReferenceClient).cancel(idOf.get(target.number) as string);
    expect(answer.status).toBe(204);
    naive.cancel(target.number);
  };
  const compareFills = () => {
    const trades = world.exchange.market(MARKET).trades.page({ limit: naive.fills.length });
    expect(trades.map(({ ticks, lots, isBuyerMaker }) => [ticks, lots, isBuyerMaker])).toEqual(
      naive.fills.map(({ ticks, lots, takerSide }) => [ticks, lots, takerSide === "SELL"]),
    );
    naive.fills.length = 0;
  };
  const compareBooks = () => {
    const book = world.exchange.book(MARKET);
    expect(book.bids).toEqual(naive.levels("BUY"));
    expect(book.asks).toEqual(naive.levels("SELL"));
    const resting = clients.flatMap(({ address }, owner) =>
      world.exchange
        .openOrders(address)
        .filter(({ openLots }) => openLots > 0)
        .map((order) => [owner, numberOf.get(order.terms.id), order.openLots]),
    );
    expect(new Set(resting.map(String))).toEqual(
      new Set(naive.resting.map(({ owner, number, open }) => String([owner, number, open]))),
    );
    for (const [owner, { address }] of clients.entries()) {
      const account = world.exchange.account(address);
      const credit = account?.inMarket(MARKET).position.matched.credit ?? 0n;
      const lots = world.exchange.positionLots(address, MARKET);
      expect({ lots, credit, primary: account?.primaryCredit }).toEqual(naive.accounts[owner]);
    }
    compared += 1;
    largestBook = Math.max(largestBook, naive.resting.length);
  };

  let fills = 0;
  for (let number = 0; number < operations; number += 1) {
    const owner = below(clients.length);
    const what = random.uniform();
    if (what < 0.72) place(number, owner);
    else if (what < 0.995) cancel(owner);
    else {
      expect((clients[owner] as ReferenceClient).call("DELETE", "/v1/allOpenOrders").status).toBe(
        204,
      );
      naive.cancelAll(owner);
    }
    fills += naive.fills.length;
    if (naive.fills.length > 0) compareFills();
    if (number % compareEvery === 0) compareBooks();
    if (number % 50 === 0) await world.clock.runFor(50);
  }
  compareBooks();
  await world.clock.runFor(10_000);
  expect(world.exchange.unsettledTrades).toBe(0);
  const { isConserved, feeCredit } = world.exchange.audit();
  expect(isConserved).toBe(true);
  expect(feeCredit).toBe(naive.feesTaken);
  for (const [owner, client] of clients.entries()) {
    const { balances } = client.balances();
    expect(units(balances.primaryCreditAmount)).toBe(naive.accounts[owner]?.primary);
  }
  world.exchange.stop();
  return { operations, fills, booksCompared: compared, largestBook };
}

function units(decimal: string): bigint {
  const [whole = "", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
}
