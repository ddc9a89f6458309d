import type { CreditUnits, Int64Id, MarketId, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";

/**
 * How long a liquidation that only an income reports awaits a matching takeover. After that the
 * likeliest explanation counts.
 */
const EXPLAINED_WITHIN_MS: Ms = 30_000;
/** Maximum difference of a takeover's price from the mark, as a share of the mark. */
const PLAUSIBLE_SHARE = 0.5;

/** The incomes of liquidations: of the acquiring account, and of the liquidated one. */
const LIQUIDATION_TYPES = ["LIQUIDATE", "LIQUIDATED"] as const;

/**
 * Returns true for the income of a liquidation. Its amount is the credit that went with the
 * position (docs/reference/protocol.md#liquidations).
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

/**
 * The liquidations that incomes report and that no takeover explains yet. They "wait" for an
 * explanation.
 */
export class ReportedLiquidations {
  #waiting: WaitingLiquidation[] = [];
  #reportCount = 0;
  /** Running number of each market's latest report; the first report of all is 1. */
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

  /**
   * Returns true if this market had a report after the first `reportCount` of all. A position
   * queried before that report may not include it.
   */
  isReportedSince(marketId: MarketId, sinceReport: number): boolean {
    return (this.#lastReport.get(marketId) ?? 0) > sinceReport;
  }

  /** Adds a liquidation that no takeover explains. */
  wait({ id, marketId, type, amount }: ReportedLiquidation, nowMs: Ms): void {
    this.#waiting.push({ id, marketId, type, amount, atMs: nowMs });
  }

  /** Removes the oldest waiting liquidation with this credit. Returns false if there is none. */
  take(marketId: MarketId, credit: CreditUnits): boolean {
    const found = this.#waiting.findIndex(
      (income) => income.marketId === marketId && income.amount === credit,
    );
    if (found < 0) return false;
    this.#waiting.splice(found, 1);
    return true;
  }

  /** Removes and returns all waiting liquidations of a market. */
  takeAll(marketId: MarketId): readonly ReportedLiquidation[] {
    const taken = this.#waiting.filter((income) => income.marketId === marketId);
    this.#waiting = this.#waiting.filter((income) => income.marketId !== marketId);
    return taken;
  }

  /** Returns true if a liquidation reported before `beforeMs` waits in this market. */
  isWaiting(marketId: MarketId, beforeMs: Ms = Number.POSITIVE_INFINITY): boolean {
    // Called after each event, mostly with none waiting: a loop allocates nothing, a closure would.
    for (const income of this.#waiting)
      if (income.marketId === marketId && income.atMs < beforeMs) return true;
    return false;
  }

  /** Report time of the newest waiting liquidation in this market; undefined if none waits. */
  waitingSinceMs(marketId: MarketId): Ms | undefined {
    let newest: Ms | undefined;
    for (const income of this.#waiting)
      if (income.marketId === marketId) newest = Math.max(newest ?? income.atMs, income.atMs);
    return newest;
  }

  /** True if a liquidation waits in any market. */
  get isAnyWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Returns true if a liquidation has waited in this market for more than 30 s. */
  isOverdue(marketId: MarketId, nowMs: Ms): boolean {
    return this.isWaiting(marketId, nowMs - EXPLAINED_WITHIN_MS);
  }

  /**
   * Returns true if liquidations wait in this market and this account acquired all of them: none is
   * of its own position.
   */
  areTakenOver(marketId: MarketId): boolean {
    return (
      this.isWaiting(marketId) &&
      !this.#waiting.some((income) => income.marketId === marketId && income.type === "LIQUIDATED")
    );
  }

  /**
   * Distance of the waiting liquidations' price from the mark, as a share of the mark, if together
   * they moved the position by `movedLots`. Undefined if the price would be too far from the mark
   * for that.
   * @param movedLots signed, including fractions of lots
   * @param lotValue one lot at the mark, in credit units; undefined before the first mark
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
