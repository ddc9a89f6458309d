import type { Random } from "../../../core/runtime/runtime.js";
import type { Lots, Ms, Side, Ticks } from "../../../core/units.js";
import type { FlowOrderRef } from "../flow-market.js";
import type { TouchParams } from "../synthetic-params.js";
import { type AgentView, type FlowAgent, notionalToLots } from "./flow-agent.js";
import { sampleArrivalMs, sampleLognormal } from "./sampling.js";

interface RestingQuote {
  readonly ticks: Ticks;
  readonly order: FlowOrderRef;
}

/**
 * Keeps the spread at one tick: small post-only orders on both sides, one tick apart, around a
 * price between two ticks. That price moves only once the fundamental has left it by more than the
 * tolerance. It leads the wider providers, like the quickest quotes of a market with a small tick,
 * and makes most of a book's changes.
 */
export class TouchMaker implements FlowAgent {
  readonly name = "touch";
  readonly #params: TouchParams;
  readonly #random: Random;
  /** The highest bid of its ladder; the lowest ask is a tick above it. */
  #bidTicks: Ticks | undefined;
  #resting: Record<Side, RestingQuote[]> = { BUY: [], SELL: [] };

  constructor(params: TouchParams, random: Random) {
    this.#params = params;
    this.#random = random;
  }

  open(view: AgentView): Ms {
    return this.act(view);
  }

  act(view: AgentView): Ms {
    const { looksPerSecond, toleranceBps } = this.#params;
    const fair = view.fundamentalTicks;
    const tolerance = Math.max(0.5, (toleranceBps / 10_000) * fair);
    if (this.#bidTicks === undefined || Math.abs(fair - this.#bidTicks - 0.5) > tolerance)
      this.#bidTicks = Math.ceil(fair) - 1;
    // Both sides are cancelled before either is placed: a ladder that has moved would cross its own
    // other side.
    const wanted = {
      BUY: this.#targetTicks("BUY", this.#bidTicks),
      SELL: this.#targetTicks("SELL", this.#bidTicks + 1),
    };
    for (const side of ["BUY", "SELL"] as const) this.#cancelUnwanted(view, side, wanted[side]);
    for (const side of ["BUY", "SELL"] as const) this.#placeMissing(view, side, wanted[side]);
    return sampleArrivalMs(this.#random, looksPerSecond);
  }

  #targetTicks(side: Side, first: Ticks): Ticks[] {
    const step = side === "BUY" ? -1 : 1;
    return Array.from({ length: this.#params.levels }, (_, level) => first + step * level).filter(
      (ticks) => ticks >= 1,
    );
  }

  #cancelUnwanted({ market }: AgentView, side: Side, wanted: readonly Ticks[]): void {
    this.#resting[side] = this.#resting[side].filter(({ ticks, order }) => {
      if (order.openLots > 0 && wanted.includes(ticks)) return true;
      market.cancel(order);
      return false;
    });
  }

  #placeMissing(view: AgentView, side: Side, wanted: readonly Ticks[]): void {
    const resting = this.#resting[side];
    for (const ticks of wanted) {
      if (resting.some((held) => held.ticks === ticks)) continue;
      // A stale quote that blocks a level is left to an informed taker.
      const order = view.market.place({
        agent: this.name,
        side,
        ticks,
        lots: this.#lots(view, ticks),
        timeInForce: "POST_ONLY",
      });
      if (order !== null) resting.push({ ticks, order });
    }
  }

  #lots(view: AgentView, ticks: Ticks): Lots {
    return notionalToLots(
      view,
      sampleLognormal(this.#random, this.#params.levelQuote, this.#params.sizeSigma),
      ticks,
    );
  }
}
