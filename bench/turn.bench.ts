import type { Bot } from "#bot/bot.js";
import type { Clock } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme, initCrypto } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { VenueEvent } from "#exchange/venue.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { builtInStrategies } from "#strategies/built-in.js";
import type { Bench } from "./bench.js";
import { startBenchBot } from "./bench-bot.js";
import { effort } from "./effort.js";
import { MemoryTransport } from "./memory-transport.js";
import { interleaved, median } from "./rounds.js";

const MARKET = "btcusdt";
const BEST_BID = 617_990;
const LEVELS = 60;
const ROUNDS = effort(15, 1);
const TURNS_A_ROUND = effort(20_000, 50);
const US_PER_MS = 1000;
const NOTHING: readonly number[] = [];

/** The cost of a turn alone: the events are decoded before, and no request is sent. */
export const bench: Bench = {
  about:
    "a turn of the bot that asks its strategy (book, guards, view, ladder of six, shape, plan), against JSON.parse of its frame",
  async run() {
    await initCrypto();
    const { turn, frame, close } = await startQuotingBot();
    const idle: number[] = [];
    const result = await interleaved({
      rounds: ROUNDS,
      ours: () => {
        // A level behind the touch changes: no decision is due, and nothing is planned.
        idle.push(microseconds((at) => turn(BEST_BID - LEVELS / 2, 400 + (at % 7))));
        // A bid within the spread comes and goes: the strategy is called each time, and its quotes
        // stay within their tolerance.
        return microseconds((at) => turn(BEST_BID + 5, at % 2 === 0 ? 7 : 0));
      },
      reference: () => microseconds((at) => void JSON.parse(frame(at))),
    });
    close();
    return {
      ...result,
      unit: "us a turn",
      referenceIs:
        "JSON.parse of a book update of one level, the event of such a turn as it comes from the stream",
      details: { "us a turn that finds nothing to do": median(idle) },
    };
  },
};

interface QuotingBot {
  /** One turn: a level of the bids changes. */
  turn(ticks: number, lots: number): void;
  frame(at: number): string;
  close(): void;
}

/**
 * A bot whose ladder rests on the embedded exchange, with a manual book from then on. Time does not
 * advance.
 */
async function startQuotingBot(): Promise<QuotingBot> {
  const time = new VirtualClock(1_780_272_000_000);
  const clock: Clock = time;
  const signer = ecdsaScheme.signer(`0x${"4c".repeat(32)}`);
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({ markets: { [MARKET]: { tickSize: "0.1", stepSize: "0.001" } } }),
    { clock, random: seededRandom("turn exchange") },
    {
      createFlow: () => ({
        start: (market) => market.setReference(618_000, 618_000),
        stop: () => {},
      }),
    },
  );
  exchange.start();
  const transport = new MemoryTransport(exchange, clock, {
    passes: (text) => !text.includes(`"${MARKET}@orderbook"`),
  });
  const pace = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    while (!isSettled) await time.runFor(1);
    return await settled;
  };
  const ladder = builtInStrategies.ladder.bind({
    halfSpreadBps: 0.5,
    levelSpacingBps: 2,
    levels: 3,
    sizeBase: 0.01,
  });
  const { bot, close } = await startBenchBot(
    {
      file: {
        exchange: { rest: "http://127.0.0.1/v1", stream: "ws://127.0.0.1/v1" },
        account: { keyEnv: "NONE" },
        quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 10 },
        decide: { minGapMs: 0 },
        markets: {
          [MARKET]: { strategy: "ladder", limits: { maxPositionBase: 1, maxOrderBase: 0.1 } },
        },
        // The exchange's own book differs, but its sequence is not read meanwhile.
        risk: { maxDrawdownQuote: 10_000, maxBookAgeMs: 60_000 },
      },
      runtime: { clock, random: seededRandom("turn bot") },
      transport,
      signer,
      strategies: new Map([[MARKET, ladder]]),
      receivedMonotonicMs: () => clock.monotonicMs(),
    },
    pace,
  );
  let sequence = 1;
  const tell = (event: VenueEvent): void => bot.accept({ kind: "event", event });
  await time.runFor(1000);
  tell({
    type: "book-snapshot",
    marketId: MARKET,
    sequence,
    bids: levels(BEST_BID, -1),
    asks: levels(BEST_BID + 20, 1),
  });
  await time.runFor(3000);
  requireQuotes(bot);
  return {
    turn: (ticks, lots) => {
      sequence += 1;
      tell({
        type: "book-update",
        marketId: MARKET,
        beginSequence: sequence,
        endSequence: sequence,
        bids: [ticks, lots],
        asks: NOTHING,
      });
    },
    frame: (at) =>
      `{"stream":"${MARKET}@orderbook","data":{"event":"update","beginSequence":${at},"endSequence":${at},"bids":[["61799.5","0.007"]],"asks":[]}}`,
    close: () => {
      requireQuotes(bot);
      close();
      exchange.stop();
    },
  };
}

function levels(best: number, step: 1 | -1): readonly number[] {
  return Array.from({ length: LEVELS }, (_, place) => [best + step * place, 500 + place]).flat();
}

/** A bot that is halted, or quotes nothing, takes shorter turns than one that works. */
function requireQuotes(bot: Bot): void {
  const resting = bot.context.account.orders.mayStillFill(MARKET).length;
  if (bot.phase !== "running" || bot.tradingGuards.halts.length > 0 || resting !== 6) {
    throw new Error(
      `the bot is ${bot.phase} with ${resting} orders and ${bot.tradingGuards.halts.length} halts`,
    );
  }
}

function microseconds(turn: (at: number) => void): number {
  const start = performance.now();
  for (let at = 0; at < TURNS_A_ROUND; at += 1) turn(at);
  return ((performance.now() - start) * US_PER_MS) / TURNS_A_ROUND;
}
