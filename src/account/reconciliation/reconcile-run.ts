import type { Hex, Int64Id, Lots, MarketId, Ms } from "../../core/units.js";
import type { VenuePosition } from "../../exchange/records.js";
import type { ActionId } from "../../exchange/venue.js";
import type { AccountChange, Difference, ReconcileCause } from "../account-change.js";
import type { AccountUpdater } from "../account-updater.js";

/** Dependencies and intervals of the reconciler. */
export interface ReconcilerDeps {
  readonly updater: AccountUpdater;
  /** The bot's markets. */
  readonly markets: readonly MarketId[];
  readonly nextActionId: () => ActionId;
  /** How long the exchange accepts a signed request. */
  readonly signatureWindowMs: Ms;
  /** Time between the end of one reconciliation and the start of the next. */
  readonly intervalMs: Ms;
  readonly streamLagMs: Ms;
  /** True if the account acquires positions in liquidations. */
  readonly acquiresPositions: boolean;
}

/**
 * The stages of a reconciliation in order. `recount` repeats the position until nothing comes in
 * between.
 */
export type ReconcileStage = "clock" | "lists" | "detail" | "recount" | "recount-detail";

/**
 * Maximum age of an unsettled trade that is still expected to settle: many times the settlement
 * time of a chain.
 */
const SETTLED_WITHIN_MS: Ms = 60_000;

/**
 * Positions as the exchange listed them, with the state of our books at the query (the ledger keeps
 * the history).
 */
export interface PositionSnapshot {
  readonly liquidationReports: number;
  readonly incomeCount: number;
  readonly moneySerial: number;
  readonly streamBalancesSerial: number;
  positions: readonly VenuePosition[] | undefined;
}

/** The findings of one reconciliation so far. */
export class ReconcileRun {
  readonly cause: ReconcileCause;
  readonly startedAtMs: Ms;
  readonly options: ReconcilerDeps;
  readonly updater: AccountUpdater;
  stage: ReconcileStage = "clock";
  exchangeTimeMs: Ms = Number.NEGATIVE_INFINITY;
  count: PositionSnapshot | undefined;
  recounts = 0;
  /** Candidates for the opening position of a market without one, by the counts so far. */
  readonly bases = new Map<
    MarketId,
    { readonly possible: ReadonlySet<Lots>; readonly counts: number }
  >();
  /** Own orders that were unknown at its start. */
  readonly unknownAtStart: readonly Hex[];
  /** Unknown orders past their signature window that were not among the open orders. */
  readonly overdueUnknown: Hex[] = [];
  /** Orders seen before the query of the open orders, and missing in its response. */
  readonly missing: Hex[] = [];
  readonly foreignMissing: Int64Id[] = [];
  /** Markets with history that cannot be listed. */
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

  /** Records the changes that concern the run. */
  note(changes: readonly AccountChange[]): void {
    for (const change of changes)
      if (change.kind === "adopted") this.adopted.push(change.order.hash);
  }

  /** Exchange time from which an unsettled trade may still settle. */
  settlingSinceMs(nowMs: Ms): Ms {
    return this.exchangeTimeMs + (nowMs - this.startedAtMs) - SETTLED_WITHIN_MS;
  }

  /** A market's position as the exchange listed it; undefined until then. */
  countedPosition(marketId: MarketId): Pick<VenuePosition, "lots" | "restPaper"> | undefined {
    const positions = this.count?.positions;
    return positions === undefined
      ? undefined
      : (positions.find((position) => position.marketId === marketId) ?? { lots: 0 });
  }
}
