import { ConfigError, RunError } from "../../core/errors.js";
import type { Random, Runtime, Timer } from "../../core/runtime/runtime.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { Ms } from "../../core/units.js";
import type { AgentView, FlowAgent } from "./agents/flow-agent.js";
import { FundamentalPrice } from "./agents/fundamental.js";
import { InformedTaker } from "./agents/informed-taker.js";
import { LiquidityProvider } from "./agents/liquidity-provider.js";
import { MomentumTaker } from "./agents/momentum-taker.js";
import { NoiseTaker } from "./agents/noise-taker.js";
import { TouchMaker } from "./agents/touch-maker.js";
import type { FlowMarket, OrderFlow } from "./flow-market.js";
import type { SyntheticParams } from "./synthetic-params.js";

/** Options of a synthetic flow. */
export interface SyntheticOptions {
  readonly params: SyntheticParams;
  /**
   * The seed of everything: the same seed and the same participants' orders at the same instants
   * give the same market.
   */
  readonly seed: string;
  /** Quote per base at the start. */
  readonly startPriceQuote: number;
  /**
   * Creates the randomness of one part of the market, by its name. Default: seeded by the market's
   * seed and that name.
   */
  readonly createRandom?: ((name: string) => Random) | undefined;
  /**
   * Time since the start of the price: a flow that continues after a restart of its exchange has
   * the price that it would have had without. Default 0.
   */
  readonly elapsedMs?: Ms;
}

/** An agent with the instant of its next act, in milliseconds since the flow's start. */
interface Scheduled {
  readonly agent: FlowAgent;
  dueMs: number;
}

/**
 * The flow `synthetic`: seeded agents of four kinds trade around a latent fundamental price. The
 * market's index is that price less a constant basis, its mark that price with a bounded premium.
 * It runs on the monotonic clock with one timer, so that a stepped wall clock neither stalls nor
 * floods the market.
 */
export class SyntheticFlow implements OrderFlow {
  readonly #options: SyntheticOptions;
  readonly #scheduled: readonly Scheduled[];
  #run:
    | {
        readonly market: FlowMarket;
        readonly runtime: Runtime;
        readonly startedAt: number;
        readonly fundamental: FundamentalPrice;
      }
    | undefined;
  #timer: Timer | undefined;
  #referenceDueMs = 0;

  /** @throws ConfigError when the start price is not a positive number. */
  constructor(options: SyntheticOptions) {
    if (!(Number.isFinite(options.startPriceQuote) && options.startPriceQuote > 0)) {
      throw new ConfigError("is not a price", {
        field: "startPriceQuote",
        value: options.startPriceQuote,
        expected: "a positive number",
      });
    }
    this.#options = options;
    const { params } = options;
    const drawn = (name: string): Random => this.#drawn(name);
    const providers = [...Array(params.providers.count).keys()].map(
      (index) => new LiquidityProvider(params.providers, index + 1, drawn(`provider-${index + 1}`)),
    );
    const agents: FlowAgent[] = [
      ...providers,
      ...(params.touch.levels > 0 ? [new TouchMaker(params.touch, drawn("touch"))] : []),
      new NoiseTaker(params.noise, drawn("noise")),
      new MomentumTaker(params.momentum, drawn("momentum")),
      new InformedTaker(params.informed, drawn("informed")),
    ];
    this.#scheduled = agents.map((agent) => ({ agent, dueMs: Number.POSITIVE_INFINITY }));
  }

  /**
   * Places the opening book and the first reference at once.
   * @throws RunError when started twice.
   */
  start(market: FlowMarket, runtime: Runtime): void {
    if (this.#run !== undefined)
      throw new RunError("an order flow can be started only once", { field: market.marketId });
    const { params, startPriceQuote, elapsedMs = 0 } = this.#options;
    const fundamental = new FundamentalPrice(
      (name) => this.#drawn(name),
      params.fundamental,
      startPriceQuote,
      0,
      params.shocks,
    );
    fundamental.advanceTo(elapsedMs);
    const startedAt = runtime.clock.monotonicMs() - elapsedMs;
    this.#run = { market, runtime, startedAt, fundamental };
    this.#refer(elapsedMs);
    const view = this.#view(market, fundamental);
    for (const scheduled of this.#scheduled)
      scheduled.dueMs = elapsedMs + scheduled.agent.open(view);
    this.#sleep();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#run = undefined;
    for (const scheduled of this.#scheduled) scheduled.dueMs = Number.POSITIVE_INFINITY;
  }

  #drawn(name: string): Random {
    const { seed, createRandom } = this.#options;
    return createRandom?.(name) ?? seededRandom(`${seed}/${name}`);
  }

  #actDue(): void {
    const run = this.#run;
    if (run === undefined) return;
    const elapsedMs = run.runtime.clock.monotonicMs() - run.startedAt;
    run.fundamental.advanceTo(elapsedMs);
    if (this.#referenceDueMs <= elapsedMs) this.#refer(elapsedMs);
    const view = this.#view(run.market, run.fundamental);
    for (const scheduled of this.#scheduled) {
      if (scheduled.dueMs > elapsedMs) continue;
      // From now, not from the due time: after a stall each agent acts once and does not make up
      // for lost time.
      scheduled.dueMs = elapsedMs + scheduled.agent.act(view);
      if (this.#run === undefined) return;
    }
    this.#sleep();
  }

  #sleep(): void {
    const run = this.#run;
    if (run === undefined) return;
    const dueMs = Math.min(
      this.#referenceDueMs,
      ...this.#scheduled.map((scheduled) => scheduled.dueMs),
    );
    const waitMs = Math.max(
      1,
      Math.ceil(dueMs - (run.runtime.clock.monotonicMs() - run.startedAt)),
    );
    this.#timer = run.runtime.clock.setTimer(waitMs, () => this.#actDue());
  }

  #refer(elapsedMs: number): void {
    const run = this.#run;
    if (run === undefined) return;
    const { tickQuote } = run.market.instrument;
    run.market.setReference(
      run.fundamental.indexPrice / tickQuote,
      run.fundamental.markPrice / tickQuote,
    );
    this.#referenceDueMs = elapsedMs + this.#options.params.referenceEveryMs;
  }

  #view(market: FlowMarket, fundamental: FundamentalPrice): AgentView {
    return { market, fundamentalTicks: fundamental.price / market.instrument.tickQuote };
  }
}
