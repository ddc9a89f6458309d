import type { Lots, Ms } from "../core/units.js";
import { sideSign } from "../core/units.js";
import type { HedgeContract, HedgeFill, HedgeFunding, HedgeUnits } from "./hedge-venue.js";
import type { StoredHedge } from "./stored-hedge.js";

/** Fills and payments this much older than those that were all read are not new. */
const REPEATED_WITHIN_MS: Ms = 600_000;

/** The profit of a hedge by its parts, in the venue's quote asset, since the hedge began. */
export interface HedgeProfit {
  /** Of prices: what fills brought, and the position at the mid. */
  readonly trading: HedgeUnits;
  /** Paid in the quote asset. */
  readonly fees: HedgeUnits;
  /** Received in the quote asset. */
  readonly funding: HedgeUnits;
  /** Trading less fees, with funding. */
  readonly total: HedgeUnits;
  /** Fees paid in other assets, by asset. They are not in the total. */
  readonly otherFees: Readonly<Record<string, HedgeUnits>>;
}

/**
 * How a fill was taken: it moved the position; it moved it back; it was known; or it was first
 * heard of when it was taken back, so that it has never moved it.
 */
export type FillEffect = "counted" | "reversed" | "repeated" | "void";

/**
 * The position and the money of one hedge, from fills by their ids: each counts once, whatever
 * repeats it. It survives restarts ({@link StoredHedge}).
 */
export class HedgeLedger {
  readonly #contract: HedgeContract;
  readonly #fills = new Map<string, { readonly timeMs: Ms; readonly isReversed: boolean }>();
  readonly #fundingIds = new Set<string>();
  readonly #fees: Record<string, HedgeUnits>;
  readonly #funding: Record<string, HedgeUnits>;
  #positionLots: Lots;
  #cash: HedgeUnits;
  #equityBase: HedgeUnits | undefined;
  /** All fills up to here were read. */
  #fillsToMs: Ms;
  #newestFillMs: Ms;
  #fundingToMs: Ms;

  /** @param nowMs wall clock, for a hedge that begins */
  constructor(contract: HedgeContract, stored: StoredHedge | undefined, nowMs: Ms) {
    this.#contract = contract;
    this.#positionLots = stored?.positionLots ?? 0;
    this.#cash = stored?.cash ?? 0n;
    this.#fees = { ...stored?.fees };
    this.#funding = { ...stored?.funding };
    this.#equityBase = stored?.equityBase;
    this.#fillsToMs = stored?.fillsToMs ?? nowMs;
    this.#fundingToMs = stored?.fundingToMs ?? nowMs;
    this.#newestFillMs = this.#fillsToMs;
    for (const fill of stored?.fills ?? []) this.#remember(fill);
    for (const id of stored?.fundingIds ?? []) this.#fundingIds.add(id);
  }

  /** Signed position of all counted fills and adjustments. */
  get positionLots(): Lots {
    return this.#positionLots;
  }

  /** From when on fills have to be asked for: earlier ones are all counted. */
  get fillsSinceMs(): Ms {
    return this.#fillsToMs - REPEATED_WITHIN_MS / 10;
  }

  /**
   * Every fill up to the newest known one was read from the venue. A fill that the stream brings
   * does not say so: it may have lost earlier ones.
   */
  noteAllRead(): void {
    this.#fillsToMs = this.#newestFillMs;
    const oldestMs = this.#fillsToMs - REPEATED_WITHIN_MS;
    for (const [id, { timeMs }] of this.#fills) if (timeMs < oldestMs) this.#fills.delete(id);
  }

  /** From when on funding payments have to be asked for. */
  get fundingSinceMs(): Ms {
    return this.#fundingToMs;
  }

  /**
   * Notes a fill of before the hedge began: the opening position has it. False if it was known.
   */
  noteEarlier(fill: HedgeFill): boolean {
    const isNew = !this.#fills.has(fill.id);
    this.#remember(fill);
    return isNew;
  }

  /** Counts a fill, unless it was counted before. */
  count(fill: HedgeFill): FillEffect {
    const known = this.#fills.get(fill.id);
    if (known !== undefined && (known.isReversed || !fill.isReversed)) return "repeated";
    const oldestMs = this.#fillsToMs - REPEATED_WITHIN_MS;
    if (known === undefined && fill.timeMs < oldestMs) return "repeated";
    this.#remember(fill);
    if (known === undefined && fill.isReversed) return "void";
    const sign = fill.isReversed ? -1 : 1;
    this.#positionLots += sign * sideSign(fill.side) * fill.lots;
    this.#cash -= BigInt(sign * sideSign(fill.side)) * fill.quote;
    add(this.#fees, fill.feeAsset, BigInt(sign) * fill.fee);
    return fill.isReversed ? "reversed" : "counted";
  }

  /** Counts a funding payment once; false if it was counted before, or is from before the hedge. */
  countFunding({ id, timeMs, asset, amount }: HedgeFunding): boolean {
    if (this.#fundingIds.has(id) || timeMs < this.#fundingToMs - REPEATED_WITHIN_MS) return false;
    this.#fundingIds.add(id);
    this.#fundingToMs = Math.max(this.#fundingToMs, timeMs);
    add(this.#funding, asset, amount);
    return true;
  }

  /**
   * Takes a position that no fill explains, at the mid: the opening one, or one that another client
   * traded.
   * @returns the change of the cash
   */
  adjust(lots: Lots, midTicks: number): HedgeUnits {
    const cash = -this.#valueOf(lots, midTicks);
    this.#positionLots += lots;
    this.#cash += cash;
    return cash;
  }

  /**
   * Sets the equity that the account has at the venue while the hedge has its present profit.
   * False if it is set.
   */
  noteEquity(equity: HedgeUnits, midTicks: number): boolean {
    if (this.#equityBase !== undefined) return false;
    this.#equityBase = equity - this.profit(midTicks).total;
    return true;
  }

  /**
   * The part of the account's change that the hedge does not explain: transfers, other symbols,
   * fees in other assets, rounding. Undefined before the account was read.
   */
  residual(equity: HedgeUnits, midTicks: number): HedgeUnits | undefined {
    return this.#equityBase === undefined
      ? undefined
      : equity - this.#equityBase - this.profit(midTicks).total;
  }

  /** The profit with the position at this mid. */
  profit(midTicks: number): HedgeProfit {
    const { quoteAsset } = this.#contract;
    const { [quoteAsset]: fees = 0n, ...otherFees } = this.#fees;
    const { [quoteAsset]: funding = 0n } = this.#funding;
    const trading = this.#cash + this.#valueOf(this.#positionLots, midTicks);
    return { trading, fees, funding, total: trading - fees + funding, otherFees };
  }

  /** The part that is stored. */
  store(): Omit<StoredHedge, "version" | "venue" | "symbol" | "midTicks" | "orders"> {
    return {
      positionLots: this.#positionLots,
      cash: this.#cash,
      fees: this.#fees,
      funding: this.#funding,
      ...(this.#equityBase === undefined ? {} : { equityBase: this.#equityBase }),
      fills: [...this.#fills].map(([id, fill]) => ({ id, ...fill })),
      fillsToMs: this.#fillsToMs,
      fundingToMs: this.#fundingToMs,
      fundingIds: [...this.#fundingIds].slice(-20),
    };
  }

  #remember({ id, timeMs, isReversed }: Pick<HedgeFill, "id" | "timeMs" | "isReversed">): void {
    this.#fills.set(id, { timeMs, isReversed });
    this.#newestFillMs = Math.max(this.#newestFillMs, timeMs);
  }

  /** Signed value of lots at a mid, which may lie between ticks; 0 of none. */
  #valueOf(lots: Lots, midTicks: number): HedgeUnits {
    if (lots === 0) return 0n;
    const { creditNumerator, creditDenominator } = this.#contract.instrument;
    const halfTicks = BigInt(Math.round(midTicks * 2));
    return (BigInt(lots) * halfTicks * creditNumerator) / (2n * creditDenominator);
  }
}

function add(sums: Record<string, HedgeUnits>, asset: string, amount: HedgeUnits): void {
  sums[asset] = (sums[asset] ?? 0n) + amount;
}
