import type { BotConfig } from "../../bot/config/config.js";
import { usedSourceNames } from "../../bot/market/used-reference.js";
import type { Clock } from "../../core/runtime/runtime.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { ReferenceUpdate } from "../../reference/reference-update.js";
import { SimulatedSource } from "../../simulation/simulated-source.js";
import { isSimulatedSource } from "../rehearsed-faults-for.js";

const LEAST_EVERY_MS: Ms = 80;
const MOST_EVERY_MS: Ms = 250;
const LEAST_LATENCY_MS: Ms = 5;
const MOST_LATENCY_MS: Ms = 80;
const HALF_SPREAD_BPS = 0.5;

/** Dependencies of {@link PriceSources}. */
export interface PriceSourcesDeps {
  readonly bot: BotConfig;
  readonly seed: number;
  readonly clock: Clock;
  /** The true price of a market, in quote for one base. */
  readonly quoteOf: (marketId: MarketId) => number;
  readonly deliver: (update: ReferenceUpdate) => void;
}

/** The sources of reference prices of a bot's file, each with its own lag behind the true price. */
export class PriceSources {
  readonly sources: readonly SimulatedSource[];
  readonly #bot: BotConfig;
  readonly #clock: Clock;
  /** When each source last sent a price that it did not merely repeat. */
  readonly #freshMs = new Map<string, number>();

  constructor({ bot, seed, clock, quoteOf, deliver }: PriceSourcesDeps) {
    this.#bot = bot;
    this.#clock = clock;
    this.sources = usedSourceNames(bot)
      .filter((name) => isSimulatedSource(bot, name))
      .map((name) => {
        const random = seededRandom(`rehearsal source ${name} ${seed}`);
        const market = Object.keys(bot.markets).find((id) => usesPrice(bot, id, name));
        const { multiplier = 1, pollMs } = bot.references?.[name] ?? {};
        const source: SimulatedSource = new SimulatedSource(
          {
            name,
            weight: 1,
            multiplier,
            offsetBps: 0,
            halfSpreadBps: HALF_SPREAD_BPS,
            everyMs: pollMs ?? LEAST_EVERY_MS + random.uniform() * (MOST_EVERY_MS - LEAST_EVERY_MS),
            latencyMs: LEAST_LATENCY_MS + random.uniform() * (MOST_LATENCY_MS - LEAST_LATENCY_MS),
            hasOwnTime: true,
          },
          {
            clock,
            random,
            // The rate between two quote assets, where a hedge needs one, stays 1.
            truePrice: () => (market === undefined ? 1 : quoteOf(market)),
            deliver: ({ update }) => {
              if (!source.faults.isFrozen) this.#freshMs.set(name, clock.monotonicMs());
              deliver(update);
            },
          },
        );
        return source;
      });
  }

  start(): void {
    for (const source of this.sources) {
      this.#freshMs.set(source.traits.name, this.#clock.monotonicMs());
      source.start();
    }
  }

  /**
   * Time since the market's sources, as many as its reference needs, have sent a price of their
   * own; undefined for a market without a simulated reference.
   */
  silentMs(marketId: MarketId): Ms | undefined {
    const { reference } = this.#bot.markets[marketId] ?? {};
    if (reference === undefined) return undefined;
    const names = reference.from.map((one) => (typeof one === "string" ? one : one.source));
    if (names.some((name) => !isSimulatedSource(this.#bot, name))) return undefined;
    const needed = reference.minSources ?? Math.min(2, names.length);
    const freshest = names.map((name) => this.#freshMs.get(name) ?? 0).sort((a, b) => b - a);
    return this.#clock.monotonicMs() - (freshest[needed - 1] as number);
  }
}

function usesPrice({ markets }: BotConfig, marketId: MarketId, name: string): boolean {
  const from = markets[marketId]?.reference?.from ?? [];
  return from.some((one) => (typeof one === "string" ? one : one.source) === name);
}
