import type { Lots, Ms, Side, Ticks } from "#core/units.js";
import type { Delivery, SourceTraits } from "#simulation/simulated-source.js";
import type { Violation } from "../violation.js";
import type { ReferencePlan } from "./reference-plan.js";

/** Time in which quotes must be gone once the reference price may not be quoted on. */
export const GONE_WITHIN_MS: Ms = 400;
/** Time in which both sides must be quoted once the reference price may be quoted on. */
export const BACK_WITHIN_MS: Ms = 1_000;
/** The bot estimates the exchange's clock to within this. */
const CLOCK_ERROR_MS: Ms = 60;
/** Prices this close to the allowed deviation count as either. */
const DEVIATION_ERROR_BPS = 0.2;
/** Difference of the bot's book and prices from the exchange's own of the same instant. */
const BASIS_ERROR_BPS = 1.5;
const PRICE_ERROR_BPS = 0.05;
/** The bot halts if its machine's wall clock is off by a second. */
const MOST_WALL_ERROR_MS: Ms = 950;
const MOST_VIOLATIONS = 50;

/** A verdict on the reference price at one instant; `unsure` near a bound, where either holds. */
export type Verdict = "good" | "too few" | "disagreeing" | "unsure";

/** The reference price as the bot gave it to its strategy. */
export interface SeenReference {
  readonly priceTicks: number;
  readonly basisBps: number;
}

/** The true time and the exchange's own state. */
export interface OracleDeps {
  nowMs(): Ms;
  /** Quote units of one tick. */
  readonly tickQuote: number;
  /** Mid of the book without the bot's orders, in fractional ticks; undefined without a side. */
  netMidTicks(): number | undefined;
  /** Lots of the bot's open orders by side. */
  openLots(): Readonly<Record<Side, Lots>>;
  /** The wall clock of the bot's machine less the true time. */
  wallErrorMs(): Ms;
}

interface Heard {
  readonly mid: number;
  /** True if it has a bid below or at its ask. */
  readonly isTwoSided: boolean;
  readonly receivedMs: Ms;
  readonly timeMs: Ms | undefined;
}

/**
 * The judge of a run with reference prices. It knows when each source has sent which price, and the
 * exchange's own state. It shares no code with the bot.
 */
export class ReferenceOracle {
  readonly violations: Violation[] = [];
  /** Number of instants with each verdict. */
  readonly verdicts: Record<Verdict, number> = {
    good: 0,
    "too few": 0,
    disagreeing: 0,
    unsure: 0,
  };
  readonly #plan: ReferencePlan;
  readonly #deps: OracleDeps;
  /** Newest price by source; null while its connection is broken. */
  readonly #heard = new Map<string, Heard | null>();
  #forbiddenSinceMs: Ms | undefined;
  #allowedSinceMs: Ms | undefined;
  readonly #quotedAtMs: Record<Side, Ms> = { BUY: Number.NaN, SELL: Number.NaN };
  #hasMissed = false;
  /** Every difference of the exchange from the reference so far. */
  #leastBasisBps = Number.POSITIVE_INFINITY;
  #mostBasisBps = Number.NEGATIVE_INFINITY;

  constructor(plan: ReferencePlan, deps: OracleDeps) {
    this.#plan = plan;
    this.#deps = deps;
  }

  /** A message has reached the bot. */
  delivered({ update, atMs }: Delivery): void {
    const traits = this.#plan.sources.find(({ name }) => name === update.source) as SourceTraits;
    if (update.type === "down") {
      this.#heard.set(traits.name, null);
      return;
    }
    const { bid, ask, heldMs, timeMs } = update;
    this.#heard.set(traits.name, {
      mid: (traits.multiplier * (bid + ask)) / 2 / this.#deps.tickQuote,
      isTwoSided: bid > 0 && ask >= bid,
      receivedMs: atMs - heldMs,
      timeMs,
    });
    if (this.verdict() === "good") this.#observeBasis();
  }

  /** The bot has sent an order. */
  placed(side: Side, ticks: Ticks): void {
    const verdict = this.verdict();
    if (this.#isForbidden(verdict))
      this.#violate(
        "sent",
        `a ${side} at ${ticks} was sent while the reference is ${this.#text()}`,
      );
  }

  /** The bot has asked its strategy with this reference price. */
  asked(seen: SeenReference | undefined): void {
    if (seen === undefined) return;
    const { maxBasisBps } = this.#plan.reference.basis;
    if (!(Math.abs(seen.basisBps) <= maxBasisBps))
      this.#violate("basis", `the basis is ${seen.basisBps} bps, allowed ${maxBasisBps}`);
    this.#observeBasis();
    const error = BASIS_ERROR_BPS;
    if (
      seen.basisBps !== 0 &&
      (seen.basisBps < this.#leastBasisBps - error || seen.basisBps > this.#mostBasisBps + error)
    )
      this.#violate(
        "basis",
        `the basis is ${bps(seen.basisBps)}, the exchange without the bot's orders was ${bps(this.#leastBasisBps)} to ${bps(this.#mostBasisBps)}`,
      );
    if (Number.isNaN(seen.priceTicks)) return;
    const verdict = this.verdict();
    if (verdict === "too few" || verdict === "disagreeing") {
      this.#violate("price", `there is a price while the reference is ${this.#text()}`);
      return;
    }
    if (verdict === "unsure") return;
    const { least, most } = this.#range(DEVIATION_ERROR_BPS);
    const slack = (least * PRICE_ERROR_BPS) / 10_000;
    if (seen.priceTicks < least - slack || seen.priceTicks > most + slack)
      this.#violate(
        "price",
        `the price is ${seen.priceTicks}, the sources that agree say ${least} to ${most}`,
      );
  }

  /** Judges the present instant; call it every few milliseconds. */
  sample(): void {
    const open = this.#deps.openLots();
    const nowMs = this.#deps.nowMs();
    const verdict = this.verdict();
    this.verdicts[verdict] += 1;
    if (verdict === "good") this.#observeBasis();
    for (const side of ["BUY", "SELL"] as const) if (open[side] > 0) this.#quotedAtMs[side] = nowMs;
    this.#forbiddenSinceMs = this.#isForbidden(verdict)
      ? (this.#forbiddenSinceMs ?? nowMs)
      : undefined;
    this.#allowedSinceMs = this.#isAllowed(verdict) ? (this.#allowedSinceMs ?? nowMs) : undefined;
    if (this.#forbiddenSinceMs !== undefined && nowMs - this.#forbiddenSinceMs > GONE_WITHIN_MS)
      for (const side of ["BUY", "SELL"] as const)
        if (open[side] > 0)
          this.#violate(
            "resting",
            `a ${side} rests ${nowMs - this.#forbiddenSinceMs} ms after the reference became ${this.#text()}`,
          );
    if (this.#allowedSinceMs === undefined || nowMs - this.#allowedSinceMs < BACK_WITHIN_MS) {
      this.#hasMissed = false;
      return;
    }
    for (const side of ["BUY", "SELL"] as const) {
      if (this.#hasMissed || nowMs - this.#quotedAtMs[side] <= BACK_WITHIN_MS) continue;
      this.#hasMissed = true;
      this.#violate(
        "back",
        `no ${side} has rested for ${nowMs - this.#quotedAtMs[side]} ms, the reference has been good for ${nowMs - this.#allowedSinceMs} ms`,
      );
    }
  }

  /** The verdict at this instant. */
  verdict(): Verdict {
    const strict = this.#verdictWith(-CLOCK_ERROR_MS, -DEVIATION_ERROR_BPS);
    const isSure =
      strict === this.#verdictWith(CLOCK_ERROR_MS, DEVIATION_ERROR_BPS) &&
      strict === this.#verdictWith(CLOCK_ERROR_MS, -DEVIATION_ERROR_BPS) &&
      strict === this.#verdictWith(-CLOCK_ERROR_MS, DEVIATION_ERROR_BPS);
    return isSure ? strict : "unsure";
  }

  #verdictWith(moreMs: Ms, moreBps: number): Verdict {
    const usable = this.#usable(moreMs);
    const agreeing = this.#agreeing(usable, moreBps);
    if (usable.length > 1 && agreeing.length < 2) return "disagreeing";
    return agreeing.length >= this.#plan.reference.minSources ? "good" : "too few";
  }

  /** Prices that are young enough and have two sides that do not cross. */
  #usable(moreMs: Ms): readonly number[] {
    const nowMs = this.#deps.nowMs();
    const { maxAgeMs } = this.#plan.reference;
    const mids: number[] = [];
    for (const heard of this.#heard.values()) {
      if (heard === null || !heard.isTwoSided || nowMs - heard.receivedMs > maxAgeMs) continue;
      const isOld = heard.timeMs !== undefined && nowMs - heard.timeMs > maxAgeMs + moreMs;
      if (!isOld) mids.push(heard.mid);
    }
    return mids;
  }

  /** Prices that at least one other is near to; of a single one, itself. */
  #agreeing(prices: readonly number[], moreBps: number): readonly number[] {
    const reach = (this.#plan.reference.maxDeviationBps + moreBps) / 10_000;
    return prices.filter(
      (price, at) =>
        prices.length === 1 ||
        prices.some((other, place) => place !== at && Math.abs(price / other - 1) <= reach),
    );
  }

  #range(moreBps: number): { readonly least: number; readonly most: number } {
    const agreeing = this.#agreeing(this.#usable(CLOCK_ERROR_MS), moreBps);
    return { least: Math.min(...agreeing), most: Math.max(...agreeing) };
  }

  #observeBasis(): void {
    const netMidTicks = this.#deps.netMidTicks();
    const { least, most } = this.#range(DEVIATION_ERROR_BPS);
    if (netMidTicks === undefined || !Number.isFinite(least)) return;
    const { maxBasisBps } = this.#plan.reference.basis;
    const bounded = (price: number) =>
      Math.min(maxBasisBps, Math.max(-maxBasisBps, 10_000 * (netMidTicks / price - 1)));
    this.#leastBasisBps = Math.min(this.#leastBasisBps, bounded(most));
    this.#mostBasisBps = Math.max(this.#mostBasisBps, bounded(least));
  }

  #isForbidden(verdict: Verdict): boolean {
    const { onStale } = this.#plan.reference;
    return verdict === "disagreeing" || (verdict === "too few" && onStale === "halt");
  }

  #isAllowed(verdict: Verdict): boolean {
    const { onStale } = this.#plan.reference;
    if (Math.abs(this.#deps.wallErrorMs()) > MOST_WALL_ERROR_MS) return false;
    return verdict === "good" || (verdict === "too few" && onStale !== "halt");
  }

  #text(): string {
    const nowMs = this.#deps.nowMs();
    const sources = this.#plan.sources.map(({ name }) => {
      const heard = this.#heard.get(name);
      if (heard === undefined) return `${name}: nothing yet`;
      if (heard === null) return `${name}: down`;
      const own = heard.timeMs === undefined ? "" : `, own time ${nowMs - heard.timeMs} ms ago`;
      const sides = heard.isTwoSided ? "" : ", crossed or one-sided";
      return `${name}: ${heard.mid.toFixed(1)}, received ${nowMs - heard.receivedMs} ms ago${own}${sides}`;
    });
    return `${this.verdict()} (${sources.join("; ")})`;
  }

  #violate(rule: string, text: string): void {
    if (this.violations.length < MOST_VIOLATIONS)
      this.violations.push({ atMs: this.#deps.nowMs(), rule, text });
  }
}

function bps(value: number): string {
  return `${value.toFixed(2)} bps`;
}
