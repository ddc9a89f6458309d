import {
  connect,
  defer,
  endWith,
  filter,
  ignoreElements,
  map,
  merge,
  type OperatorFunction,
  share,
  takeUntil,
  tap,
} from "rxjs";
import { z } from "zod";
import { checkParams } from "../../core/config/check-params.js";
import type { Lots } from "../../core/units.js";
import type { MarketView } from "../../market/view.js";
import type { Intent, Quote, QuotesIntent } from "../intent.js";
import { keepReducing, widenedTicks } from "../restrict-quotes.js";
import { ScheduleClock, scheduleField } from "./trading-schedule.js";
import { VolatilitySpread, volatilitySpreadField } from "./volatility-spread.js";

/** The parts that any strategy can be combined with: the key `parts` of its parameters. */
export const quotingPartsField = z
  .strictObject({
    schedule: scheduleField.optional(),
    volatilitySpread: volatilitySpreadField.optional(),
  })
  .describe("Parts that act on the quotes of any strategy.");

/** Parts that any strategy can be combined with, as YAML has them. */
export type QuotingParts = z.input<typeof quotingPartsField>;

/** The same, validated. */
export type ValidQuotingParts = z.output<typeof quotingPartsField>;

/** Effect of the parts on a strategy's quotes at a view. */
interface PartsEffect {
  readonly widenFactor: number;
  /** Why quotes are restricted; undefined while they are not. */
  readonly closedBecause: string | undefined;
}

/** The state of parts: it shapes the newest intent of a strategy at each view. */
export class PartsState {
  #parts: ValidQuotingParts;
  #clock: ScheduleClock | undefined;
  #volatility: VolatilitySpread | undefined;
  #effect: PartsEffect = { widenFactor: 1, closedBecause: undefined };
  #view: MarketView | undefined;
  /** The strategy's newest intent, and what was emitted for it. */
  #last: Intent | undefined;
  #emitted: Intent | undefined;

  constructor(parts: ValidQuotingParts) {
    this.#parts = parts;
    this.#clock = parts.schedule === undefined ? undefined : new ScheduleClock(parts.schedule);
    this.#volatility =
      parts.volatilitySpread === undefined
        ? undefined
        : new VolatilitySpread(parts.volatilitySpread);
  }

  /** Applies other parameters. A view follows. */
  configure(parts: ValidQuotingParts): void {
    const { volatilitySpread } = parts;
    this.#parts = parts;
    this.#clock = parts.schedule === undefined ? undefined : new ScheduleClock(parts.schedule);
    if (volatilitySpread === undefined) this.#volatility = undefined;
    else if (this.#volatility === undefined)
      this.#volatility = new VolatilitySpread(volatilitySpread);
    else this.#volatility.configure(volatilitySpread);
  }

  /** Observes a view, before the strategy answers it. */
  observe(view: MarketView): void {
    this.#view = view;
    this.#effect = this.#effectAt(view, this.#volatility?.observe(view));
  }

  /** The intent in place of the strategy's own. */
  take(intent: Intent): Intent {
    this.#last = intent;
    this.#emitted = shaped(intent, this.#effect, this.#parts, this.#view?.positionLots ?? 0);
    return this.#emitted;
  }

  /** The intent after the strategy has answered a view; undefined if the last one stays. */
  refresh(): Intent | undefined {
    const [last, emitted, view] = [this.#last, this.#emitted, this.#view];
    if (last === undefined || emitted === undefined || view === undefined) return undefined;
    const now = shaped(last, this.#effect, this.#parts, view.positionLots);
    if (isSameIntent(now, emitted)) return undefined;
    this.#emitted = { ...now, viewSequence: view.sequence };
    return this.#emitted;
  }

  /**
   * The intent that other parts would make of the strategy's; it changes nothing. Undefined if the
   * last one would stay.
   * @param intent the strategy's answer by its own other parameters; undefined if that would stay
   */
  preview(
    parts: ValidQuotingParts,
    intent: Intent | undefined,
    view: MarketView,
  ): Intent | undefined {
    const from = intent ?? this.#last;
    if (from === undefined) return undefined;
    const { volatilitySpread } = parts;
    const volatilityFactor =
      volatilitySpread === undefined
        ? 1
        : this.#volatility?.wantedFactor(view.midTicks, volatilitySpread);
    const effect = new PartsState(parts).#effectAt(view, volatilityFactor);
    const now = shaped(from, effect, parts, view.positionLots);
    const isKept = this.#emitted !== undefined && isSameIntent(now, this.#emitted);
    return isKept ? undefined : { ...now, viewSequence: view.sequence };
  }

  #effectAt(
    { timeMs, nextFundingMs }: Pick<MarketView, "timeMs" | "nextFundingMs">,
    volatilityFactor = 1,
  ): PartsEffect {
    const { closedBecause, widenFactor = 1 } = this.#clock?.at(timeMs, nextFundingMs) ?? {};
    return { closedBecause, widenFactor: widenFactor * volatilityFactor };
  }
}

/**
 * Combines a strategy's operator with parts that act on the quotes of any strategy: a schedule, and
 * spreads that follow volatility. The key `parts` of a strategy's parameters does the same for a
 * strategy as a whole; this function does it for an operator within one.
 * @throws ConfigError for parts that are not valid
 * @example
 * ```ts
 * import { type Intent, type MarketView, withQuotingParts } from "marketwright";
 * import { map, type OperatorFunction } from "rxjs";
 *
 * const own: OperatorFunction<MarketView, Intent> = map((view) => ({
 *   kind: "quotes" as const,
 *   marketId: view.marketId,
 *   viewSequence: view.sequence,
 *   quotes: [{ side: "BUY" as const, level: 0, ticks: 9990, lots: 1 }],
 *   reason: {
 *     fairTicks: 10_000,
 *     reservationTicks: 10_000,
 *     halfSpreadTicks: 10,
 *     terms: {},
 *     clamps: [],
 *   },
 * }));
 * const careful = withQuotingParts(own, {
 *   schedule: { beforeFunding: { withinMs: 60_000, widenFactor: 2 } },
 * });
 * typeof careful; // => "function"
 * ```
 */
export function withQuotingParts(
  operator: OperatorFunction<MarketView, Intent>,
  parts: QuotingParts,
): OperatorFunction<MarketView, Intent> {
  const valid = checkParams(quotingPartsField, parts, { at: ["parts"] });
  return (view$) => defer(() => view$.pipe(shapedByParts(operator, new PartsState(valid))));
}

/** The operator of a strategy whose intents go through the state of its parts. */
export function shapedByParts(
  operator: OperatorFunction<MarketView, Intent>,
  state: PartsState,
): OperatorFunction<MarketView, Intent> {
  return (view$) =>
    view$.pipe(
      tap((view) => state.observe(view)),
      connect((shared) => {
        const own = shared.pipe(
          operator,
          map((intent) => state.take(intent)),
          share(),
        );
        // The strategy answers a view first. Where it ends, so does the whole.
        return merge(
          own,
          shared.pipe(
            map(() => state.refresh()),
            takeUntil(own.pipe(ignoreElements(), endWith(true))),
          ),
        );
      }),
      filter((intent) => intent !== undefined),
    );
}

function shaped(
  intent: Intent,
  { widenFactor, closedBecause }: PartsEffect,
  { schedule }: ValidQuotingParts,
  positionLots: Lots,
): Intent {
  if (closedBecause === undefined && widenFactor === 1) return intent;
  const isClosed = closedBecause !== undefined;
  if (isClosed && schedule?.outside !== "reduce")
    return withQuotes(intent, [], [`quotes: ${closedBecause}`]);
  if (intent.kind === "target") {
    const isReducing =
      Math.abs(intent.targetLots) < Math.abs(positionLots) && intent.targetLots * positionLots >= 0;
    return !isClosed || isReducing ? intent : withQuotes(intent, [], [`target: ${closedBecause}`]);
  }
  const allowed = isClosed ? keepReducing(intent.quotes, positionLots) : intent.quotes;
  return withQuotes(
    intent,
    widened(allowed, widenFactor, intent.reason.reservationTicks),
    isClosed ? [`quotes: only what reduces the position, ${closedBecause}`] : [],
    widenFactor,
  );
}

function widened(quotes: readonly Quote[], factor: number, centreTicks: number): readonly Quote[] {
  if (factor === 1 || !Number.isFinite(centreTicks)) return quotes;
  return quotes
    .map((quote) => ({ ...quote, ticks: widenedTicks(quote, factor, centreTicks) }))
    .filter(({ ticks }) => ticks >= 1);
}

function withQuotes(
  { marketId, viewSequence, reason }: Intent,
  quotes: readonly Quote[],
  clamps: readonly string[],
  widenFactor = 1,
): QuotesIntent {
  return {
    kind: "quotes",
    marketId,
    viewSequence,
    quotes,
    reason: {
      ...reason,
      terms: widenFactor === 1 ? reason.terms : { ...reason.terms, widenFactor },
      clamps: [...reason.clamps, ...clamps],
    },
  };
}

function isSameIntent(one: Intent, other: Intent): boolean {
  if (one.kind === "target" || other.kind === "target")
    return (
      one.kind === "target" &&
      other.kind === "target" &&
      one.targetLots === other.targetLots &&
      one.worstTicks === other.worstTicks &&
      one.schedule === other.schedule &&
      one.deadlineMs === other.deadlineMs
    );
  return (
    one.quotes.length === other.quotes.length &&
    one.quotes.every(({ side, level, ticks, lots }, at) => {
      const quote = other.quotes[at];
      return (
        quote.side === side && quote.level === level && quote.ticks === ticks && quote.lots === lots
      );
    })
  );
}
