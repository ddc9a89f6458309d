import { defer, filter, map, type OperatorFunction } from "rxjs";
import type { Instrument } from "../../core/instrument.js";
import type { Lots, Ms, Ticks } from "../../core/units.js";
import type { MarketView } from "../../market/view.js";
import type { Intent, QuotesIntent, TargetIntent } from "../intent.js";
import { baseToExactLots } from "../size-lots.js";
import { defineStrategy } from "../strategy.js";
import { WORK_SLIPPAGE_BPS, type WorkParams, workParams } from "./work-params.js";
import {
  defaultSlices,
  EvenSchedule,
  OptimalSchedule,
  VolumeSchedule,
  type WorkSchedule,
} from "./work-schedule.js";

/** Shortest time between two taking orders: a round trip and the book's reaction. */
const TAKE_EVERY_MS: Ms = 500;

/**
 * Works a position: from the one that it finds to its target, by a schedule, until a time. It
 * offers at the best price of its side, takes what the schedule has due, and never trades beyond
 * its worst price. At the target and after its time it wants no order
 * (docs/reference/work.md).
 */
export const workPosition = defineStrategy({
  params: workParams,
  viewLevels: 20,
  create: (params, { instrument, marketId }): OperatorFunction<MarketView, Intent> => {
    const field = `markets.${marketId}.params.targetBase`;
    const targetLots = baseToExactLots(params.targetBase, instrument, field);
    return (view$) =>
      defer(() => {
        let work: PositionWork | undefined;
        return view$.pipe(
          map((view) => {
            work ??= new PositionWork(params, targetLots, view);
            return work.intentFor(view);
          }),
          filter((intent) => intent !== undefined),
        );
      });
  },
});

/** One work on a position, from its first view on. */
class PositionWork {
  readonly #targetLots: Lots;
  readonly #taker: WorkParams["taker"];
  /** The position at the start. */
  readonly #startLots: Lots;
  readonly #arrivalMidTicks: number;
  readonly #byMs: Ms;
  readonly #worstTicks: Ticks;
  readonly #schedule: WorkSchedule;
  #last = "";

  constructor(params: WorkParams, targetLots: Lots, view: MarketView) {
    const { timeMs: fromMs, positionLots, midTicks, instrument } = view;
    this.#targetLots = targetLots;
    this.#taker = params.taker;
    this.#startLots = positionLots;
    this.#arrivalMidTicks = midTicks;
    // One of them is present.
    const byMs = Math.round(params.byMs ?? fromMs + (params.withinMs ?? 0));
    this.#byMs = byMs;
    this.#worstTicks = worstTicksFor(params, this.#isBuy, midTicks, instrument);
    const slices = params.slices ?? defaultSlices(fromMs, byMs);
    const lots = this.#lots;
    // The span of a work whose time is over before it starts is never used.
    const span = { lots, fromMs, byMs: Math.max(byMs, fromMs + 1), slices };
    if (params.style === "twap") this.#schedule = new EvenSchedule(span);
    else if (params.style === "pov")
      this.#schedule = new VolumeSchedule(span, params.participation);
    else {
      const { riskAversion, volatilityBps } = params;
      const isBuy = this.#isBuy;
      this.#schedule = new OptimalSchedule({
        ...span,
        instrument,
        isBuy,
        riskAversion,
        volatilityBps,
      });
    }
  }

  /** The intent for a view; undefined if the last one still holds. */
  intentFor(view: MarketView): Intent | undefined {
    const intent = this.#intentFor(view);
    const { quotes, schedule } = { quotes: undefined, schedule: undefined, ...intent };
    const key = JSON.stringify([intent.kind, quotes, schedule, view.positionLots]);
    // After the book was lost, an intent may have been dropped.
    if (key === this.#last && view.cause !== "start") return undefined;
    this.#last = key;
    return intent;
  }

  #intentFor(view: MarketView): Intent {
    const { dueLots, allowedLots } = this.#schedule.observe(view);
    const sign = this.#isBuy ? 1 : -1;
    const leftLots = sign * (this.#targetLots - view.positionLots);
    const offerTicks = (this.#isBuy ? view.bids : view.asks)[0].ticks;
    const common = {
      marketId: view.marketId,
      viewSequence: view.sequence,
      reason: {
        fairTicks: view.midTicks,
        reservationTicks: offerTicks,
        halfSpreadTicks: 0,
        terms: {
          targetLots: this.#targetLots,
          startLots: this.#startLots,
          arrivalMidTicks: this.#arrivalMidTicks,
          worstTicks: this.#worstTicks,
          dueLots,
          allowedLots,
          leftLots,
        },
        clamps: [],
      },
    };
    // At the target, beyond it by other trades of the account, or after its time.
    if (leftLots <= 0 || view.timeMs >= this.#byMs) {
      const none: QuotesIntent = { kind: "quotes", ...common, quotes: [] };
      return none;
    }
    const lots = Math.max(this.#lots, leftLots);
    const keepLots = this.#lots - allowedLots;
    const target: TargetIntent = {
      kind: "target",
      ...common,
      targetLots: this.#targetLots,
      worstTicks: this.#worstTicks,
      deadlineMs: this.#byMs,
      schedule: {
        kind: "unwind",
        parts: [
          {
            // Each view brings the present step of the schedule, so this one never ends.
            takingFromMs: this.#byMs,
            stepMs: 1,
            holdLots: [this.#taker === "never" ? lots : this.#lots - dueLots, 0],
            leftLots: lots,
            worstTicks: this.#worstTicks,
          },
        ],
        offerTicks,
        keepLots,
        dustLots: 0,
        // All that the schedule allows now, so that a work that is behind catches up.
        sliceLots: Math.max(1, leftLots - keepLots),
        everyMs: TAKE_EVERY_MS,
      },
    };
    return target;
  }

  get #isBuy(): boolean {
    return this.#targetLots > this.#startLots;
  }

  /** Lots to trade, without sign. */
  get #lots(): Lots {
    return Math.abs(this.#targetLots - this.#startLots);
  }
}

/** The worst price of any order: the tighter of both bounds. */
function worstTicksFor(
  { limitPriceQuote, maxSlippageBps }: WorkParams,
  isBuy: boolean,
  midTicks: number,
  { tickQuote }: Pick<Instrument, "tickQuote">,
): Ticks {
  const slippageBps =
    maxSlippageBps ?? (limitPriceQuote === undefined ? WORK_SLIPPAGE_BPS : undefined);
  const bounds = [
    ...(limitPriceQuote === undefined ? [] : [limitPriceQuote / tickQuote]),
    ...(slippageBps === undefined
      ? []
      : [midTicks * (1 + ((isBuy ? 1 : -1) * slippageBps) / 10_000)]),
  ];
  // A written price that is on the grid may not be in binary.
  const slack = 1e-6;
  return isBuy
    ? Math.max(1, Math.floor(Math.min(...bounds) + slack))
    : Math.ceil(Math.max(...bounds) - slack);
}
