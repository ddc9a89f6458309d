import type { Runtime, Timer } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import type { FlowAgent } from "#simulator/flow-agent.js";
import type { FlowMarket, OrderFlow } from "#simulator/flow-market.js";
import { InformedTaker } from "#simulator/informed-taker.js";
import { LiquidityProvider } from "#simulator/liquidity-provider.js";
import { MomentumTaker } from "#simulator/momentum-taker.js";
import { NoiseTaker } from "#simulator/noise-taker.js";
import type { SyntheticParams } from "#simulator/synthetic-params.js";
import { TouchMaker } from "#simulator/touch-maker.js";
import type { CapturedPrice } from "./captured-price.js";

/** Options of a {@link LaggingFlow}. */
export interface LaggingOptions {
  readonly params: SyntheticParams;
  readonly seed: string;
  readonly price: CapturedPrice;
  /** Time by which the makers know the captured price later than the informed taker. */
  readonly lagMs: Ms;
}

interface Scheduled {
  readonly agent: FlowAgent;
  readonly lagMs: Ms;
  dueMs: Ms;
}

/**
 * The agents of the flow `synthetic` around a recorded price. The makers quote around the price of
 * some time ago, so the exchange's book follows it late. The informed taker knows it at once and
 * takes what is stale. Index and mark are the makers' price: the exchange knows no other.
 */
export class LaggingFlow implements OrderFlow {
  readonly #options: LaggingOptions;
  readonly #scheduled: readonly Scheduled[];
  #timer: Timer | undefined;
  #referenceDueMs = 0;
  #startedMs = 0;

  constructor(options: LaggingOptions) {
    this.#options = options;
    const { params, seed, lagMs } = options;
    const drawn = (name: string) => seededRandom(`${seed}/${name}`);
    const makers: FlowAgent[] = Array.from(
      { length: params.providers.count },
      (_, at) => new LiquidityProvider(params.providers, at + 1, drawn(`provider-${at + 1}`)),
    );
    if (params.touch.levels > 0) makers.push(new TouchMaker(params.touch, drawn("touch")));
    const takers: FlowAgent[] = [
      new NoiseTaker(params.noise, drawn("noise")),
      new MomentumTaker(params.momentum, drawn("momentum")),
    ];
    const informed = new InformedTaker(params.informed, drawn("informed"));
    this.#scheduled = [
      ...[...makers, ...takers].map((agent) => ({ agent, lagMs, dueMs: Number.POSITIVE_INFINITY })),
      { agent: informed, lagMs: 0, dueMs: Number.POSITIVE_INFINITY },
    ];
  }

  start(market: FlowMarket, runtime: Runtime): void {
    this.#startedMs = runtime.clock.monotonicMs();
    this.#refer(market, 0);
    for (const scheduled of this.#scheduled)
      scheduled.dueMs = scheduled.agent.open(this.#view(market, scheduled, 0));
    this.#sleep(market, runtime);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #act(market: FlowMarket, runtime: Runtime): void {
    const elapsedMs = runtime.clock.monotonicMs() - this.#startedMs;
    if (this.#referenceDueMs <= elapsedMs) this.#refer(market, elapsedMs);
    for (const scheduled of this.#scheduled)
      if (scheduled.dueMs <= elapsedMs)
        scheduled.dueMs = elapsedMs + scheduled.agent.act(this.#view(market, scheduled, elapsedMs));
    this.#sleep(market, runtime);
  }

  #sleep(market: FlowMarket, runtime: Runtime): void {
    const dueMs = Math.min(this.#referenceDueMs, ...this.#scheduled.map((one) => one.dueMs));
    const elapsedMs = runtime.clock.monotonicMs() - this.#startedMs;
    const waitMs = Math.max(1, Math.ceil(dueMs - elapsedMs));
    this.#timer = runtime.clock.setTimer(waitMs, () => this.#act(market, runtime));
  }

  #refer(market: FlowMarket, elapsedMs: Ms): void {
    const { price, lagMs, params } = this.#options;
    const ticks = price.midAt(elapsedMs - lagMs) / market.instrument.tickQuote;
    market.setReference(ticks, ticks);
    this.#referenceDueMs = elapsedMs + params.referenceEveryMs;
  }

  #view(market: FlowMarket, { lagMs }: Scheduled, elapsedMs: Ms) {
    const fundamental = this.#options.price.midAt(elapsedMs - lagMs);
    return { market, fundamentalTicks: fundamental / market.instrument.tickQuote };
  }
}
