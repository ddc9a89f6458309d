import type { Lots, Side, Ticks } from "../../core/units.js";
import { type BandedMean, BlockedMean } from "./blocked-mean.js";
import { HorizonQueue, type PastMids } from "./horizon-queue.js";

/** Horizons of the markouts, seconds after the fill. */
export const MARKOUT_SECONDS = [0.1, 0.3, 1, 3, 10, 30, 100, 300] as const;

/**
 * Length of a block of the band in horizons: moves of neighbouring blocks overlap by a quarter at
 * most.
 */
export const BLOCK_HORIZONS = 4;

/** Levels beyond this are counted together. */
export const LAST_LEVEL = 15;

/** Level of the fills of orders that worked a position instead of quoting. */
export const WORKED = -1;

/** A group of markouts: one side or both, one quote level or all. */
export interface MarkoutKey {
  readonly side: Side | "BOTH";
  readonly level: number | "ALL";
}

/** The markout of a group at one horizon, in half ticks. */
export interface HorizonMarkout extends BandedMean {
  /** Price in half ticks times lots, of the same fills. */
  readonly notional: number;
}

/**
 * Markouts of a group of fills: one for each of {@link MARKOUT_SECONDS}, or undefined where no
 * horizon has passed with a known mid.
 */
export interface MarkoutGroup extends MarkoutKey {
  readonly fills: number;
  readonly horizons: readonly (HorizonMarkout | undefined)[];
}

/** A markout of one fill that has just become known. */
export interface KnownMarkout {
  /** The id that was given with the fill. */
  readonly id: string;
  readonly side: Side;
  /** Index in {@link MARKOUT_SECONDS}. */
  readonly horizon: number;
  /** Best bid plus best ask one horizon after the fill, in ticks. */
  readonly midHalfTicks: number;
}

interface Pending {
  readonly id: string;
  readonly atUs: number;
  readonly signedHalfTicks: number;
  readonly sign: 1 | -1;
  readonly lots: Lots;
  readonly groups: readonly Group[];
}

interface Group extends MarkoutKey {
  fills: number;
  readonly means: readonly BlockedMean[];
  /** By horizon: price in half ticks times lots of the fills in its mean. */
  readonly notionals: Float64Array;
}

const HORIZONS_US = MARKOUT_SECONDS.map((seconds) => seconds * 1e6);

/**
 * Markouts of one market's fills: the mid one horizon after a fill against the fill's price,
 * weighted by lots; above zero is a gain. The one definition of backtests and of live bots.
 *
 * Computed during the run, so that only the fills of the last five minutes are kept. A fill is left
 * out of a horizon at which the mid is not known.
 */
export class Markouts {
  readonly #groups = new Map<string, Group>();
  readonly #queue = new HorizonQueue<Pending>(HORIZONS_US, (fill, index, midHalfTicks) =>
    this.#add(fill, index, midHalfTicks),
  );
  /** Receives each markout of a fill once it is known; undefined if none are wanted. */
  onKnown: ((known: KnownMarkout) => void) | undefined;
  /** The newest result, which a status of each turn reads; undefined once a fill has changed it. */
  #result: readonly MarkoutGroup[] | undefined;

  /**
   * Adds a fill.
   * @param past for a fill that may be reported after one of its horizons, or after later fills
   * @param id for {@link onKnown}
   */
  fill(
    atUs: number,
    side: Side,
    level: number,
    ticks: Ticks,
    lots: Lots,
    past?: PastMids,
    id = "",
  ): void {
    this.#queue.add(this.#counted(id, atUs, side, level, ticks, lots), past);
  }

  /** The earliest instant at which a fill needs a mid. */
  get nextDueUs(): number {
    return this.#queue.nextDueUs;
  }

  /** Counts a fill whose markouts another program has computed: {@link addKnown} adds them. */
  count(side: Side, level: number): void {
    this.#result = undefined;
    for (const group of this.#groupsFor(side, level)) group.fills += 1;
  }

  /** Adds a markout that was computed before, of a fill that {@link count} has counted. */
  addKnown(
    atUs: number,
    side: Side,
    level: number,
    ticks: Ticks,
    lots: Lots,
    horizon: number,
    midHalfTicks: number,
  ): void {
    const sign = side === "BUY" ? 1 : -1;
    const groups = this.#groupsFor(side, level);
    this.#add(
      { id: "", atUs, signedHalfTicks: 2 * sign * ticks, sign, lots, groups },
      horizon,
      midHalfTicks,
    );
  }

  /**
   * Sets the mid for all the time before `untilUs`, and computes everything due before it.
   * @param midHalfTicks best bid plus best ask; NaN if it is not known
   */
  settle(untilUs: number, midHalfTicks: number): void {
    this.#queue.settle(untilUs, midHalfTicks);
  }

  /** Number of fills kept because one of their horizons may not be over. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /**
   * By level from the innermost, both sides before each; all levels together first. The same list
   * until a fill changes it.
   */
  result(): readonly MarkoutGroup[] {
    this.#result ??= this.#groupResults();
    return this.#result;
  }

  #groupResults(): readonly MarkoutGroup[] {
    const rank = ({ side, level }: MarkoutKey) =>
      (level === "ALL" ? -2 : level) * 3 + ["BOTH", "BUY", "SELL"].indexOf(side);
    return [...this.#groups.values()]
      .sort((a, b) => rank(a) - rank(b))
      .map(({ side, level, fills, means, notionals }) => ({
        side,
        level,
        fills,
        horizons: means.map((mean, index) => {
          const result = mean.result();
          return result && { ...result, notional: notionals[index] as number };
        }),
      }));
  }

  #add(fill: Pending, index: number, midHalfTicks: number): void {
    if (Number.isNaN(midHalfTicks)) return;
    this.#result = undefined;
    const { atUs, sign, signedHalfTicks, lots, groups } = fill;
    const markout = sign * midHalfTicks - signedHalfTicks;
    const notional = sign * signedHalfTicks * lots;
    for (const { means, notionals } of groups) {
      (means[index] as BlockedMean).add(atUs, markout, lots);
      notionals[index] = (notionals[index] as number) + notional;
    }
    this.onKnown?.({
      id: fill.id,
      side: sign === 1 ? "BUY" : "SELL",
      horizon: index,
      midHalfTicks,
    });
  }

  #counted(id: string, atUs: number, side: Side, level: number, ticks: Ticks, lots: Lots): Pending {
    this.#result = undefined;
    const groups = this.#groupsFor(side, level);
    for (const group of groups) group.fills += 1;
    const sign = side === "BUY" ? 1 : -1;
    return { id, atUs, signedHalfTicks: 2 * sign * ticks, sign, lots, groups };
  }

  #groupsFor(side: Side, level: number): readonly Group[] {
    const known = Math.max(WORKED, Math.min(LAST_LEVEL, level));
    return [
      this.#group("BOTH", "ALL"),
      this.#group(side, "ALL"),
      this.#group("BOTH", known),
      this.#group(side, known),
    ];
  }

  #group(side: Side | "BOTH", level: number | "ALL"): Group {
    const key = `${side} ${level}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = {
        side,
        level,
        fills: 0,
        means: HORIZONS_US.map((us) => new BlockedMean(us * BLOCK_HORIZONS)),
        notionals: new Float64Array(HORIZONS_US.length),
      };
      this.#groups.set(key, group);
    }
    return group;
  }
}
