import { seededRandom } from "#core/seeded-random.js";
import { initCrypto } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { namedSignatures, ReferenceClient, START_MS } from "../test/simulator/reference-client.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { median } from "./rounds.js";

const ACCOUNTS = effort(50, 3);
const MARKETS = effort(20, 2);
const ORDERS = effort(20_000, 2_000);
const ROUNDS = effort(3, 1);

/** Heap of one more resting order, with everything that the exchange keeps for it. */
export const bench: Bench = {
  about:
    "memory of a resting order at the exchange, against its REST record as a parsed object in a Map",
  async run() {
    if (globalThis.gc === undefined)
      throw new Error("needs the collector: run it by npm run bench, or with node --expose-gc");
    await initCrypto();
    const taken = Array.from({ length: ROUNDS }, measure);
    return {
      ours: median(taken.map(({ ours }) => ours)),
      reference: median(taken.map(({ reference }) => reference)),
      ratio: median(taken.map(({ ours, reference }) => ours / reference)),
      unit: "bytes an order",
      referenceIs: "the same orders as JSON.parse leaves their REST records, in a Map by id",
      details: { orders: ORDERS, accounts: ACCOUNTS, markets: MARKETS },
    };
  },
};

function measure(): { ours: number; reference: number } {
  const clock = new VirtualClock(START_MS);
  const market = { maxOpenOrders: 10_000_000, maxExposureQuote: "1000000000000" };
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({
      markets: Object.fromEntries(
        Array.from({ length: MARKETS }, (_, place) => [`btc${place}usdc`, market]),
      ),
      creditOnRegistration: "1000000000",
      rateLimits: { common: 0, order: 0 },
    }),
    { clock, random: seededRandom("resting orders") },
    { scheme: namedSignatures },
  );
  exchange.start();
  const clients = Array.from({ length: ACCOUNTS }, (_, place) =>
    new ReferenceClient(
      exchange,
      () => clock.nowMs(),
      `0x${String(place + 1).padStart(64, "0")}`,
      "10.0.0.1",
      true,
    ).register(),
  );
  const place = (count: number) => {
    const client = clients[count % ACCOUNTS] as ReferenceClient;
    const ticks = count % 2 === 0 ? 590_000 - (count % 4001) : 610_000 + (count % 4001);
    const marketId = `btc${Math.floor(count / ACCOUNTS) % MARKETS}usdc`;
    const answer = client.place(
      count % 2 === 0 ? "BUY" : "SELL",
      `${Math.floor(ticks / 10)}.${ticks % 10}`,
      "0.001",
      { marketId },
    );
    if (answer.status !== 200)
      throw new Error(`an order of the benchmark was refused: ${answer.body}`);
    return answer.body;
  };
  // The first order of each market and account allocates tables that later ones share.
  for (let count = 0; count < ACCOUNTS * MARKETS; count += 1) place(count);
  const before = heapBytes();
  for (let count = 0; count < ORDERS; count += 1) place(count);
  const ours = (heapBytes() - before) / ORDERS;

  // Once without keeping the lists, so that the exchange's own preparation of a response is not
  // counted.
  for (const client of clients) client.openOrders();
  const empty = heapBytes();
  const records = new Map<string, unknown>();
  for (const client of clients) {
    for (const record of client.openOrders()) records.set(String(record.id), record);
  }
  const reference = (heapBytes() - empty) / records.size;
  exchange.stop();
  return { ours, reference };
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
