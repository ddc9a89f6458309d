import type { Hex, Int64Id, Lots, MarketId, Ms } from "../core/units.js";
import type { VenuePosition } from "../exchange/records.js";
import type { Question } from "../exchange/venue.js";
import type { AccountChange, Difference, ReconcileCause } from "./changes.js";
import type { HistoryWindow } from "./history-windows.js";
import type { Intake } from "./intake.js";

/** A question that is under way, and what its answer needs to be understood. */
export interface Asked {
  readonly question: Question;
  readonly askedAtMs: Ms;
  /** Of a page of the history. */
  readonly window?: HistoryWindow;
  /** How often it has failed before. */
  readonly failures: number;
}

/** A reconciliation goes through these in turn; `recount` repeats the position until nothing comes between. */
export type Stage = "clock" | "lists" | "detail" | "recount" | "recount-detail";

/** Positions as the exchange listed them, with what our books stood at when they were asked for (the ledger keeps the trail). */
export interface PositionCount {
  readonly liquidationsHeard: number;
  readonly incomesTaken: number;
  readonly moneySerial: number;
  readonly streamBalancesSerial: number;
  positions: readonly VenuePosition[] | undefined;
}

/** What one reconciliation has found so far. */
export class ReconcileRun {
  readonly cause: ReconcileCause;
  readonly startedAtMs: Ms;
  stage: Stage = "clock";
  exchangeTimeMs: Ms = Number.NEGATIVE_INFINITY;
  count: PositionCount | undefined;
  recounts = 0;
  /** Bases that a market without one may have, by the counts so far. */
  readonly bases = new Map<MarketId, { readonly possible: ReadonlySet<Lots>; readonly counts: number }>();
  /** Orders of ours that were unknown when it began. */
  readonly unknownAtStart: readonly Hex[];
  /** Unknown orders past their dead time that the open orders did not show. */
  readonly deadlines: Hex[] = [];
  /** Orders that we had seen before the open orders were asked for, and that these lack. */
  readonly missing: Hex[] = [];
  readonly foreignMissing: Int64Id[] = [];
  /** Markets of which some history can not be listed. */
  readonly incompleteHistory = new Set<MarketId>();
  readonly adopted: Hex[] = [];
  readonly differences: Difference[] = [];

  constructor(cause: ReconcileCause, startedAtMs: Ms, intake: Intake) {
    this.cause = cause;
    this.startedAtMs = startedAtMs;
    this.unknownAtStart = intake.orders
      .unresolved()
      .filter((order) => order.place === "unknown")
      .map((order) => order.hash);
  }

  /** Remembers what a batch of changes says about the run. */
  note(changes: readonly AccountChange[]): void {
    for (const change of changes) if (change.kind === "adopted") this.adopted.push(change.order.hash);
  }
}

/** A position by us and by the exchange. */
export interface ComparedPosition {
  readonly ours: Lots;
  readonly theirs: Lots;
  /** They differ by takeovers that the exchange has not told yet, or by trades that have not settled, and are given as equal. */
  readonly isLagging: boolean;
  /** Trades are among what they differ by: an order whose fate is unknown may be what does, by chance just as much. */
  readonly isUnsettled: boolean;
  /** It is known which trades `theirs` has. */
  readonly isExact: boolean;
  /** What the exchange holds beyond `theirs`, signed, in units of paper: less than a lot. */
  readonly restPaper: bigint;
}

/**
 * A market's position by the exchange and by us. With no trade in between they are held against each other; with some,
 * they agree if the answer is what we had at any moment since the question. The exchange may still lack what was taken over on the chain, and
 * trades until they settle: the specification does not say which of the two a position is of. What a liquidation has moved it by is what is
 * left beside all of those trades, so that one that waits to be explained has to wait until it is known which of them the position has.
 * Undefined: nothing can be said.
 */
export function comparedPosition(run: ReconcileRun, intake: Intake, marketId: MarketId, nowMs: Ms): ComparedPosition | undefined {
  const trail = intake.trades.trail(marketId);
  const counted = countedPosition(run, marketId);
  if (counted === undefined || trail.length === 0) return undefined;
  const { lots: theirs, restPaper } = intake.onOurGrid(marketId, counted);
  const base = intake.trades.baseLots(marketId);
  const known = trail.length === 1 ? lackingLots(run, intake, marketId, nowMs) : undefined;
  const isMoved = intake.takeovers.isWaiting(marketId);
  if (isMoved && known === undefined) return undefined;
  const untold = intake.takeovers.untoldLots(marketId, nowMs);
  const beyond = new Set(trail.map((changed) => base + changed - theirs));
  for (const unsettled of isMoved && known !== undefined ? [known] : intake.trades.unsettledLots(marketId)) {
    for (const lots of untold) {
      const lacking = lots + unsettled;
      if (beyond.has(lacking)) {
        return { ours: theirs, theirs, isLagging: lacking !== 0, isUnsettled: unsettled !== 0, isExact: known !== undefined, restPaper };
      }
    }
  }
  if (trail.length > 1) return undefined;
  const ours = intake.trades.positionLots(marketId);
  return { ours, theirs: theirs + (known ?? 0), isLagging: false, isUnsettled: false, isExact: known !== undefined, restPaper };
}

/** A position that has, or lacks, the trades that have not settled shows which of the two the exchange's are. */
export function noteCounting(run: ReconcileRun, intake: Intake, marketId: MarketId, nowMs: Ms): void {
  const { trades, takeovers, counting } = intake;
  const counted = countedPosition(run, marketId);
  const isMoved = takeovers.isWaiting(marketId) || takeovers.untoldLots(marketId, nowMs).length > 1;
  if (counted === undefined || isMoved || trades.trail(marketId).length !== 1) return;
  const open = trades.open(marketId);
  if (open === undefined || open.lots === 0 || open.sinceMs < settlingSinceMs(run, nowMs)) return;
  const lacking = trades.positionLots(marketId) - intake.onOurGrid(marketId, counted).lots;
  if (lacking === 0) counting.show("match");
  else if (lacking === open.lots) counting.show("settlement");
}

/**
 * What the counted position lacks of our trades, with nothing in between, by how the exchange counts them; undefined where that is not known. A
 * liquidation that has waited for too long for trades that nothing settles is told as if it had them.
 */
function lackingLots(run: ReconcileRun, { counting, trades, takeovers }: Intake, marketId: MarketId, nowMs: Ms): Lots | undefined {
  if (counting.from === "match") return 0;
  const open = trades.open(marketId);
  if (open === undefined || open.lots === 0) return open?.lots;
  if (counting.from === "settlement" && open.sinceMs >= settlingSinceMs(run, nowMs)) return open.lots;
  return takeovers.isOverdue(marketId, nowMs) ? 0 : undefined;
}

/**
 * The base of a market that has none yet: the counted position less the trades before it. Trades in between, and trades that have not settled
 * (see {@link comparedPosition}), each give a base that may be; two counts or more leave the one that is in all.
 */
export function narrowBase(run: ReconcileRun, intake: Intake, marketId: MarketId, nowMs: Ms): Lots | undefined {
  const theirs = countedPosition(run, marketId)?.lots;
  if (theirs === undefined) return undefined;
  const trail = intake.trades.trail(marketId);
  // A chain that stands still must not keep a bot from starting: what it has not settled by then is taken for part of the position.
  const lacking = intake.trades.unsettledLots(marketId, settlingSinceMs(run, nowMs));
  const possible = new Set(lacking.flatMap((lots) => trail.map((traded) => theirs - traded + lots)));
  const before = run.bases.get(marketId);
  const common = new Set([...possible].filter((base) => before === undefined || before.possible.has(base)));
  // No base in common: the moments were not told in their true order. Counting begins anew.
  const left = common.size === 0 ? { possible, counts: 1 } : { possible: common, counts: (before?.counts ?? 0) + 1 };
  run.bases.set(marketId, left);
  const [base] = left.possible;
  // Out of order, a wrong base may be left by chance: unless nothing came between, it must stand through several counts.
  return left.possible.size === 1 && (possible.size === 1 || left.counts >= CONFIRMING_COUNTS) ? base : undefined;
}

const CONFIRMING_COUNTS = 4;
/** How old a trade may be that leaves the base open as it has not settled: many times what a chain takes. */
const SETTLED_WITHIN_MS: Ms = 60_000;

/** From when on a trade that has not settled may do so yet, exchange time. */
function settlingSinceMs(run: ReconcileRun, nowMs: Ms): Ms {
  return run.exchangeTimeMs + (nowMs - run.startedAtMs) - SETTLED_WITHIN_MS;
}

/** A market's position as the exchange listed it; undefined until it has. */
export function countedPosition(run: ReconcileRun, marketId: MarketId): Pick<VenuePosition, "lots" | "restPaper"> | undefined {
  const positions = run.count?.positions;
  return positions === undefined ? undefined : (positions.find((position) => position.marketId === marketId) ?? { lots: 0 });
}
