import { StrategySession } from "../bot/strategy/strategy-session.js";
import { ConfigError, RunError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import { createRxScheduler } from "../core/runtime/rx-scheduler.js";
import { seededRandom } from "../core/runtime/seeded-random.js";
import { VirtualClock } from "../core/runtime/virtual-clock.js";
import type { Ms, Side } from "../core/units.js";
import type { MarketView } from "../market/view.js";
import { checkIntent } from "../risk/check-intent.js";
import type { Intent } from "../strategies/intent.js";
import type { Strategy, StrategyContext } from "../strategies/strategy.js";
import { makeView, type PlainView, TEST_START_MS } from "./make-view.js";
import { TEST_INSTRUMENT } from "./test-instrument.js";

/** Options of {@link testStrategy}. */
export interface TestStrategyOptions {
  /** As under `params` of a bot's file. */
  readonly params: unknown;
  /** {@link TEST_INSTRUMENT} if absent. */
  readonly instrument?: Instrument;
  /** Of `context.random`; `1` if absent. */
  readonly seed?: string | number;
  /** Virtual time at the start, milliseconds since 1970; {@link TEST_START_MS} if absent. */
  readonly startMs?: Ms;
  /** Basis points; 0 if absent. Below zero is a rebate. */
  readonly makerFeeBps?: number;
  /** Largest order that the exchange accepts, in base; a million lots if absent. */
  readonly maxOrderBase?: number;
}

/** An intent that a strategy emitted. */
export interface EmittedIntent {
  /** Virtual time, milliseconds since 1970. */
  readonly timeMs: Ms;
  /** Number of the newest view that the strategy had received. */
  readonly afterView: number;
  /** As the strategy emitted it; the bot's frozen copy of it if it was accepted. */
  readonly intent: Intent;
  /** Why a bot would refuse it: a price off the tick, crossed quotes. Undefined if accepted. */
  readonly refusal: IntentRefusal | undefined;
}

/** Why a bot would refuse an intent. */
export interface IntentRefusal {
  readonly why: string;
  /** True for a value of the wrong type, such as NaN: a bot then halts the market. */
  readonly isBroken: boolean;
}

/** A quote in plain numbers. */
export interface PlainQuote {
  readonly side: Side;
  /** From 0, the innermost. */
  readonly level: number;
  /** Quote per base unit. */
  readonly price: number;
  readonly sizeBase: number;
}

const MOST_LOTS = 1_000_000;
const MOST_TICKS = 2 ** 31 - 1;

/** A strategy that runs in virtual time on views that a test pushes. */
export class StrategyHarness {
  /** Every intent so far, refused ones included. */
  readonly emitted: EmittedIntent[] = [];
  /** The context that the strategy got. */
  readonly context: StrategyContext;
  readonly #strategy: Strategy;
  readonly #clock: VirtualClock;
  readonly #session: StrategySession;
  readonly #maxLots: number;
  #sequence = -1;
  #view: MarketView | undefined;
  #accepted: Intent | undefined;
  #failure: RunError | undefined;

  /** Starts the strategy. @throws ConfigError for parameters that it does not accept */
  constructor(strategy: Strategy, options: TestStrategyOptions) {
    const { instrument = TEST_INSTRUMENT, seed = 1, startMs = TEST_START_MS } = options;
    const { makerFeeBps = 0, maxOrderBase } = options;
    this.#strategy = strategy;
    this.#clock = new VirtualClock(startMs);
    this.#maxLots =
      maxOrderBase === undefined ? MOST_LOTS : Math.floor(maxOrderBase / instrument.lotBase + 1e-9);
    this.context = Object.freeze({
      marketId: instrument.marketId,
      instrument,
      scheduler: createRxScheduler(this.#clock),
      random: Object.freeze(seededRandom(seed)),
      makerFeeBps: () => makerFeeBps,
    });
    this.#session = new StrategySession({
      marketId: instrument.marketId,
      strategy: strategy.bind(options.params, { at: ["params"] }),
      context: this.context,
    });
    this.#start();
  }

  /** Virtual time, milliseconds since 1970. */
  get timeMs(): Ms {
    return this.#clock.nowMs();
  }

  /**
   * Returns the intent in force: the newest that a bot would accept. Undefined before the first.
   * A method, so that the compiler does not take one assertion on it to hold for the next.
   */
  intent(): Intent | undefined {
    return this.#accepted;
  }

  /** The quotes in force in plain numbers; none before the first intent, or with a target. */
  get quotes(): readonly PlainQuote[] {
    if (this.#accepted?.kind !== "quotes") return [];
    const { instrument } = this.context;
    return this.#accepted.quotes.map(({ side, level, ticks, lots }) => ({
      side,
      level,
      price: Number(instrument.formatPrice(ticks)),
      sizeBase: Number(instrument.formatAmount(lots)),
    }));
  }

  /** Returns the failure that ended the strategy; undefined while it runs. */
  failure(): RunError | undefined {
    return this.#failure;
  }

  /**
   * Gives the strategy a view: plain numbers as they are now, or a view as it was recorded.
   * @returns the intents that it emitted at once
   * @throws RunError if the strategy throws, or has ended; ConfigError as {@link makeView} does
   */
  push(view: PlainView | MarketView): readonly EmittedIntent[] {
    this.#requireRunning();
    const before = this.emitted.length;
    const next =
      "sequence" in view
        ? view
        : makeView(view, {
            instrument: this.context.instrument,
            timeMs: this.timeMs,
            sequence: this.#sequence + 1,
          });
    if (!(next.sequence > this.#sequence))
      throw new ConfigError("is not after the previous view", {
        field: "sequence",
        value: next.sequence,
        expected: `a number above ${this.#sequence}`,
      });
    this.#sequence = next.sequence;
    this.#view = next;
    this.#session.emitView(next);
    this.#requireRunning();
    return this.emitted.slice(before);
  }

  /**
   * Lets virtual time pass: timers of `context.scheduler` fire, and promises run.
   * @returns the intents that the strategy emitted meanwhile
   * @throws RunError if the strategy throws, or has ended
   */
  async advance(durationMs: Ms): Promise<readonly EmittedIntent[]> {
    this.#requireRunning();
    const before = this.emitted.length;
    await this.#clock.runFor(durationMs);
    this.#requireRunning();
    return this.emitted.slice(before);
  }

  /**
   * Gives recorded views, each at its own time.
   * @returns the intents that the strategy emitted meanwhile
   * @throws RunError if the strategy throws, or ends
   */
  async play(views: Iterable<MarketView>): Promise<readonly EmittedIntent[]> {
    const before = this.emitted.length;
    for (const view of views) {
      await this.#clock.runUntil(view.timeMs);
      this.push(view);
    }
    await this.#clock.runFor(0);
    this.#requireRunning();
    return this.emitted.slice(before);
  }

  /**
   * Changes the parameters as `marketwright set` does: a strategy that follows them goes on, any
   * other is started again. The newest view is then given again, with the cause `params`.
   * @throws ConfigError for parameters that the strategy does not accept
   */
  setParams(params: unknown): readonly EmittedIntent[] {
    this.#requireRunning();
    if (!this.#session.update(this.#strategy.bind(params, { at: ["params"] }))) {
      this.#session.stop();
      this.#start();
    }
    this.#requireRunning();
    if (this.#view === undefined) return [];
    const sequence = this.#sequence + 1;
    const { timeMs } = this;
    return this.push(Object.freeze({ ...this.#view, sequence, timeMs, cause: "params" as const }));
  }

  /** Unsubscribes from the strategy. */
  stop(): void {
    this.#session.stop();
  }

  #start(): void {
    this.#session.start({
      emitted: (_marketId, intent) => this.#take(intent),
      ended: (_marketId, why, error) => {
        this.#failure ??= new RunError(why, error === undefined ? {} : { cause: error.thrown });
      },
    });
    this.#requireRunning();
  }

  #take(given: Intent): void {
    const { instrument, marketId } = this.context;
    const verdict = checkIntent(given, {
      marketId,
      rules: { minTicks: 1, maxTicks: MOST_TICKS, minLots: 1, maxLots: this.#maxLots },
      newestViewSequence: this.#sequence,
      lastAcceptedViewSequence: this.#accepted?.viewSequence ?? -1,
      positionLots: this.#view?.positionLots ?? 0,
      amountOf: (lots) => instrument.formatAmount(lots),
    });
    if (verdict.accepted) this.#accepted = verdict.intent;
    const { accepted } = verdict;
    this.emitted.push({
      timeMs: this.timeMs,
      afterView: this.#sequence,
      intent: accepted ? verdict.intent : given,
      refusal: accepted ? undefined : { why: verdict.why, isBroken: verdict.isBroken },
    });
  }

  #requireRunning(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/**
 * Runs a strategy in virtual time, on views that a test pushes.
 * @throws ConfigError for parameters that it does not accept; RunError if it throws at its start
 * @example
 * ```ts
 * import { defineStrategy, quoteAround } from "marketwright";
 * import { testStrategy } from "marketwright/testing";
 * import { map } from "rxjs";
 * import { z } from "zod";
 *
 * const strategy = defineStrategy({
 *   params: z.object({ halfSpreadBps: z.number().positive(), sizeBase: z.number().positive() }),
 *   create:
 *     ({ halfSpreadBps, sizeBase }) =>
 *     (view$) =>
 *       view$.pipe(map((view) => quoteAround(view, view.midTicks, { halfSpreadBps, sizeBase }))),
 * });
 * const harness = testStrategy(strategy, { params: { halfSpreadBps: 5, sizeBase: 0.02 } });
 * harness.push({ bids: [[59_999.9, 1]], asks: [[60_000.1, 1]] });
 * harness.quotes[0]; // => ({ side: "BUY", level: 0, price: 59_970, sizeBase: 0.02 })
 * await harness.advance(250);
 * harness.push({ bids: [[59_999.9, 1]], asks: [[60_000.1, 1]], positionBase: 1 });
 * harness.quotes.map(({ side }) => side); // => ["SELL"]
 * testStrategy(strategy, { params: { halfSpreadBps: -5, sizeBase: 0.02 } }); // throws ConfigError
 * ```
 */
export function testStrategy(strategy: Strategy, options: TestStrategyOptions): StrategyHarness {
  return new StrategyHarness(strategy, options);
}
