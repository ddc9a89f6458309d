import { map } from "rxjs";
import { z } from "zod";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme, initCrypto } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { quoteAround } from "#strategies/quote-around.js";
import { defineStrategy } from "#strategies/strategy.js";
import type { Bench } from "./bench.js";
import { startBenchBot } from "./bench-bot.js";
import { effort } from "./effort.js";
import { MemoryTransport } from "./memory-transport.js";
import { slopeOf } from "./rounds.js";

const MARKET = "btcusdc";
const START_MS = 1_780_272_000_000;
const HOUR_MS = 3_600_000;
const MB = 2 ** 20;
const PRIVATE_KEY = `0x${"4c".repeat(32)}`;

/** By then tables and the exchange's own lists have reached their final size. */
const FROM_HOUR = effort(4, 0.01);
const SAMPLES = effort(41, 3);
/** Permitted growth of a bot, MB per hour. */
const ALLOWED = 0.5;
/** Each side is requoted at this interval, with one cancel and one place: 60 actions a minute. */
const REQUOTE_MS = 4000;

/** A whole bot through a simulated day. */
export const bench: Bench = {
  about:
    "growth of the heap, after collection, over hours 4 to 24 of a bot's simulated day at 60 actions a minute",
  ceiling: 1,
  async run() {
    if (globalThis.gc === undefined)
      throw new Error("needs the collector: run it by npm run bench, or with node --expose-gc");
    await initCrypto();
    const untilHour = hoursOf(process.env.MARKETWRIGHT_BENCH_HOURS);
    const day = await startDay();
    const hours: number[] = [];
    const heapMb: number[] = [];
    await day.runFor(FROM_HOUR * HOUR_MS);
    const actionsBefore = day.actions();
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      if (sample > 0) await day.runFor(((untilHour - FROM_HOUR) * HOUR_MS) / (SAMPLES - 1));
      hours.push(FROM_HOUR + ((untilHour - FROM_HOUR) * sample) / (SAMPLES - 1));
      heapMb.push(heapAfterCollection());
    }
    const perHour = slopeOf(hours, heapMb);
    const actions = day.actions() - actionsBefore;
    const fills = day.fills();
    day.close();
    return {
      ours: perHour,
      reference: ALLOWED,
      ratio: perHour / ALLOWED,
      unit: "MB an hour",
      referenceIs:
        "what is allowed; ours is the slope of the whole process by least squares, the embedded exchange included, whose lists are bounded to 500 records each",
      details: {
        "hours measured": untilHour - FROM_HOUR,
        "actions a minute": actions / ((untilHour - FROM_HOUR) * 60),
        fills,
        "heap at first, MB": heapMb[0] ?? Number.NaN,
        "heap at last, MB": heapMb.at(-1) ?? Number.NaN,
      },
    };
  },
};

async function startDay() {
  const clock = new VirtualClock(START_MS);
  const signer = ecdsaScheme.signer(PRIVATE_KEY);
  const exchange = configuredExchange(
    parseExchangeConfig({
      markets: {
        [MARKET]: { flow: { kind: "synthetic", preset: "quiet", startPriceQuote: 30_000 } },
      },
      retention: { publicTrades: 500, historyOrders: 500, userTrades: 500, incomes: 500 },
    }),
    { clock, random: seededRandom("memory exchange") },
    { scheme: { ...ecdsaScheme, recover: () => signer.address.toLowerCase() } },
  );
  exchange.start();
  let actions = 0;
  let fills = 0;
  const transport = new MemoryTransport(exchange, clock, {
    onRequest: ({ method, path }) => {
      if (path === "/v1/order" && method !== "GET") actions += 1;
    },
  });
  const strategy = defineStrategy({
    params: z.object({}),
    create: () => (view$) =>
      view$.pipe(
        map((view) => {
          // Another price each time, so that both sides are requoted.
          const fairTicks = view.midTicks + (view.sequence % 2 === 0 ? 3 : -3);
          return quoteAround(view, fairTicks, { halfSpreadBps: 4, sizeBase: 0.005 });
        }),
      ),
  });
  const { close } = await startBenchBot(
    {
      file: {
        exchange: { rest: "http://127.0.0.1/v1", stream: "ws://127.0.0.1/v1" },
        account: { keyEnv: "NONE" },
        quotes: { timeInForce: "POST_ONLY" },
        decide: { everyMs: REQUOTE_MS, onTouchChange: false, onFill: false },
        markets: {
          [MARKET]: { strategy: "bench", limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 } },
        },
        risk: { maxDrawdownQuote: 50_000, maxBookAgeMs: 10_000 },
      },
      runtime: { clock, random: seededRandom("memory bot") },
      transport,
      signer,
      strategies: new Map([[MARKET, strategy.bind({})]]),
      receivedMonotonicMs: () => clock.monotonicMs(),
      watch: {
        event: (event) => {
          if (event.type === "trade-update") fills += 1;
        },
      },
    },
    async (promise) => {
      let isSettled = false;
      const settled = promise.finally(() => {
        isSettled = true;
      });
      while (!isSettled) await clock.runFor(1);
      return await settled;
    },
  );
  return {
    runFor: (ms: number) => clock.runFor(ms),
    actions: () => actions,
    fills: () => fills,
    close: () => {
      close();
      exchange.stop();
    },
  };
}

function heapAfterCollection(): number {
  // The second collection frees objects that the first one finalised.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / MB;
}

/** @throws RangeError unless it is a number of hours above the first measured one. */
function hoursOf(text: string | undefined): number {
  const hours = text === undefined ? effort(24, 0.03) : Number(text);
  if (!(hours > FROM_HOUR))
    throw new RangeError(`MARKETWRIGHT_BENCH_HOURS is ${text}, expected hours above ${FROM_HOUR}`);
  return hours;
}
