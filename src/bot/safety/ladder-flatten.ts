import type { Lots, MarketId, Ticks } from "../../core/units.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader } from "../market/market-trader.js";
import { type FlattenTerms, flattenTermsFor } from "./ladder-rungs.js";
import type { TradingGuards } from "./trading-guards.js";

/**
 * Sells the positions of the markets in which a rung of the risk ladder flattens. It sets target
 * positions, as a manual `flatten` does, until the remainder is smaller than the market accepts.
 * Each order is bounded in price, by the mark at its time, and in size. While the book or the
 * account cannot be trusted, orders wait.
 */
export class LadderFlatten {
  readonly #context: BotContext;
  readonly #tradingGuards: TradingGuards;
  #terms!: FlattenTerms;
  /** The size of one order, in lots: a share of the position at the start of the flattening. */
  readonly #sliceLots = new Map<MarketId, Lots>();
  /** True once any target was set. */
  #isUsed = false;

  constructor(context: BotContext, safety: TradingGuards) {
    this.#context = context;
    this.#tradingGuards = safety;
    this.configure();
  }

  /** Applies the configuration in force, to a flattening in progress too. */
  configure(): void {
    this.#terms = flattenTermsFor(this.#context.config);
    this.#sliceLots.clear();
  }

  /**
   * Sets the target of each market that has to be flat, and removes the others. Call it in each
   * turn, before plans are made.
   */
  settle(): void {
    if (!this.#isUsed && this.#tradingGuards.ladder.acting.length === 0) return;
    for (const trader of this.#context.traderList) {
      if (
        this.#context.phase === "running" &&
        this.#tradingGuards.ladder.isFlattening(trader.marketId)
      )
        this.#flatten(trader);
      else this.#release(trader);
    }
  }

  #release(trader: MarketTrader): void {
    this.#sliceLots.delete(trader.marketId);
    if (trader.target?.isByLadder !== true) return;
    trader.abandonTarget();
  }

  #flatten(trader: MarketTrader): void {
    const { marketId, rules, target } = trader;
    // An operator's target takes precedence.
    if (target?.byOperator === true && target.isByLadder !== true) return;
    const positionLots = this.#context.account.positionLots(marketId);
    if (Math.abs(positionLots) < rules.minLots) {
      this.#sliceLots.delete(marketId);
      return;
    }
    const worstTicks = this.#worstTicks(trader, positionLots);
    if (worstTicks === undefined) {
      if (target === undefined) return;
      trader.abandonTarget();
      return;
    }
    const sliceLots = this.#sliceOf(trader, positionLots);
    const { maxSlippageBps, everyMs } = this.#terms;
    if (
      target?.isByLadder === true &&
      target.intent.worstTicks === worstTicks &&
      target.intent.schedule.kind !== "unwind" &&
      target.intent.schedule.sliceLots === sliceLots &&
      target.intent.schedule.everyMs === everyMs
    )
      return;
    this.#isUsed = true;
    trader.pursue({
      intent: {
        kind: "target",
        marketId,
        viewSequence: trader.lastView?.sequence ?? 0,
        targetLots: 0,
        worstTicks,
        schedule: { sliceLots, everyMs },
        deadlineMs: Number.MAX_SAFE_INTEGER,
        reason: {
          fairTicks: referenceTicks(trader) ?? worstTicks,
          reservationTicks: worstTicks,
          halfSpreadTicks: 0,
          terms: { positionLots, maxSlippageBps },
          clamps: ["flattened by the risk ladder"],
        },
      },
      byOperator: true,
      isByLadder: true,
      lastSliceAtMs: target?.isByLadder === true ? target.lastSliceAtMs : undefined,
    });
  }

  /**
   * Limit price of every order: from the mark, or the mid without one, and never further from the
   * mark than the market's own limit allows.
   */
  #worstTicks(trader: MarketTrader, positionLots: Lots): Ticks | undefined {
    const reference = referenceTicks(trader);
    if (reference === undefined) return undefined;
    const limitBps =
      this.#context.marketLimits.get(trader.marketId)?.maxDistanceFromMarkBps ??
      Number.POSITIVE_INFINITY;
    const slip = Math.min(this.#terms.maxSlippageBps, limitBps) / 10_000;
    return positionLots > 0
      ? Math.max(trader.rules.minTicks, Math.ceil(reference * (1 - slip)))
      : Math.min(trader.rules.maxTicks, Math.floor(reference * (1 + slip)));
  }

  #sliceOf({ marketId, rules }: MarketTrader, positionLots: Lots): Lots {
    const known = this.#sliceLots.get(marketId);
    if (known !== undefined) return known;
    const maxOrderLots = this.#context.marketLimits.get(marketId)?.maxOrderLots ?? rules.maxLots;
    const part = Math.ceil(Math.abs(positionLots) / this.#terms.slices);
    const sliceLots = Math.min(maxOrderLots, rules.maxLots, Math.max(rules.minLots, part));
    this.#sliceLots.set(marketId, sliceLots);
    return sliceLots;
  }
}

/** The mark in fractional ticks, else the mid without our own orders; undefined with neither. */
function referenceTicks({ state, netMidTicks }: MarketTrader): number | undefined {
  return Number.isFinite(state.markTicks) ? state.markTicks : netMidTicks;
}
