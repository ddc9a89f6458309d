import type { Hex, Int64Id, Lots, MarketId, Ms } from "../../core/units.js";
import type { VenuePosition } from "../../exchange/records.js";
import type { ActionId } from "../../exchange/venue.js";
import type { AccountChange, Difference, ReconcileCause } from "../account-change.js";
import type { AccountUpdater } from "../account-updater.js";

/** How the reconciler asks and when. */
export interface ReconcilerDeps {
  readonly updater: AccountUpdater;
  /** The bot's markets. */
  readonly markets: readonly MarketId[];
  readonly nextActionId: () => ActionId;
  /** How long the exchange takes a signed request. */
  readonly signatureWindowMs: Ms;
  /** Between the end of one reconciliation and the next. */
  readonly intervalMs: Ms;
  readonly streamLagMs: Ms;
  /** The account takes positions over in liquidations. */
  readonly acquiresPositions: boolean;
}

/** A reconciliation goes through these in turn; `recount` repeats the position until nothing comes between. */
export type ReconcileStage = "clock" | "lists" | "detail" | "recount" | "recount-detail";

/** How old a trade may be that has not settled and is still expected to: many times what a chain takes. */
const SETTLED_WITHIN_MS: Ms = 60_000;

/** Positions as the exchange listed them, with what our books stood at when they were asked for (the ledger keeps the trail). */
export interface PositionSnapshot {
  readonly liquidationReports: number;
  readonly incomeCount: number;
  readonly moneySerial: number;
  readonly streamBalancesSerial: number;
  positions: readonly VenuePosition[] | undefined;
}

/** What one reconciliation has found so far. */
export class ReconcileRun {
  readonly cause: ReconcileCause;
  readonly startedAtMs: Ms;
  readonly options: ReconcilerDeps;
  readonly updater: AccountUpdater;
  stage: ReconcileStage = "clock";
  exchangeTimeMs: Ms = Number.NEGATIVE_INFINITY;
  count: PositionSnapshot | undefined;
  recounts = 0;
  /** Bases that a market without one may have, by the counts so far. */
  readonly bases = new Map<
    MarketId,
    { readonly possible: ReadonlySet<Lots>; readonly counts: number }
  >();
  /** Orders of ours that were unknown when it began. */
  readonly unknownAtStart: readonly Hex[];
  /** Unknown orders past their dead time that the open orders did not show. */
  readonly overdueUnknown: Hex[] = [];
  /** Orders that we had seen before the open orders were asked for, and that these lack. */
  readonly missing: Hex[] = [];
  readonly foreignMissing: Int64Id[] = [];
  /** Markets of which some history can not be listed. */
  readonly incompleteHistory = new Set<MarketId>();
  readonly adopted: Hex[] = [];
  readonly differences: Difference[] = [];

  constructor(cause: ReconcileCause, startedAtMs: Ms, options: ReconcilerDeps) {
    this.cause = cause;
    this.startedAtMs = startedAtMs;
    this.options = options;
    this.updater = options.updater;
    this.unknownAtStart = this.updater.orders
      .unresolved()
      .filter((order) => order.place === "unknown")
      .map((order) => order.hash);
  }

  /** Remembers what a batch of changes says about the run. */
  note(changes: readonly AccountChange[]): void {
    for (const change of changes)
      if (change.kind === "adopted") this.adopted.push(change.order.hash);
  }

  /** From when on a trade that has not settled may do so yet, exchange time. */
  settlingSinceMs(nowMs: Ms): Ms {
    return this.exchangeTimeMs + (nowMs - this.startedAtMs) - SETTLED_WITHIN_MS;
  }

  /** A market's position as the exchange listed it; undefined until it has. */
  countedPosition(marketId: MarketId): Pick<VenuePosition, "lots" | "restPaper"> | undefined {
    const positions = this.count?.positions;
    return positions === undefined
      ? undefined
      : (positions.find((position) => position.marketId === marketId) ?? { lots: 0 });
  }
}
