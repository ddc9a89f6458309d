import type { Timer } from "../../../../core/runtime/runtime.js";
import type { Side, Ticks } from "../../../../core/units.js";
import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { Market } from "../../../markets/market.js";
import type { DepthFollower } from "../../../markets/published-depth.js";
import { usdmPrice, usdmQuantity } from "../records/usdm-decimals.js";
import { usdmLevels } from "../records/usdm-market-records.js";
import type { UsdmLevel } from "../records/usdm-market-wire.js";
import { symbolOf } from "../usdm-symbols.js";

/** Terms of a depth stream. */
export interface UsdmDepthTerms {
  readonly intervalMs: number;
  /** The number of levels of each side in every message; null for the changes of all levels. */
  readonly levels: number | null;
}

/**
 * A depth stream of a market: after each interval with a change one message, `u` the book's
 * sequence at its end and `pu` that of the message before. The sequence is that of
 * `lastUpdateId` in the REST snapshot.
 */
export class UsdmDepthStream implements DepthFollower {
  readonly #state: ExchangeState;
  readonly #market: Market;
  readonly #terms: UsdmDepthTerms;
  readonly #publish: (text: string) => void;
  readonly #changed: Record<Side, Set<Ticks>> = { BUY: new Set(), SELL: new Set() };
  #publishedSequence: number;
  #timer: Timer | null = null;

  constructor(
    state: ExchangeState,
    market: Market,
    terms: UsdmDepthTerms,
    publish: (text: string) => void,
  ) {
    this.#state = state;
    this.#market = market;
    this.#terms = terms;
    this.#publish = publish;
    this.#publishedSequence = market.depth.sequence;
    market.depth.follow(this);
  }

  onLevel(side: Side, ticks: Ticks): void {
    if (this.#terms.levels === null) this.#changed[side].add(ticks);
    this.#timer ??= this.#state.runtime.clock.setTimer(this.#terms.intervalMs, () => {
      this.#timer = null;
      this.#send();
    });
  }

  stop(): void {
    this.#market.depth.unfollow(this);
    this.#timer?.cancel();
    this.#timer = null;
  }

  #send(): void {
    const { sequence } = this.#market.depth;
    const nowMs = this.#state.nowMs();
    const message = {
      e: "depthUpdate",
      E: nowMs,
      T: nowMs,
      s: symbolOf(this.#market),
      // Begins with the step before, so that `U <= lastUpdateId <= u`, which clients wait for after
      // a snapshot, holds for the next message of a quiet book too.
      U: this.#publishedSequence,
      u: sequence,
      pu: this.#publishedSequence,
      b: this.#levels("BUY"),
      a: this.#levels("SELL"),
    };
    this.#publishedSequence = sequence;
    this.#publish(JSON.stringify(message));
  }

  #levels(side: Side): UsdmLevel[] {
    const { levels } = this.#terms;
    if (levels !== null) return usdmLevels(this.#market, side, levels);
    const { engine, instrument } = this.#market;
    const changed = [...this.#changed[side]].map(
      (ticks): UsdmLevel => [
        usdmPrice(instrument, ticks),
        usdmQuantity(instrument, engine.lotsAt(side, ticks)),
      ],
    );
    this.#changed[side].clear();
    return changed;
  }
}
