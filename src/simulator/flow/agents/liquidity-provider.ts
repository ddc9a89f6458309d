import type { Random } from "../../../core/runtime/runtime.js";
import type { Ms, Side, Ticks } from "../../../core/units.js";
import type { FlowOrderRef } from "../flow-market.js";
import type { ProviderParams } from "../synthetic-params.js";
import { type AgentView, type FlowAgent, notionalToLots } from "./flow-agent.js";
import { sampleArrivalMs, sampleLognormal, sampleNormal } from "./sampling.js";

/** One place in the ladder: level 0 is nearest the fair value. */
interface Slot {
  readonly side: Side;
  readonly level: number;
  order: FlowOrderRef | null;
}

/**
 * The growth of spacing and of size for each level, as in recorded books, which thin out in orders
 * and not in amount.
 */
const SPACING_GROWTH = 0.1;
const SIZE_GROWTH = 0.2;
/** The fraction of an estimation error that remains at the next check. */
const ERROR_MEMORY = 0.8;
/**
 * An order is replaced once it is off by this fraction of its own spacing; outer levels have more
 * tolerance.
 */
const TOLERANCE = 0.6;
const TOLERANCE_GROWTH = 0.5;
/** The rank of a missing order: as one that is off by this many spacings. */
const MISSING_SCORE = 3;
/**
 * The rank of an order on the wrong side of the fair value, which informed takers would hit: above
 * all others.
 */
const EXPOSED_SCORE = 1_000;

/**
 * Background liquidity: keeps a ladder of post-only orders on both sides of its own, slightly
 * wrong, estimate of the fundamental. Each check replaces the few worst orders. When a taker has
 * swept half of a side, that whole side is placed again, so that the book never stays empty.
 */
export class LiquidityProvider implements FlowAgent {
  readonly name: string;
  readonly #params: ProviderParams;
  readonly #random: Random;
  readonly #slots: readonly Slot[];
  /** Offsets of the levels from the fair value, as fractions of it. */
  readonly #offsets: readonly number[];
  #error = 0;

  /** @param rank 1 for the agent with the tightest first level, 2 for twice as wide, ... */
  constructor(params: ProviderParams, rank: number, random: Random) {
    this.name = `provider-${rank}`;
    this.#params = params;
    this.#random = random;
    const levels = [...Array(params.levels).keys()];
    this.#slots = (["BUY", "SELL"] as const).flatMap((side) =>
      levels.map((level) => ({ side, level, order: null })),
    );
    let bps = params.halfSpreadBps * rank;
    this.#offsets = levels.map((level) => {
      const offset = bps / 10_000;
      bps += params.spacingBps * (1 + SPACING_GROWTH * level);
      return offset;
    });
  }

  open(view: AgentView): Ms {
    const fair = this.#estimateFairTicks(view);
    for (const slot of this.#slots) this.#replaceOrder(view, slot, this.#targetOf(slot, fair));
    return sampleArrivalMs(this.#random, this.#params.looksPerSecond);
  }

  act(view: AgentView): Ms {
    const fair = this.#estimateFairTicks(view);
    const missing = { BUY: 0, SELL: 0 };
    const wrong: { readonly slot: Slot; readonly score: number }[] = [];
    for (const slot of this.#slots) {
      if (slot.order !== null && slot.order.openLots === 0) slot.order = null;
      if (slot.order === null) missing[slot.side] += 1;
      const score = this.#scoreOf(slot, fair);
      if (score > TOLERANCE) wrong.push({ slot, score });
    }
    wrong.sort((a, b) => b.score - a.score || a.slot.level - b.slot.level);
    for (const { slot } of wrong.slice(0, this.#params.repairs))
      this.#replaceOrder(view, slot, this.#targetOf(slot, fair));
    for (const slot of this.#slots) {
      if (slot.order === null && missing[slot.side] * 2 > this.#params.levels)
        this.#replaceOrder(view, slot, this.#targetOf(slot, fair));
    }
    return sampleArrivalMs(this.#random, this.#params.looksPerSecond);
  }

  /** The agent's own fair value in fractional ticks: the fundamental with an error that drifts. */
  #estimateFairTicks(view: AgentView): number {
    const news =
      Math.sqrt(1 - ERROR_MEMORY ** 2) * this.#params.valueErrorBps * sampleNormal(this.#random);
    this.#error = ERROR_MEMORY * this.#error + news;
    return view.fundamentalTicks * (1 + this.#error / 10_000);
  }

  /** At least one tick from the level before it, whatever the grid. */
  #targetOf(slot: Slot, fair: number): Ticks {
    const offset = this.#offsets[slot.level] * fair;
    return slot.side === "BUY"
      ? Math.floor(fair - Math.max(offset, slot.level))
      : Math.ceil(fair + Math.max(offset, slot.level));
  }

  #scoreOf(slot: Slot, fair: number): number {
    const room = 1 + TOLERANCE_GROWTH * slot.level;
    if (slot.order === null) return MISSING_SCORE / room;
    const { ticks } = slot.order;
    if (slot.side === "BUY" ? ticks >= fair : ticks <= fair) return EXPOSED_SCORE;
    const spacingTicks = Math.max(1, (this.#params.spacingBps / 10_000) * fair);
    return Math.abs(ticks - this.#targetOf(slot, fair)) / spacingTicks / room;
  }

  #replaceOrder(view: AgentView, slot: Slot, target: Ticks): void {
    const { market } = view;
    if (slot.order !== null) market.cancel(slot.order);
    slot.order = null;
    const opposite = slot.side === "BUY" ? market.bestAsk() : market.bestBid();
    // Behind another agent's stale quote until an informed taker has removed it.
    const ticks =
      opposite === undefined
        ? target
        : slot.side === "BUY"
          ? Math.min(target, opposite - 1)
          : Math.max(target, opposite + 1);
    if (ticks < 1) return;
    const quote = sampleLognormal(
      this.#random,
      this.#params.levelQuote * (1 + SIZE_GROWTH * slot.level),
      this.#params.sizeSigma,
    );
    slot.order = market.place({
      agent: this.name,
      side: slot.side,
      ticks,
      lots: notionalToLots(view, quote, ticks),
      timeInForce: "POST_ONLY",
    });
  }
}
