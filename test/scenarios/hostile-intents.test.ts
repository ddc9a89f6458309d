import { map, Observable, type OperatorFunction } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { BotEvent } from "#bot/bot-event.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { MarketView } from "#market/view.js";
import { BotRig } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import type { Intent } from "#strategies/intent.js";
import { quoteAround } from "#strategies/quote-around.js";
import { defineStrategy, type Strategy } from "#strategies/strategy.js";
import { botConfig } from "../simulation/bot-config.js";

const PRIVATE_KEY = `0x${"31".repeat(32)}`;
const GOOD_LOTS = 20;

type Loose = { quotes: { lots: unknown }[]; [key: string]: unknown };

/** A new intent at each view, which the strategy may change as it likes. */
const goodIntent = (view: MarketView): Loose =>
  structuredClone(
    quoteAround(view, view.microPrice, { halfSpreadBps: 30, sizeBase: 0.02 }),
  ) as unknown as Loose;

const strategyOf = (operator: OperatorFunction<MarketView, Intent>): Strategy =>
  defineStrategy({ params: z.object({}), create: () => operator });

/** Emits at each view what `act` makes of a good intent, and may change it once it was emitted. */
const emitting = (act: (intent: Loose, emit: (value: unknown) => void) => void): Strategy =>
  strategyOf(
    (view$) =>
      new Observable<Intent>((subscriber) =>
        view$.subscribe((view) =>
          act(goodIntent(view), (value) => subscriber.next(value as Intent)),
        ),
      ),
  );

/** A bot of two markets: a foreign strategy in the first, a good one in the second. */
async function twoMarkets(strategy: Strategy) {
  const clock = new VirtualClock(1_760_000_000_000);
  const scheme = keyedScheme();
  const flow = { kind: "synthetic", preset: "lively", startPriceQuote: 60_000 };
  const config = parseExchangeConfig({
    seed: 5,
    markets: { btcusdc: { flow }, ethusdc: { flow } },
  });
  const exchange = configuredExchange(
    config,
    { clock, random: seededRandom("exchange") },
    { scheme },
  );
  exchange.start();
  const { address } = scheme.signer(PRIVATE_KEY);
  exchange.register(address);
  await clock.runFor(2_000);
  const limits = { maxPositionBase: "0.5" };
  const notices: BotEvent[] = [];
  const rig = new BotRig({
    door: exchange,
    transport: new FaultyNetwork(
      exchange,
      clock,
      new FaultSource([], seededRandom("none")),
      "10.0.0.1",
    ),
    clock,
    random: seededRandom("bot"),
    scheme,
    privateKey: PRIVATE_KEY,
    config: botConfig({
      markets: {
        btcusdc: { strategy: "ladder", params: {}, limits },
        ethusdc: { strategy: "ladder", params: {}, limits },
      },
    }),
    strategies: new Map([
      ["btcusdc", strategy],
      ["ethusdc", emitting((intent, emit) => emit(intent))],
    ]),
    observe: (notice) => notices.push(notice),
  });
  rig.start();
  await clock.runFor(6_000);
  const placedLots = (marketId: string) =>
    new Set(
      notices.flatMap((notice) =>
        notice.kind === "dispatched" &&
        notice.action.kind === "place" &&
        notice.action.marketId === marketId
          ? [notice.action.lots]
          : [],
      ),
    );
  const openIn = (marketId: string) =>
    exchange
      .openOrders(address)
      .filter(({ openLots, terms }) => openLots > 0 && terms.market.id === marketId).length;
  return { rig, clock, notices, placedLots, openIn };
}

describe("a strategy that changes its intent after it was checked", () => {
  it.each([
    ["another size", 77],
    ["half a lot", 0.5],
    ["NaN", Number.NaN],
    ["nothing", undefined],
  ])("to %s: what was checked is placed", async (_name, lots) => {
    const { placedLots, openIn, rig } = await twoMarkets(
      emitting((intent, emit) => {
        emit(intent);
        for (const quote of intent.quotes) quote.lots = lots;
      }),
    );
    expect(placedLots("btcusdc")).toEqual(new Set([GOOD_LOTS]));
    expect(openIn("btcusdc")).toBe(2);
    expect(openIn("ethusdc")).toBe(2);
    expect(rig.bot.phase).toBe("running");
  });

  it("outside of its turn, between what it says and its own turn: what it said is placed", async () => {
    const { placedLots } = await twoMarkets(
      emitting((intent, emit) => {
        void Promise.resolve().then(() => {
          emit(intent);
          for (const quote of intent.quotes) quote.lots = 77;
        });
      }),
    );
    expect(placedLots("btcusdc")).toEqual(new Set([GOOD_LOTS]));
  });

  it("by telling another size at each reading: the one that was checked is placed", async () => {
    const { placedLots } = await twoMarkets(
      emitting((intent, emit) => {
        for (const quote of intent.quotes) {
          let reads = 0;
          Object.defineProperty(quote, "lots", { get: () => (reads++ === 0 ? GOOD_LOTS : 77) });
        }
        emit(intent);
      }),
    );
    expect(placedLots("btcusdc")).toEqual(new Set([GOOD_LOTS]));
  });
});

const nothing = (): never => {
  throw new TypeError("there is nothing");
};

const bomb = new Proxy(
  {},
  {
    get: () => {
      throw bomb;
    },
    getPrototypeOf: () => {
      throw bomb;
    },
  },
);

describe("a strategy that emits a value which is none is halted in its market until a person resumes it, and the others go on", () => {
  const spoilt = (change: (intent: Loose) => void): Strategy => {
    let views = 0;
    return emitting((intent, emit) => {
      if (++views === 20) change(intent);
      emit(intent);
    });
  };
  const lots = (value: unknown) => (intent: Loose) => {
    for (const quote of intent.quotes) quote.lots = value;
  };

  it.each<readonly [string, (intent: Loose) => void, string]>([
    ["NaN", lots(Number.NaN), "quote BUY 0: lots is NaN"],
    ["half a lot", lots(20.5), "lots is 20.5"],
    ["a size in words", lots("20"), "lots is 20:"],
    ["no size", lots(undefined), "lots is undefined"],
    [
      "an intent that throws as it is read",
      (intent) => Object.defineProperty(intent, "quotes", { get: () => nothing() }),
      "cannot be read",
    ],
    [
      "quotes that are no list",
      (intent) => Object.assign(intent, { quotes: "all" }),
      "expected a list",
    ],
  ])("%s", async (_name, change, why) => {
    const { rig, openIn, clock, placedLots } = await twoMarkets(spoilt(change));
    expect(rig.bot.phase).toBe("running");
    expect(openIn("btcusdc")).toBe(0);
    expect(openIn("ethusdc")).toBe(2);
    expect(placedLots("btcusdc")).toEqual(new Set([GOOD_LOTS]));
    const [halt, ...others] = rig.bot.tradingGuards.halts;
    expect(others).toEqual([]);
    expect(halt).toMatchObject({
      marketId: "btcusdc",
      name: "strategy-error",
      resumesByItself: false,
    });
    expect(halt?.why).toContain(why);
    rig.bot.command({ command: "resume", marketId: "btcusdc" });
    await clock.runFor(4_000);
    expect(rig.bot.tradingGuards.halts).toEqual([]);
    expect(openIn("btcusdc")).toBe(2);
  });

  it("as it is subscribed to: it is stopped there, and does not quote on behind its halt", async () => {
    let told = 0;
    const { rig, openIn } = await twoMarkets(
      strategyOf(
        (view$) =>
          new Observable<Intent>((subscriber) => {
            subscriber.next({ kind: "quotes" } as Intent);
            return view$.subscribe((view) => {
              told++;
              subscriber.next(goodIntent(view) as unknown as Intent);
            });
          }),
      ),
    );
    expect(rig.bot.tradingGuards.halts).toMatchObject([
      { marketId: "btcusdc", name: "strategy-error" },
    ]);
    expect(openIn("btcusdc")).toBe(0);
    expect(told).toBe(0);
  });
});

describe("a strategy that does what nobody expects stops its own market alone", () => {
  it.each<readonly [string, Strategy]>([
    ["an intent that throws at each look", emitting((_intent, emit) => emit(bomb))],
    [
      "the same outside of a turn",
      emitting((_intent, emit) => void Promise.resolve().then(() => emit(bomb))),
    ],
    [
      "a reason that holds itself",
      emitting((intent, emit) =>
        emit({ ...intent, reason: Object.assign(intent.reason as object, { terms: intent }) }),
      ),
    ],
    [
      "four billion quotes",
      emitting((intent, emit) => emit({ ...intent, quotes: new Array(4_000_000_000) })),
    ],
    [
      "an error that is none",
      strategyOf(
        map(() => {
          throw bomb;
        }),
      ),
    ],
    [
      "an operator that throws what is no error",
      strategyOf(() => {
        throw bomb;
      }),
    ],
    [
      "a stream that throws as it is subscribed to",
      strategyOf((() => ({
        lift: () => {},
        subscribe: () => {
          throw bomb;
        },
      })) as never),
    ],
    [
      "a stream that gives no subscription",
      strategyOf((() => ({ lift: () => {}, subscribe: () => undefined })) as never),
    ],
  ])("%s", async (_name, strategy) => {
    const { rig, openIn, clock } = await twoMarkets(strategy);
    expect(rig.bot.phase).toBe("running");
    expect(openIn("btcusdc")).toBe(0);
    expect(openIn("ethusdc")).toBe(2);
    rig.bot.command({ command: "resume" });
    await clock.runFor(2_000);
    rig.bot.command({ command: "stop", reason: "the test is over" });
    await clock.runFor(20_000);
    expect(rig.bot.phase).toBe("stopped");
    expect(openIn("ethusdc")).toBe(0);
  });

  it("throws as it is stopped", async () => {
    const { rig, openIn, clock } = await twoMarkets(
      strategyOf(
        (view$) =>
          new Observable<Intent>((subscriber) => {
            view$.subscribe((view) => subscriber.next(goodIntent(view) as unknown as Intent));
            return () => {
              throw bomb;
            };
          }),
      ),
    );
    expect(openIn("btcusdc")).toBe(2);
    rig.bot.command({ command: "stop", reason: "the test is over" });
    await clock.runFor(20_000);
    expect(rig.bot.phase).toBe("stopped");
    expect(openIn("btcusdc")).toBe(0);
  });
});

describe("what a strategy is handed", () => {
  it("cannot be changed by it for the bot: not the market's grid, its random numbers, nor its views", async () => {
    const tried: string[] = [];
    const attempt = (what: string, change: () => void): void => {
      try {
        change();
      } catch {
        tried.push(what);
      }
    };
    const { placedLots, openIn } = await twoMarkets(
      defineStrategy({
        params: z.object({}),
        create: (_params, context) => (view$) =>
          new Observable<Intent>((subscriber) =>
            view$.subscribe((view) => {
              const intent = goodIntent(view);
              attempt("the grid", () =>
                Object.assign(view.instrument, { tickQuote: 1, paperPerLot: 1n }),
              );
              attempt("its random numbers", () =>
                Object.assign(context.random, { uint64: () => 1n }),
              );
              attempt("its context", () => Object.assign(context, { marketId: "ethusdc" }));
              attempt("its view", () => Object.assign(view, { sequence: 1e9 }));
              attempt("a level", () => Object.assign(view.bids[0], { ticks: 1, lots: 1 }));
              subscriber.next(intent as unknown as Intent);
            }),
          ),
      }),
    );
    expect(new Set(tried)).toEqual(
      new Set(["the grid", "its random numbers", "its context", "its view", "a level"]),
    );
    expect(placedLots("btcusdc")).toEqual(new Set([GOOD_LOTS]));
    expect(openIn("btcusdc")).toBe(2);
  });

  it("is told by name where the schema of its parameters throws what is no error", () => {
    const throwing = defineStrategy({
      params: z.object({
        size: z.number().refine(() => {
          throw Object.create(null);
        }),
      }),
      create: () => (view$) => view$ as never,
    });
    expect(() => throwing.bind({ size: 1 }, { at: ["markets", "btcusdc", "params"] })).toThrow(
      "markets.btcusdc.params: the schema of the parameters failed: it threw a value that has no text",
    );
  });

  it("does not hand on a change of its parameters to the file's, nor to another market's", () => {
    const written = { list: [1, 2], deep: { size: 1 } };
    const greedy = defineStrategy({
      params: z.any(),
      create: (params: typeof written) => {
        params.list.length = 0;
        params.deep.size = 99;
        return (view$) => view$ as never;
      },
    });
    greedy.bind(written)({} as never);
    expect(written).toEqual({ list: [1, 2], deep: { size: 1 } });
  });
});
