import type { Ms } from "../core/units.js";
import { BasisEstimator, type BasisOptions } from "./basis-estimator.js";
import { type Combination, combinePrices } from "./combine-prices.js";
import type {
  ReferenceReading,
  ReferenceSnapshot,
  ReferenceState,
  SourceReading,
} from "./reference-snapshot.js";
import type { ReferenceUpdate } from "./reference-update.js";

/** A source of a market's reference price. */
export interface ReferenceSource {
  /** Its name in `references`. */
  readonly source: string;
  /** Its weight in the combined price, above 0. */
  readonly weight: number;
  /** Oldest price that counts. */
  readonly maxAgeMs: Ms;
  /** Factor from its price to one base unit of the market; 1 for the same unit. */
  readonly multiplier: number;
}

/** Settings of one market's reference price. */
export interface MarketReferenceOptions {
  readonly sources: readonly ReferenceSource[];
  readonly combine: Combination;
  /** Largest distance of two sources, or of one from the median of three or more. */
  readonly maxDeviationBps: number;
  /** Largest distance of the price, with its basis, from the market's own mid. */
  readonly maxFromMidBps: number;
  /** Fewest sources that have to count. */
  readonly minSources: number;
  /** Without it, the basis is 0. */
  readonly basis?: BasisOptions | undefined;
}

/**
 * A source whose clock is further ahead sends no times: seconds for milliseconds, or another zone.
 * Its own time would never show that a price is old.
 */
const MOST_AHEAD_MS: Ms = 10_000;

/** The clocks at which a reference price is read. */
export interface ReferenceInstant {
  /** Monotonic clock. */
  readonly monotonicMs: Ms;
  /** Exchange time as the bot estimates it. */
  readonly exchangeMs: Ms;
}

/**
 * The reference price of one market: the newest price of each source, those that count, and the
 * basis. A price is as old as the later of two facts says: when it was received, and its own time.
 * So a source that reconnects and sends an old price does not count, nor does one whose clock is
 * behind.
 */
export class MarketReference {
  readonly #options: MarketReferenceOptions;
  readonly #tickQuote: number;
  readonly #sources: readonly SourceState[];
  readonly #basis: BasisEstimator | undefined;
  #state: ReferenceState = "starting";
  #priceTicks = Number.NaN;
  /** The price of enough sources that agree, however far from the market's mid. */
  #combinedTicks = Number.NaN;
  #isFar = false;
  /** The monotonic time until which the state lasts without an update. */
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #isBasisFrozen = true;
  #isChanged = true;
  #hasBeenGood = false;
  /** The market's mid without the bot's own orders; NaN while its book is not good. */
  #midTicks = Number.NaN;

  /** @param tickQuote quote units of one tick of the market */
  constructor(options: MarketReferenceOptions, tickQuote: number) {
    this.#options = options;
    this.#tickQuote = tickQuote;
    this.#sources = options.sources.map(
      (source) => new SourceState(source, options.maxDeviationBps),
    );
    this.#basis = options.basis === undefined ? undefined : new BasisEstimator(options.basis);
  }

  /**
   * Applies a message. Messages of other sources are ignored.
   * @returns true if it is one of this market's sources
   */
  note(update: ReferenceUpdate, nowMs: Ms): boolean {
    let isOurs = false;
    for (const source of this.#sources) {
      if (source.options.source !== update.source) continue;
      source.note(update, nowMs);
      isOurs = true;
    }
    if (isOurs) this.#isChanged = true;
    return isOurs;
  }

  /** The state now. Cheap if nothing has arrived, and no price has become too old. */
  state(now: ReferenceInstant): ReferenceState {
    if (this.#isChanged || now.monotonicMs > this.#validUntilMs) this.#combine(now);
    return this.#state;
  }

  /**
   * Observes the market's mid beside the reference, for the basis.
   * @param netMidTicks without the bot's own orders; undefined while the book cannot be trusted
   */
  observeMid(netMidTicks: number | undefined, now: ReferenceInstant): void {
    this.#midTicks = netMidTicks ?? Number.NaN;
    if (this.#isFarFromMid() !== this.#isFar) this.#isChanged = true;
    const isGood = this.state(now) === "good" && netMidTicks !== undefined;
    this.#isBasisFrozen = !isGood;
    if (isGood) this.#basis?.observe(netMidTicks, this.#priceTicks, now.monotonicMs);
    else this.#basis?.freeze(now.monotonicMs);
  }

  /** The price plus the basis in fractional ticks; NaN unless the newest state is good. */
  get fairTicks(): number {
    return this.#priceTicks * (1 + this.basisBps / 10_000);
  }

  /** The basis in basis points of the reference. */
  get basisBps(): number {
    return this.#basis?.bps ?? 0;
  }

  /** The price for a view. */
  price(now: ReferenceInstant): ReferenceSnapshot {
    this.state(now);
    const counting = this.#sources.filter(({ counts }) => counts);
    return Object.freeze({
      priceTicks: this.#priceTicks,
      fairTicks: this.fairTicks,
      ageMs: this.#state === "good" ? Math.max(...counting.map((one) => one.age(now))) : Number.NaN,
      basisBps: this.basisBps,
      sources: Object.freeze(counting.map(({ options }) => options.source)),
    });
  }

  /** Everything that is known, for people. */
  reading(now: ReferenceInstant): ReferenceReading {
    const price = this.price(now);
    return {
      ...price,
      state: this.#state,
      why: this.#why(now),
      isBasisFrozen: this.#isBasisFrozen,
      readings: this.#sources.map((source) => this.#sourceReading(source, now)),
    };
  }

  #combine(now: ReferenceInstant): void {
    const { combine, maxDeviationBps, minSources } = this.#options;
    this.#isChanged = false;
    const usable = this.#sources.filter((source) => source.faultAt(now) === undefined);
    const combined = combinePrices(
      usable.map(({ mid, options }) => ({ price: mid, weight: options.weight })),
      combine,
      maxDeviationBps,
    );
    for (const source of this.#sources) source.counts = false;
    usable.forEach((source, at) => {
      source.counts = combined.counts[at];
    });
    const count = combined.counts.filter((counts) => counts).length;
    if (combined.isDisagreeing) this.#state = "disagreeing";
    else if (count >= minSources) this.#state = "good";
    else this.#state = this.#hasBeenGood ? "stale" : "starting";
    this.#combinedTicks = this.#state === "good" ? combined.price / this.#tickQuote : Number.NaN;
    this.#isFar = this.#isFarFromMid();
    if (this.#isFar) {
      this.#state = "disagreeing";
      for (const source of this.#sources) source.counts = false;
    }
    this.#hasBeenGood ||= this.#state === "good";
    this.#priceTicks = this.#state === "good" ? this.#combinedTicks : Number.NaN;
    this.#validUntilMs = Math.min(...usable.map((source) => source.goodUntilMs(now)));
  }

  /** True if the combined price is too far from the market's mid; false without either. */
  #isFarFromMid(): boolean {
    return this.#fromMidBps() > this.#options.maxFromMidBps;
  }

  #fromMidBps(): number {
    const fairTicks = this.#combinedTicks * (1 + this.basisBps / 10_000);
    return (10_000 * Math.abs(fairTicks - this.#midTicks)) / this.#midTicks;
  }

  #why(now: ReferenceInstant): string | undefined {
    const { minSources, maxDeviationBps } = this.#options;
    if (this.#state === "good") return undefined;
    const usable = this.#sources.filter((source) => source.faultAt(now) === undefined);
    if (this.#isFar) {
      const [price, mid] = [this.#combinedTicks, this.#midTicks].map((ticks) =>
        Number((ticks * this.#tickQuote).toPrecision(9)),
      );
      return `the price ${price} is ${Math.round(this.#fromMidBps())} bps from this exchange's mid ${mid}, allowed ${this.#options.maxFromMidBps} bps: a wrong symbol or multiplier, or one of the two prices is wrong`;
    }
    if (this.#state === "disagreeing") {
      const prices = usable.map(({ mid, options }) => `${options.source} ${mid}`).join(", ");
      return `its sources are more than ${maxDeviationBps} bps apart: ${prices}`;
    }
    const count = this.#sources.filter(({ counts }) => counts).length;
    const leftOut = this.#sources
      .filter(({ counts }) => !counts)
      .map((source) => `${source.options.source} ${this.#leftOut(source, now)}`);
    return `${count} of its sources count, ${minSources} needed: ${leftOut.join("; ")}`;
  }

  #sourceReading(source: SourceState, now: ReferenceInstant): SourceReading {
    const { options, bid, ask, counts } = source;
    return {
      source: options.source,
      weight: options.weight,
      bidTicks: bid / this.#tickQuote,
      askTicks: ask / this.#tickQuote,
      ageMs: source.age(now),
      counts,
      leftOut: counts ? undefined : this.#leftOut(source, now),
    };
  }

  #leftOut(source: SourceState, now: ReferenceInstant): string {
    const fault = source.faultAt(now);
    if (fault !== undefined) return fault;
    if (this.#isFar) return "is too far from this exchange's mid";
    return this.#state === "disagreeing"
      ? "disagrees with the others"
      : `is more than ${this.#options.maxDeviationBps} bps from the median`;
  }
}

/** The newest message of one source. */
class SourceState {
  readonly options: ReferenceSource;
  bid = Number.NaN;
  ask = Number.NaN;
  counts = false;
  #receivedMs = Number.NaN;
  #timeMs: Ms | undefined;
  #downReason: string | undefined;

  readonly #maxHalfSpreadBps: number;

  constructor(options: ReferenceSource, maxHalfSpreadBps: number) {
    this.options = options;
    this.#maxHalfSpreadBps = maxHalfSpreadBps;
  }

  get mid(): number {
    return (this.bid + this.ask) / 2;
  }

  note(update: ReferenceUpdate, nowMs: Ms): void {
    if (update.type === "down") {
      this.#downReason = update.reason;
      return;
    }
    this.#downReason = undefined;
    this.bid = update.bid * this.options.multiplier;
    this.ask = update.ask * this.options.multiplier;
    this.#receivedMs = nowMs - update.heldMs;
    this.#timeMs = update.timeMs;
  }

  /** Age of the newest price: by its reception, or by its own time if that is older. */
  age({ monotonicMs, exchangeMs }: ReferenceInstant): Ms {
    const sinceMs = monotonicMs - this.#receivedMs;
    return this.#timeMs === undefined ? sinceMs : Math.max(sinceMs, exchangeMs - this.#timeMs);
  }

  /** The last monotonic time at which the newest price is not too old. */
  goodUntilMs(now: ReferenceInstant): Ms {
    return now.monotonicMs + this.options.maxAgeMs - this.age(now);
  }

  /** Why its price does not count, as a phrase; undefined if it may. */
  faultAt(now: ReferenceInstant): string | undefined {
    if (this.#downReason !== undefined) return `is down (${this.#downReason})`;
    if (Number.isNaN(this.#receivedMs)) return "has sent no price yet";
    if (!(this.bid > 0) || !(this.ask > 0) || !Number.isFinite(this.mid))
      return "has no price on both sides";
    if (this.bid > this.ask) return `is crossed (bid ${this.bid} above ask ${this.ask})`;
    const halfSpreadBps = (10_000 * (this.ask - this.bid)) / (2 * this.mid);
    // Its mid is known to within half of its spread.
    if (halfSpreadBps > this.#maxHalfSpreadBps)
      return `has a half spread of ${Math.round(halfSpreadBps)} bps, allowed ${this.#maxHalfSpreadBps} bps`;
    const aheadMs = this.#timeMs === undefined ? 0 : this.#timeMs - now.exchangeMs;
    if (aheadMs > MOST_AHEAD_MS)
      return `is ${Math.round(aheadMs)} ms ahead of the exchange's clock, allowed ${MOST_AHEAD_MS} ms`;
    const ageMs = this.age(now);
    const { maxAgeMs } = this.options;
    return ageMs > maxAgeMs ? `is ${Math.round(ageMs)} ms old, allowed ${maxAgeMs} ms` : undefined;
  }
}
