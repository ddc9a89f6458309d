import { map } from "rxjs";
import { z } from "zod";
import type { BotEvent } from "#bot/bot-event.js";
import { Instrument } from "#core/instrument.js";
import type { Clock, Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme, type Signer } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { HttpRequest, SocketHandlers } from "#exchange/transport.js";
import type { VenueEvent } from "#exchange/venue.js";
import type { OutboxItem } from "#executor/outbox.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { quoteAround } from "#strategies/quote-around.js";
import { defineStrategy } from "#strategies/strategy.js";
import { startBenchBot } from "./bench-bot.js";
import { captureFrames } from "./capture-frames.js";
import { MemoryTransport } from "./memory-transport.js";
import { LOAD_SOURCES, ReferenceLoad } from "./reference-load.js";

const MARKET = "btcusdt";
const START_MS = 1_780_272_000_000;
/** Price of the references, near that of the capture. */
const REFERENCE_QUOTE = 61_800;
/** Time between two frames, long enough to keep places and cancels within the exchange's limits. */
const GAP_MS = 120;
const PRIVATE_KEY = `0x${"4c".repeat(32)}`;

/** With a deviation that lets the capture's price move away from theirs. */
const REFERENCE = { from: LOAD_SOURCES, basis: { maxBasisBps: 100 } };

/** The stages of one frame's way, in order. */
export const MARKS = [
  "received",
  "decoded",
  "applied",
  "viewed",
  "decided",
  "shaped",
  "queued",
  "leaving",
  "allowed",
  "hashed",
  "orderSigning",
  "orderSigned",
  "requestSigning",
  "requestSigned",
  "handedOver",
] as const;
export type Mark = (typeof MARKS)[number];

/** One frame that led to one order. */
export interface TickSample {
  readonly frame: string;
  /** When the message arrived, milliseconds of `performance.now`. */
  readonly receivedAt: number;
  /** Milliseconds from the message's arrival until the transport has the signed bytes. */
  readonly totalMs: number;
  /** Instants of the way, milliseconds; empty unless the path is marked. */
  readonly marks: Readonly<Partial<Record<Mark, number>>>;
  /** Time of the reference on the same frame. */
  readonly referenceMs: number;
}

/** The way from a frame to an order, ready to run. */
export interface TickPath {
  readonly source: string;
  readonly signer: Signer;
  /**
   * Feeds frames until `orders` of them have led to one order each.
   * @param reference does the reference's work on a frame, and returns its milliseconds. It runs
   * between two frames of its own, at the same kind of moment as the bot's work and as rarely, so
   * that neither side has the machine's caches to itself.
   */
  take(orders: number, reference: (frame: string) => number): Promise<readonly TickSample[]>;
  close(): void;
}

/** The variants of the way. */
export interface TickPathOptions {
  /** True to note the instants of its stages. */
  readonly isMarked: boolean;
  /**
   * True for a market with three reference sources. Their updates arrive all the time, and one of
   * each right before a measured frame, so that the frame waits for them.
   */
  readonly hasReferences?: boolean;
}

/**
 * A live bot against the embedded exchange in virtual time, with its book stream replaced by the
 * capture's frames. Each frame wakes the strategy. On every second frame it wants one quote, and
 * that frame is measured. On the next it wants none, so the bot cancels the order outside the
 * measurement. Responses, ticks and reconciliations are not measured either: time passes only
 * between frames.
 */
export async function tickPath(options: TickPathOptions): Promise<TickPath> {
  const time = new VirtualClock(START_MS);
  let aheadMs = 0;
  // The clock that every part reads. It is slightly ahead of the timers at each frame, so a frame
  // comes before a timer that is due just then.
  const clock: Clock = {
    nowMs: () => time.nowMs() + aheadMs,
    monotonicMs: () => time.monotonicMs() + aheadMs,
    setTimer: (delayMs, fire) => time.setTimer(delayMs, fire),
  };
  const instrument = new Instrument({
    marketId: MARKET,
    tickSize: "0.1",
    stepSize: "0.001",
    creditDecimals: 6,
    paperDecimals: 18,
  });
  const capture = captureFrames(instrument);
  let marks: Partial<Record<Mark, number>> = {};
  const mark = (name: Mark): void => {
    if (options.isMarked) marks[name] ??= performance.now();
  };
  let orders = 0;
  let cancels = 0;
  let handedOverAt = 0;
  let stream: SocketHandlers | undefined;
  let wantsQuote = false;

  const signer = ecdsaScheme.signer(PRIVATE_KEY);
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({ markets: { [MARKET]: { tickSize: "0.1", stepSize: "0.001" } } }),
    { clock, random: seededRandom("tick-path exchange") },
    {
      // In a live run the exchange works elsewhere, so here it does as little as it can.
      scheme: { ...ecdsaScheme, recover: () => signer.address.toLowerCase() },
      createFlow: () => ({
        start: (market) => market.setReference(618_000, 618_000),
        stop: () => {},
      }),
    },
  );
  exchange.start();
  const transport = new MemoryTransport(exchange, clock, {
    onRequest: ({ method, path }: HttpRequest) => {
      if (path !== "/v1/order") return;
      if (method === "DELETE") cancels += 1;
      if (method !== "POST") return;
      handedOverAt = performance.now();
      orders += 1;
    },
    onOpen: (path, handlers) => {
      if (path.startsWith("/v1/multiple")) stream = handlers;
    },
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
  const strategy = defineStrategy({
    params: z.object({}),
    create: () => (view$) =>
      view$.pipe(
        map((view) => {
          mark("viewed");
          const intent = quoteAround(view, view.microPrice, { halfSpreadBps: 1, sizeBase: 0.005 });
          const quotes = wantsQuote ? intent.quotes.filter(({ side }) => side === "BUY") : [];
          mark("decided");
          return { ...intent, quotes };
        }),
      ),
  });
  const { bot, close } = await startBenchBot(
    {
      file: {
        exchange: { rest: "http://127.0.0.1/v1", stream: "ws://127.0.0.1/v1" },
        account: { keyEnv: "NONE" },
        quotes: { timeInForce: "POST_ONLY" },
        // A decision is due at every frame, even if the frame does not move the touch.
        decide: { everyMs: GAP_MS, minGapMs: 1 },
        ...(options.hasReferences === true
          ? {
              references: Object.fromEntries(
                LOAD_SOURCES.map((name) => [name, { module: `./${name}.js` }]),
              ),
            }
          : {}),
        markets: {
          [MARKET]: {
            strategy: "bench",
            ...(options.hasReferences === true ? { reference: REFERENCE } : {}),
            limits: {
              maxPositionBase: 1,
              maxOrderBase: 0.1,
              maxNotionalQuote: 100_000,
              maxOpenOrders: 20,
            },
          },
        },
        risk: {
          maxDrawdownQuote: 10_000,
          maxLeverage: 10,
          maxNotionalQuote: 500_000,
          minLiquidationDistanceBps: 100,
          maxMarginUseFraction: 0.5,
        },
      },
      runtime: {
        clock,
        random: options.isMarked ? markedRandom(seededRandom("bot"), mark) : seededRandom("bot"),
      },
      transport,
      signer: options.isMarked ? markedSigner(signer, () => marks, mark) : signer,
      strategies: new Map([[MARKET, strategy.bind({})]]),
      receivedMonotonicMs: () => clock.monotonicMs(),
      ...(options.isMarked ? { watch: watchOf(mark) } : {}),
    },
    pace,
  );
  const load =
    options.hasReferences === true
      ? new ReferenceLoad(clock, REFERENCE_QUOTE, (update) =>
          bot.accept({ kind: "reference", update }),
        )
      : undefined;
  load?.start();
  let at = 0;
  let restMs = GAP_MS;
  const handlers = (): SocketHandlers => {
    if (stream === undefined) throw new Error("the bot did not open its market stream");
    return stream;
  };
  await time.runFor(1000);
  handlers().onMessage(capture.frame(at++));
  if (options.isMarked) {
    const { book } = bot.context.traders.get(MARKET) ?? {};
    if (book === undefined) throw new Error("the bot has no such market");
    const apply = book.apply.bind(book);
    book.apply = (...args) => {
      const result = apply(...args);
      mark("applied");
      return result;
    };
  }
  for (
    let second = 0;
    bot.phase !== "running" || bot.context.traders.get(MARKET)?.running !== true;
    second += 1
  ) {
    if (second > 30) throw new Error("the bot did not come to run within 30 s of virtual time");
    await time.runFor(1000);
  }

  /** Feeds one frame and runs everything that needs no time. */
  const feed = async (frame: string, isQuoteWanted: boolean): Promise<number> => {
    marks = {};
    await new Promise(setImmediate);
    const receivedAt = performance.now();
    load?.receive();
    // Only now: an order has to follow from the frame, and not from a reference.
    wantsQuote = isQuoteWanted;
    if (options.isMarked) marks.received = receivedAt;
    handlers().onMessage(frame);
    await new Promise(setImmediate);
    return receivedAt;
  };

  return {
    source: capture.source,
    signer,
    take: async (wanted, reference) => {
      const samples: TickSample[] = [];
      while (samples.length < wanted) {
        const isUpdate = at % capture.length !== 0;
        const frame = capture.frame(at++);
        await time.runFor(restMs - 1);
        aheadMs += 1;
        restMs = GAP_MS;
        const isQuoteWanted =
          isUpdate && bot.context.account.orders.mayStillFill(MARKET).length === 0;
        const before = { orders, cancels };
        const receivedAt = await feed(frame, isQuoteWanted);
        const led = orders - before.orders;
        if (led > 1 || (led === 1 && cancels !== before.cancels))
          throw new Error("a frame led to more than one order");
        if (led === 1) {
          if (options.isMarked) marks.handedOver = handedOverAt;
          const sample = { frame, receivedAt, totalMs: handedOverAt - receivedAt, marks };
          restMs = GAP_MS / 2;
          await time.runFor(restMs);
          await new Promise(setImmediate);
          samples.push({ ...sample, referenceMs: reference(frame) });
        }
      }
      return samples;
    },
    close: () => {
      load?.stop();
      close();
    },
  };
}

function watchOf(mark: (name: Mark) => void) {
  return {
    event: (event: VenueEvent) => {
      if (event.type === "book-update") mark("decoded");
    },
    notice: (notice: BotEvent) => {
      if (notice.kind === "intent") mark("shaped");
      else if (notice.kind === "dispatched" && notice.action.kind === "place") mark("hashed");
    },
    enqueued: ({ key }: OutboxItem) => {
      if (key.startsWith("place")) mark("queued");
    },
    leaving: ({ key }: OutboxItem) => {
      if (key.startsWith("place")) mark("leaving");
    },
  };
}

/** The nonce is drawn after the last check of the order. */
function markedRandom(random: Random, mark: (name: Mark) => void): Random {
  return {
    uniform: () => random.uniform(),
    uint64: () => {
      mark("allowed");
      return random.uint64();
    },
  };
}

/** For a place, the order is signed first, then the request that carries it. */
function markedSigner(
  signer: Signer,
  marks: () => Readonly<Partial<Record<Mark, number>>>,
  mark: (name: Mark) => void,
): Signer {
  return {
    address: signer.address,
    sign: (digest) => {
      const isRequest = marks().orderSigned !== undefined;
      mark(isRequest ? "requestSigning" : "orderSigning");
      const signature = signer.sign(digest);
      mark(isRequest ? "requestSigned" : "orderSigned");
      return signature;
    },
  };
}
