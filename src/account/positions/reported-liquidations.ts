import type { CreditUnits, Int64Id, MarketId, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";

/** How long a liquidation that only an income reports may wait for a takeover that explains it. After that the likeliest explanation counts. */
const EXPLAINED_WITHIN_MS: Ms = 30_000;
/** Most that a takeover's price differs from the mark, as a share of the mark. */
const PLAUSIBLE_SHARE = 0.5;

/** The incomes of liquidations: of the account that took a position over, and of the one that lost it. */
const LIQUIDATION_TYPES = ["LIQUIDATE", "LIQUIDATED"] as const;

/**
 * True for the income of a liquidation. Its amount is the credit that went with the position
 * (docs/reference/protocol.md#liquidations).
 */
export function isLiquidation({ type }: Pick<VenueIncome, "type">): boolean {
  return LIQUIDATION_TYPES.some((one) => one === type);
}

/** A liquidation as its income reports it. */
export interface ReportedLiquidation {
  readonly id: Int64Id;
  readonly marketId: MarketId;
  readonly type: VenueIncome["type"];
  readonly amount: CreditUnits;
}

/** A reported liquidation that no takeover explains yet. */
interface WaitingLiquidation extends ReportedLiquidation {
  readonly atMs: Ms;
}

/** The liquidations that incomes report and that no takeover explains yet: they "wait". */
export class ReportedLiquidations {
  #waiting: WaitingLiquidation[] = [];
  #reportCount = 0;
  /** By market, the running number of its latest report; the first report of all is 1. */
  readonly #lastReport = new Map<MarketId, number>();

  /** Counts a first report, whether or not a takeover explains it. */
  recordReport(marketId: MarketId): void {
    this.#reportCount += 1;
    this.#lastReport.set(marketId, this.#reportCount);
  }

  /** Number of liquidations reported so far. */
  get reportCount(): number {
    return this.#reportCount;
  }

  /** True if this market had a report after the first `reportCount` of all. A position that was asked for before it may not show it. */
  isReportedSince(marketId: MarketId, heard: number): boolean {
    return (this.#lastReport.get(marketId) ?? 0) > heard;
  }

  /** Adds a liquidation that no takeover explains. */
  wait({ id, marketId, type, amount }: ReportedLiquidation, nowMs: Ms): void {
    this.#waiting.push({ id, marketId, type, amount, atMs: nowMs });
  }

  /** Removes the oldest waiting one with this credit; false if there is none. */
  take(marketId: MarketId, credit: CreditUnits): boolean {
    const found = this.#waiting.findIndex(
      (income) => income.marketId === marketId && income.amount === credit,
    );
    if (found < 0) return false;
    this.#waiting.splice(found, 1);
    return true;
  }

  /** Removes and returns all that wait in a market. */
  takeAll(marketId: MarketId): readonly ReportedLiquidation[] {
    const taken = this.#waiting.filter((income) => income.marketId === marketId);
    this.#waiting = this.#waiting.filter((income) => income.marketId !== marketId);
    return taken;
  }

  /** True if a liquidation that was reported before `beforeMs` waits in this market. */
  isWaiting(marketId: MarketId, beforeMs: Ms = Number.POSITIVE_INFINITY): boolean {
    // Called after each turn, mostly with none waiting: a loop allocates nothing, a closure would.
    for (const income of this.#waiting)
      if (income.marketId === marketId && income.atMs < beforeMs) return true;
    return false;
  }

  /** When the newest that waits in this market was reported; undefined if none waits. */
  waitingSinceMs(marketId: MarketId): Ms | undefined {
    let newest: Ms | undefined;
    for (const income of this.#waiting)
      if (income.marketId === marketId) newest = Math.max(newest ?? income.atMs, income.atMs);
    return newest;
  }

  /** True if one waits in any market. */
  get isAnyWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** True if one has waited in this market for more than 30 s. */
  isOverdue(marketId: MarketId, nowMs: Ms): boolean {
    return this.isWaiting(marketId, nowMs - EXPLAINED_WITHIN_MS);
  }

  /** True if some wait in this market and this account took all of them over: none is of its own position. */
  areTakenOver(marketId: MarketId): boolean {
    return (
      this.isWaiting(marketId) &&
      !this.#waiting.some((income) => income.marketId === marketId && income.type === "LIQUIDATED")
    );
  }

  /**
   * Distance of the waiting liquidations' price from the mark, as a share of the mark, if together they moved the position by `movedLots`.
   * Undefined if they cannot have moved it so: the price would be too far from the mark.
   * @param movedLots signed, with parts of a lot
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
