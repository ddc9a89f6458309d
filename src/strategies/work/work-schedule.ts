import type { Instrument } from "../../core/instrument.js";
import type { Lots, Ms } from "../../core/units.js";
import type { MarketView } from "../../market/view.js";
import { optimalLiquidation } from "../models/almgren-chriss.js";
import { EwmaVolatility } from "../models/volatility.js";

/** How far the work on a position is to be, in lots since its start. */
export interface WorkProgress {
  /** Lots that have to be done by now. What is missing is taken. */
  readonly dueLots: Lots;
  /** The most lots that may be done by now, at least `dueLots`. Up to it, lots are offered. */
  readonly allowedLots: Lots;
}

/** The schedule of a work, from its first view to its last. */
export interface WorkSchedule {
  /** The progress that a view calls for. Called once for each view, in order. */
  observe(view: MarketView): WorkProgress;
}

/** Size and time of a work. */
export interface WorkSpan {
  /** Lots to trade, without sign. */
  readonly lots: Lots;
  readonly fromMs: Ms;
  readonly byMs: Ms;
  /** Number of slices. */
  readonly slices: number;
}

const SLICE_MS: Ms = 30_000;
const LEAST_SLICES = 5;
const MOST_SLICES = 120;

/** The default number of slices: one for each 30 s, from 5 to 120. */
export function defaultSlices(fromMs: Ms, byMs: Ms): number {
  return Math.min(MOST_SLICES, Math.max(LEAST_SLICES, Math.round((byMs - fromMs) / SLICE_MS)));
}

/** Time to take what the last slice has not filled, at most a quarter of the whole. */
const CLOSING_MS: Ms = 3_000;

/**
 * Duration of a slice. After the last one, as much time again is left to take what it has not
 * filled, and at least 3 s or a quarter of the whole, whichever is less.
 */
export function sliceMs({ fromMs, byMs, slices }: Omit<WorkSpan, "lots">): number {
  const wholeMs = byMs - fromMs;
  const closingMs = Math.max(wholeMs / (slices + 1), Math.min(CLOSING_MS, wholeMs / 4));
  return (wholeMs - closingMs) / slices;
}

/** Number of slices that have ended, at most all. */
function endedSlices(span: WorkSpan, nowMs: Ms): number {
  return Math.min(span.slices, Math.max(0, Math.floor((nowMs - span.fromMs) / sliceMs(span))));
}

/** TWAP: even parts. Each is offered for the time of its slice, and due at the slice's end. */
export class EvenSchedule implements WorkSchedule {
  readonly #span: WorkSpan;

  constructor(span: WorkSpan) {
    this.#span = span;
  }

  observe({ timeMs }: Pick<MarketView, "timeMs">): WorkProgress {
    const ended = endedSlices(this.#span, timeMs);
    return { dueLots: this.#after(ended), allowedLots: this.#after(ended + 1) };
  }

  #after(slices: number): Lots {
    const { lots, slices: all } = this.#span;
    return Math.round((lots * Math.min(slices, all)) / all);
  }
}

/** Relative slack for a product of a fraction such as 0.1 and a whole number. */
const FLOAT_SLACK = 1e-9;

/**
 * POV: a share of the volume that has traded since the start, the own trades included. It may be
 * offered at once, and is due a slice's time later. It ends with less if too little trades.
 */
export class VolumeSchedule implements WorkSchedule {
  readonly #span: WorkSpan;
  readonly #participation: number;
  readonly #recent: { readonly timeMs: Ms; readonly lots: Lots }[] = [];
  #tradedLots: Lots | undefined;
  #dueOfLots: Lots = 0;

  constructor(span: WorkSpan, participation: number) {
    this.#span = span;
    this.#participation = participation;
  }

  observe({ timeMs, tradedLots }: Pick<MarketView, "timeMs" | "tradedLots">): WorkProgress {
    // Trades before the first view are before the start.
    const traded = this.#tradedLots === undefined ? 0 : this.#tradedLots + tradedLots;
    if (traded !== this.#tradedLots) this.#recent.push({ timeMs, lots: traded });
    this.#tradedLots = traded;
    const dueFromMs = timeMs - sliceMs(this.#span);
    while (this.#recent.length > 0 && this.#recent[0].timeMs <= dueFromMs)
      this.#dueOfLots = (this.#recent.shift() as { lots: Lots }).lots;
    return { dueLots: this.#shareOf(this.#dueOfLots), allowedLots: this.#shareOf(traded) };
  }

  #shareOf(volume: Lots): Lots {
    const share = volume * this.#participation;
    return Math.min(this.#span.lots, Math.floor(share * (1 + FLOAT_SLACK)));
  }
}

const VOLATILITY = { windowMs: 60_000, sampleMs: 1_000 };
/** Basis points per square root of a second, until there is an estimate. */
const FIRST_SIGMA_BPS = 1;

/** Options of {@link OptimalSchedule}. */
export interface OptimalScheduleOptions extends WorkSpan {
  readonly instrument: Pick<Instrument, "lotBase" | "tickQuote">;
  /** True for a work that buys. */
  readonly isBuy: boolean;
  /** Lambda, per quote unit. */
  readonly riskAversion: number;
  /** Basis points per square root of a second; measured if undefined. */
  readonly volatilityBps: number | undefined;
}

/**
 * Almgren and Chriss: at the start of each slice, their optimal trajectory from the lots that the
 * schedule still holds, by the volatility until then and the depth of the book at the start. With
 * constant inputs it is the closed form over the whole time.
 */
export class OptimalSchedule implements WorkSchedule {
  readonly #options: OptimalScheduleOptions;
  readonly #volatility = new EwmaVolatility(VOLATILITY);
  /** Lots held at the start of each slice that has been planned. */
  readonly #heldLots: number[];
  /** Eta, quote times seconds per base. */
  #temporaryImpact: number | undefined;

  constructor(options: OptimalScheduleOptions) {
    this.#options = options;
    this.#heldLots = [options.lots];
  }

  observe(view: MarketView): WorkProgress {
    const { lots, slices } = this.#options;
    this.#volatility.observe(view.midTicks, view.timeMs);
    this.#temporaryImpact ??= this.#impactOf(view);
    const ended = endedSlices(this.#options, view.timeMs);
    const next = Math.min(slices, ended + 1);
    while (this.#heldLots.length <= next) this.#plan(view, this.#temporaryImpact);
    return {
      dueLots: lots - Math.round(this.#heldLots[ended]),
      allowedLots: lots - Math.round(this.#heldLots[next]),
    };
  }

  /** Plans one more slice. */
  #plan({ midTicks }: MarketView, temporaryImpact: number): void {
    const { instrument, slices, riskAversion, volatilityBps } = this.#options;
    const before = this.#heldLots[this.#heldLots.length - 1];
    const left = slices - (this.#heldLots.length - 1);
    const sigmaTicks =
      volatilityBps === undefined
        ? (this.#volatility.sigma ?? (FIRST_SIGMA_BPS / 10_000) * midTicks)
        : (volatilityBps / 10_000) * midTicks;
    const { holdings } = optimalLiquidation({
      size: before * instrument.lotBase,
      horizon: left * this.#sliceSeconds,
      intervals: left,
      riskAversion,
      sigma: sigmaTicks * instrument.tickQuote,
      permanentImpact: 0,
      temporaryImpact,
      fixedCost: 0,
    });
    this.#heldLots.push(holdings[1] / instrument.lotBase);
  }

  /**
   * Sweeping n lots of a book of D lots in R ticks moves its price by n R / D, half of it on
   * average.
   */
  #impactOf({ bids, asks }: MarketView): number {
    const { instrument, isBuy } = this.#options;
    const levels = isBuy ? asks : bids;
    const depthLots = levels.reduce((sum, level) => sum + level.lots, 0);
    const reachTicks = 1 + Math.abs(levels[levels.length - 1].ticks - levels[0].ticks);
    return (
      (this.#sliceSeconds * reachTicks * instrument.tickQuote) /
      (2 * depthLots * instrument.lotBase)
    );
  }

  get #sliceSeconds(): number {
    return sliceMs(this.#options) / 1000;
  }
}
