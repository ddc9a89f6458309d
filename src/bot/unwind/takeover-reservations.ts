import type { PlannedTakeover } from "../../account/takeover.js";
import type { Instrument } from "../../core/instrument.js";
import type { Lots, MarketId, Ms } from "../../core/units.js";

/** A takeover whose room in the limits is taken, as it is remembered from one run to the next. */
export interface ReservedTakeover extends PlannedTakeover {
  /** Exchange time at which it was planned. */
  readonly sinceMs: Ms;
}

/** A takeover that no run follows is over by then: the liquidator cancels what is in no block within minutes. */
const FOLLOWED_WITHIN_MS: Ms = 600_000;

const NONE: readonly ReservedTakeover[] = [];

/**
 * The takeovers that are planned or sent, and neither held nor gone. Each keeps its room in the limits of its market and of the account: in every
 * later plan, and in the worst case of every order.
 */
export class TakeoverReservations {
  #all: readonly ReservedTakeover[];
  #serial = 0;

  /** @param before what an earlier run had under way: nobody has followed it since. */
  constructor(before: readonly ReservedTakeover[] = NONE) {
    this.#all = before;
  }

  get all(): readonly ReservedTakeover[] {
    return this.#all;
  }

  /** Grows with every change of `all`. */
  get serial(): number {
    return this.#serial;
  }

  /** Those of a market. */
  in(marketId: MarketId): readonly ReservedTakeover[] {
    return this.#all.length === 0 ? NONE : this.#all.filter((one) => one.marketId === marketId);
  }

  /** These are all that are under way now. Returns the markets in which something has changed. */
  replace(takeovers: readonly PlannedTakeover[], nowMs: Ms): ReadonlySet<MarketId> {
    const before = new Map(this.#all.map((one) => [one.jobId, one]));
    const changed = new Set<MarketId>();
    this.#all = takeovers.map(({ jobId, marketId, paper }) => {
      const known = before.get(jobId);
      before.delete(jobId);
      if (known?.marketId === marketId && known.paper === paper) return known;
      changed.add(marketId);
      return { jobId, marketId, paper, sinceMs: known?.sinceMs ?? nowMs };
    });
    for (const { marketId } of before.values()) changed.add(marketId);
    if (changed.size > 0) this.#serial += 1;
    return changed;
  }

  /** Lets go of what an earlier run left and nobody follows. */
  forget(nowMs: Ms): ReadonlySet<MarketId> {
    return this.replace(
      this.#all.filter(({ sinceMs }) => nowMs < sinceMs + FOLLOWED_WITHIN_MS),
      nowMs,
    );
  }
}

/** The lots that a takeover may bring, signed, a part of one counted as one. */
export function lotsUnderWay({ paper }: PlannedTakeover, { paperPerLot }: Pick<Instrument, "paperPerLot">): Lots {
  const size = paper < 0n ? -paper : paper;
  const lots = Number((size + paperPerLot - 1n) / paperPerLot);
  return paper < 0n ? -lots : lots;
}
