import type { CreditUnits, Int64Id, MarketId, Ms } from "../core/units.js";
import type { VenueIncome } from "../exchange/records.js";

/** How long one that the exchange alone has told may wait until what else moves its position is told: after that, what is likeliest counts. */
const EXPLAINED_WITHIN_MS: Ms = 30_000;
/** A takeover's price is within this share of the mark: what is further off was no takeover. */
const PLAUSIBLE_SHARE = 0.5;

/** The incomes of liquidations: of the account that took a position over, and of the one that lost it. */
const LIQUIDATION_TYPES = ["LIQUIDATE", "LIQUIDATED"] as const;

/** Whether an income tells of a liquidation: its amount is the credit that went with the position (protocol, 7.7). */
export function isLiquidation({ type }: Pick<VenueIncome, "type">): boolean {
  return LIQUIDATION_TYPES.some((one) => one === type);
}

/** The income of a liquidation. */
export interface ReportedLiquidation {
  readonly id: Int64Id;
  readonly marketId: MarketId;
  readonly type: VenueIncome["type"];
  readonly amount: CreditUnits;
}

/** One that waits for an explanation. */
interface WaitingLiquidation extends ReportedLiquidation {
  readonly atMs: Ms;
}

/** The liquidations that the exchange has reported as incomes and that no takeover explains yet. */
export class ReportedLiquidations {
  #waiting: WaitingLiquidation[] = [];
  #heard = 0;
  /** Of each market, the number of the last one that was heard; the first of all is 1. */
  readonly #lastHeard = new Map<MarketId, number>();

  /** Counts one that is reported for the first time, whether or not something explains it. */
  hear(marketId: MarketId): void {
    this.#heard += 1;
    this.#lastHeard.set(marketId, this.#heard);
  }

  /** How many liquidations the exchange has told. */
  get heard(): number {
    return this.#heard;
  }

  /** Whether it told one in this market when so many were heard already: a position that was asked for then may not have it. */
  isHeardSince(marketId: MarketId, heard: number): boolean {
    return (this.#lastHeard.get(marketId) ?? 0) > heard;
  }

  /** Adds one that nothing explains. */
  wait({ id, marketId, type, amount }: ReportedLiquidation, nowMs: Ms): void {
    this.#waiting.push({ id, marketId, type, amount, atMs: nowMs });
  }

  /** Takes out the oldest one of this credit; false where there is none. */
  take(marketId: MarketId, credit: CreditUnits): boolean {
    const found = this.#waiting.findIndex((income) => income.marketId === marketId && income.amount === credit);
    if (found < 0) return false;
    this.#waiting.splice(found, 1);
    return true;
  }

  /** Takes out all of a market. */
  takeAll(marketId: MarketId): readonly ReportedLiquidation[] {
    const taken = this.#waiting.filter((income) => income.marketId === marketId);
    this.#waiting = this.#waiting.filter((income) => income.marketId !== marketId);
    return taken;
  }

  /** Whether the exchange has told a liquidation in this market, before `beforeMs`, that nothing explains yet. */
  isWaiting(marketId: MarketId, beforeMs: Ms = Number.POSITIVE_INFINITY): boolean {
    // Asked after each turn: a closure would be made each time, for no income at all.
    for (const income of this.#waiting) if (income.marketId === marketId && income.atMs < beforeMs) return true;
    return false;
  }

  /** When the newest of those was reported; undefined where there are none. */
  waitingSinceMs(marketId: MarketId): Ms | undefined {
    let newest: Ms | undefined;
    for (const income of this.#waiting) if (income.marketId === marketId) newest = Math.max(newest ?? income.atMs, income.atMs);
    return newest;
  }

  /** Whether any waits, in any market. */
  get isAnyWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether one of those has waited for too long. */
  isOverdue(marketId: MarketId, nowMs: Ms): boolean {
    return this.isWaiting(marketId, nowMs - EXPLAINED_WITHIN_MS);
  }

  /** Whether all of those are of positions that this account took over, and none of its own that was liquidated. */
  areTakenOver(marketId: MarketId): boolean {
    return this.isWaiting(marketId) && !this.#waiting.some((income) => income.marketId === marketId && income.type === "LIQUIDATED");
  }

  /**
   * How far off the mark, as a share of it, liquidations were that the exchange has told and nothing else explains, if they have moved a position
   * by so many lots and parts of one. Undefined when they cannot have: their credit is no price at all near the mark.
   * @param lotValue one lot at the mark, in credit units; undefined before the first mark.
   */
  offMark(marketId: MarketId, movedLots: number, lotValue: number | undefined): number | undefined {
    if (movedLots === 0 || !this.isWaiting(marketId)) return undefined;
    let credit = 0n;
    for (const income of this.#waiting) if (income.marketId === marketId) credit += income.amount;
    const paid = -Number(credit) / movedLots;
    if (lotValue === undefined) return paid > 0 ? 0 : undefined;
    const off = Math.abs(paid - lotValue) / lotValue;
    return off <= PLAUSIBLE_SHARE ? off : undefined;
  }
}
