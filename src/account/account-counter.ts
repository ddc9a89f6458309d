import type { MarketId } from "../core/units.js";
import type { AccountChange } from "./account-change.js";

/** Counts since the start, for the summary and the metrics. */
export interface AccountCounts {
  /** Orders that the exchange has accepted. */
  readonly placed: number;
  readonly cancelled: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly unknownResolved: number;
  readonly revived: number;
  readonly fills: number;
  readonly failedTrades: number;
  readonly differences: number;
}

/** Counts changes. */
export class AccountCounter {
  readonly #counts = {
    placed: 0,
    cancelled: 0,
    rejected: 0,
    unknown: 0,
    unknownResolved: 0,
    revived: 0,
    fills: 0,
    failedTrades: 0,
    differences: 0,
  };
  readonly #cancelled = new Map<MarketId, number>();

  get counts(): AccountCounts {
    return { ...this.#counts };
  }

  /** Orders of one market that ended cancelled. */
  cancelledIn(marketId: MarketId): number {
    return this.#cancelled.get(marketId) ?? 0;
  }

  add(change: AccountChange): void {
    const counts = this.#counts;
    switch (change.kind) {
      case "order": {
        if (change.change.change === "revived") counts.revived += 1;
        if (change.change.change !== "phase") return;
        const { from, to } = change.change;
        const wasShown = !NEVER_SHOWN.has(from);
        if (!wasShown && !NEVER_SHOWN.has(to)) counts.placed += 1;
        if (to === "cancelled") {
          const { marketId } = change.order;
          counts.cancelled += 1;
          this.#cancelled.set(marketId, this.cancelledIn(marketId) + 1);
        }
        if (to === "rejected" && change.order.refusalCode !== undefined) counts.rejected += 1;
        if (to === "unknown") counts.unknown += 1;
        if (from === "unknown") counts.unknownResolved += 1;
        return;
      }
      case "fill":
        counts.fills += 1;
        return;
      case "trade-failed":
        counts.failedTrades += 1;
        return;
      case "difference":
        counts.differences += 1;
        return;
      default:
        return;
    }
  }
}

/** Phases of an order that the exchange has not reported, or never had. */
const NEVER_SHOWN: ReadonlySet<string> = new Set([
  "intended",
  "sent",
  "unknown",
  "rejected",
  "lost",
]);
