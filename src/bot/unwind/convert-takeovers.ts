import type { StoredTakeover } from "../../account/positions/takeover.js";
import { decimalToScaled, type Instrument } from "../../core/instrument.js";
import type { Lots, MarketId } from "../../core/units.js";
import { fractionDigits } from "../../exchange/protocol/wire-parse.js";
import { computeRemainingLots, type TakeoverRecord } from "./takeover-registry.js";
import type { ReservedTakeover } from "./takeover-reservations.js";

/** The units in which prices and amounts of a market are counted. */
export type MarketGrid = Pick<Instrument, "tickSize" | "stepSize">;

/** The stored takeovers. */
export interface StoredTakeovers {
  readonly known: readonly TakeoverRecord[];
  /** All takeovers that were applied to the account, including the opposites of reverted ones. */
  readonly said: readonly StoredTakeover[];
  /** Takeovers that were planned or sent, and neither held nor ended; older versions wrote none. */
  readonly reserved?: readonly ReservedTakeover[];
  /**
   * Units of its ticks and lots, by market; none for a market that was in no run since before this
   * was written.
   */
  readonly grids: Readonly<Record<MarketId, MarketGrid>>;
}

/**
 * Converts the stored takeovers of each market to the present units. A market that is not among
 * these keeps its own.
 */
export function convertToCurrentGrids(
  memory: StoredTakeovers,
  now: ReadonlyMap<MarketId, MarketGrid>,
): StoredTakeovers {
  let onGrids = memory;
  for (const [marketId, { tickSize, stepSize }] of now) {
    const before = memory.grids[marketId];
    const isOther =
      before !== undefined && (before.tickSize !== tickSize || before.stepSize !== stepSize);
    const { known, said } = isOther
      ? inOther(onGrids, marketId, before, { tickSize, stepSize })
      : onGrids;
    onGrids = {
      ...onGrids,
      known,
      said,
      grids: { ...onGrids.grids, [marketId]: { tickSize, stepSize } },
    };
  }
  return onGrids;
}

function inOther(
  memory: StoredTakeovers,
  marketId: MarketId,
  before: MarketGrid,
  now: MarketGrid,
): Pick<StoredTakeovers, "known" | "said"> {
  const isHere = ({ marketId: other }: { readonly marketId: MarketId }): boolean =>
    other === marketId;
  const lots = (count: Lots): Lots => moved(count, before.stepSize, now.stepSize, "toward zero");
  return {
    known: memory.known.map((one) =>
      isHere(one.takeover) ? knownInOther(one, lots, before, now) : one,
    ),
    said: memory.said.map((one) => (isHere(one) ? { ...one, lots: lots(one.lots) } : one)),
  };
}

/**
 * The remainder is rounded toward zero by itself: no order could sell an amount below a step, and
 * more than the remainder belongs to the account.
 */
function knownInOther(
  one: TakeoverRecord,
  lots: (count: Lots) => Lots,
  before: MarketGrid,
  now: MarketGrid,
): TakeoverRecord {
  const { takeover, terms, shares, isUndone, state, laidOff } = one;
  const remaining = computeRemainingLots(one);
  const isSale = (remaining === 0 ? takeover.lots : remaining) > 0;
  const inOtherLots = {
    ...one,
    takeover: { ...takeover, lots: lots(takeover.lots) },
    shares: shares.map(({ restPaper: _ofTheirStep, ...share }) => ({
      ...share,
      lots: lots(share.lots),
    })),
    terms: {
      ...terms,
      part: { ...terms.part, holdLots: terms.part.holdLots.map(lots) },
      worstTicks: Math.max(
        1,
        moved(terms.worstTicks, before.tickSize, now.tickSize, isSale ? "up" : "toward zero"),
      ),
    },
    ...(laidOff === undefined ? {} : { laidOff: { ...laidOff, lots: lots(laidOff.lots) } }),
    nettedLots: 0,
  };
  const left = lots(remaining);
  const sold = (isUndone ? 0 : inOtherLots.takeover.lots) - left;
  const nettedLots =
    sold -
    inOtherLots.shares.reduce((sum, share) => sum + share.lots, inOtherLots.laidOff?.lots ?? 0);
  return { ...inOtherLots, nettedLots, state: state === "open" && left === 0 ? "dust" : state };
}

/**
 * Converts a count of one unit to whole ones of another; exact except for the requested rounding.
 */
function moved(count: number, unit: string, into: string, rounding: "up" | "toward zero"): number {
  const decimals = Math.max(fractionDigits(unit), fractionDigits(into));
  const scaled = BigInt(Math.trunc(count)) * decimalToScaled(unit, decimals);
  const divisor = decimalToScaled(into, decimals);
  const isPartLeft = scaled % divisor !== 0n;
  return Number(scaled / divisor) + (rounding === "up" && isPartLeft && scaled > 0n ? 1 : 0);
}
