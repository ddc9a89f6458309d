import type { Instrument } from "../../core/instrument.js";
import type { MarketView } from "../../market/view.js";
import { type FairPrice, fairTerms, fairTicksFor, isFairReference } from "../fair-price.js";
import { toTicks } from "../param-fields.js";
import type { WantedLevel } from "../shape-quotes.js";
import {
  type Intensity,
  type IntensityParams,
  type IntensitySource,
  intensitySource,
} from "./intensity.js";
import { type SigmaSource, sigmaSource } from "./sigma.js";

/** The parameters that all market makers with a market model share. */
export interface ModelParams extends IntensityParams {
  readonly fair: FairPrice;
  readonly sizeBase: number;
  readonly targetPositionBase: number;
  readonly sigma: Parameters<typeof sigmaSource>[0];
  readonly levels: number;
  readonly levelSpacingBps?: number | undefined;
  readonly refreshToleranceBps?: number | undefined;
  readonly refreshToleranceTicks?: number | undefined;
}

/** The state of the market for a model. */
export type ModelBasis = readonly [
  fairTicks: number,
  isReference: boolean,
  sigmaTicks: number,
  isSigmaEstimated: boolean,
  intensity: Intensity,
  ...rest: readonly unknown[],
];

/**
 * The common part of market makers with a market model. Their unit of price is one basis point of
 * the fair price and their unit of amount one order, so that the same parameters mean the same on
 * every market. Volatility and fill intensity are estimated from this market's mid, whatever the
 * fair price is: a reference price that comes and goes would look like a jump.
 */
export abstract class ModelStep<Params extends ModelParams> {
  protected readonly params: Params;
  protected readonly instrument: Instrument;
  /** Lots of one order, before rounding. */
  protected readonly orderLots: number;
  /** Lots, before rounding. */
  protected readonly targetLots: number;
  readonly #sigma: SigmaSource;
  readonly #intensity: IntensitySource;

  /** @param before a step whose estimates this one shares, if their settings are the same. */
  constructor(params: Params, instrument: Instrument, before?: ModelStep<Params>) {
    this.params = params;
    this.instrument = instrument;
    this.orderLots = params.sizeBase / instrument.lotBase;
    this.targetLots = params.targetPositionBase / instrument.lotBase;
    this.#sigma =
      before === undefined ? sigmaSource(params.sigma) : before.#sigma.withParams(params.sigma);
    this.#intensity =
      before === undefined ? intensitySource(params) : before.#intensity.withParams(params);
  }

  /** Observes a view. Called once for each view, in order. */
  protected estimatesOf(view: MarketView) {
    this.#sigma.observe(view.midTicks, view.timeMs);
    this.#intensity.observe(view);
    return this.estimatesAt(view);
  }

  /** The estimates at a view, without observing it. */
  protected estimatesAt(view: MarketView) {
    const fairTicks = fairTicksFor(this.params.fair, view);
    const sigma = this.#sigma.at(fairTicks);
    const isReference = isFairReference(this.params.fair, view);
    return [fairTicks, isReference, sigma.ticks, sigma.estimated, this.#intensity.current] as const;
  }

  /** The term of a reason for the fair price. */
  protected fairTerms(isReference: boolean): Readonly<Record<string, number>> {
    return fairTerms(this.params.fair, isReference);
  }

  /** Price tolerance in ticks within which the last intent is kept. */
  toleranceTicks([fairTicks]: ModelBasis): number {
    const { refreshToleranceBps, refreshToleranceTicks } = this.params;
    return toTicks(refreshToleranceBps, refreshToleranceTicks, fairTicks) ?? 0;
  }

  /**
   * The levels of both sides; empty while there is no estimate of the intensity.
   * @param halfSpreadBps distance between levels if the parameters give none
   * @param at the prices of a level that is so many basis points behind the first
   */
  protected levelsOf(
    { isWaiting }: Intensity,
    halfSpreadBps: number,
    at: (behindBps: number, lots: number) => WantedLevel,
  ): WantedLevel[] {
    const { levels, levelSpacingBps = halfSpreadBps } = this.params;
    const lots = Math.round(this.orderLots);
    const wanted: WantedLevel[] = [];
    for (let level = 0; level < levels && !isWaiting; level++)
      wanted.push(at(level * levelSpacingBps, lots));
    return wanted;
  }
}
