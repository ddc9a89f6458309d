import type { PlannedTakeover } from "../../account/positions/takeover.js";
import { absolute, ceilDivide } from "../../core/bigints.js";
import type { Instrument } from "../../core/instrument.js";
import type { Lots, MarketId, Ms } from "../../core/units.js";

/** A takeover whose room in the limits is reserved, as it is stored from one run to the next. */
export interface ReservedTakeover extends PlannedTakeover {
  /** Exchange time at which it was planned. */
  readonly sinceMs: Ms;
  /**
   * The exchange's position contains it, though the receipt is missing: it is held, and takes no
   * room beside that position.
   */
  readonly isHeld?: boolean;
}

/**
 * Time after which a takeover that no run follows is over: the liquidator cancels within minutes
 * what is in no block.
 */
const FOLLOWED_WITHIN_MS: Ms = 600_000;

/** Several blocks of any chain that the exchange may settle on, and a replacement. */
const RECEIPT_WITHIN_MS: Ms = 10_000;

const NONE: readonly ReservedTakeover[] = [];
const NO_MARKETS: ReadonlySet<MarketId> = new Set();

/**
 * The takeovers that are planned or sent, and neither held nor ended. Each reserves room in the
 * limits of its market and of the account: in every later plan, and in the worst case of every
 * order.
 */
export class TakeoverReservations {
  #all: readonly ReservedTakeover[];
  #serial = 0;

  /** @param before pending takeovers of an earlier run, which no run has followed since. */
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

  /** Those of a market that are not held. */
  in(marketId: MarketId): readonly ReservedTakeover[] {
    return this.#all.length === 0
      ? NONE
      : this.#all.filter((one) => one.marketId === marketId && one.isHeld !== true);
  }

  /**
   * True if the receipt of one in this market is missing for so long that it may be mined unseen.
   * @param nowMs exchange time
   */
  isOverdue(marketId: MarketId, nowMs: Ms): boolean {
    // Runs in each turn, so it does not allocate a list.
    for (const one of this.#all)
      if (
        one.marketId === marketId &&
        one.isHeld !== true &&
        nowMs >= one.sinceMs + RECEIPT_WITHIN_MS
      )
        return true;
    return false;
  }

  /**
   * A takeover has moved the exchange's position by this many lots: marks the matching ones as
   * held. The contract may have capped one to the remaining position of the liquidated account, but
   * never brought more.
   */
  held(marketId: MarketId, lots: Lots, instrument: Pick<Instrument, "paperPerLot">): void {
    const size = (one: ReservedTakeover): Lots => Math.abs(maxTakeoverLots(one, instrument));
    const open = this.in(marketId).filter(
      (one) => Math.sign(maxTakeoverLots(one, instrument)) === Math.sign(lots),
    );
    const held = matchHeld(open.map(size), Math.abs(lots)).map((at) => open[at]);
    if (held.length === 0) return;
    this.#all = this.#all.map((one) => (held.includes(one) ? { ...one, isHeld: true } : one));
    this.#serial += 1;
  }

  /** Replaces all pending takeovers. Returns the markets in which something has changed. */
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

  /** Releases takeovers of an earlier run that no run follows. */
  forget(nowMs: Ms): ReadonlySet<MarketId> {
    // Runs in each tick, so a bot without reservations allocates nothing.
    if (this.#all.length === 0) return NO_MARKETS;
    return this.replace(
      this.#all.filter(({ sinceMs }) => nowMs < sinceMs + FOLLOWED_WITHIN_MS),
      nowMs,
    );
  }
}

/**
 * The sizes that a move of `lots` consists of: the one of that size, else all of them, else the
 * smallest that has as many, else the largest that fit.
 */
function matchHeld(sizes: readonly Lots[], lots: Lots): readonly number[] {
  const indices = [...sizes.keys()].sort((a, b) => (sizes[a] as Lots) - (sizes[b] as Lots));
  const same = sizes.indexOf(lots);
  if (same >= 0) return [same];
  if (sizes.reduce((sum, size) => sum + size, 0) <= lots) return indices;
  const capped = indices.find((at) => (sizes[at] as Lots) > lots);
  if (capped !== undefined) return [capped];
  let left = lots;
  return indices.reverse().filter((at) => {
    const fits = (sizes[at] as Lots) <= left;
    if (fits) left -= sizes[at] as Lots;
    return fits;
  });
}

/** The lots that a takeover may bring, signed, a part of one counted as one. */
export function maxTakeoverLots(
  { paper }: PlannedTakeover,
  { paperPerLot }: Pick<Instrument, "paperPerLot">,
): Lots {
  const lots = Number(ceilDivide(absolute(paper), paperPerLot));
  return paper < 0n ? -lots : lots;
}
