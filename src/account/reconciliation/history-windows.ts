import type { MarketId, Ms } from "../../core/units.js";
import type { ReconcileRun } from "./reconcile-run.js";

/**
 * A time span of a list that is ordered by time: start inclusive, end exclusive. Without an end it
 * reaches to now.
 */
export interface HistoryWindow {
  readonly startMs: Ms;
  readonly endMs: Ms | undefined;
}

/** The largest page of the list endpoints (docs/reference/exchange-interface.md#limits). */
export const PAGE_LIMIT = 500;

/**
 * The windows that remain after a page. `complete` is false if some records in it cannot be listed.
 */
export interface PageResult {
  readonly rest: readonly HistoryWindow[];
  readonly complete: boolean;
}

/**
 * The windows that a page leaves open. A page that is not full proves that its window has no more
 * records. A full page proves nothing about the rest: it may have been cut at its old or its new
 * end. Both sides are therefore queried again, overlapping by the millisecond of the cut. More than
 * a page of records of one millisecond cannot be listed at all.
 * @param page the times of its records
 */
export function windowsAfterPage(window: HistoryWindow, page: readonly Ms[]): PageResult {
  if (page.length < PAGE_LIMIT) return { rest: [], complete: true };
  let oldestMs = Number.POSITIVE_INFINITY;
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const timeMs of page) {
    if (timeMs < window.startMs || (window.endMs !== undefined && timeMs >= window.endMs)) continue;
    oldestMs = Math.min(oldestMs, timeMs);
    newestMs = Math.max(newestMs, timeMs);
  }
  if (oldestMs > newestMs) return { rest: [], complete: false };
  const oneInstant = oldestMs === newestMs;
  const older = { startMs: window.startMs, endMs: oneInstant ? oldestMs : oldestMs + 1 };
  const newer = { startMs: oneInstant ? newestMs + 1 : newestMs, endMs: window.endMs };
  return {
    rest: [older, newer].filter((w) => w.endMs === undefined || w.endMs > w.startMs),
    complete: !oneInstant,
  };
}

/** Windows closer together than this are merged into one query. */
const WINDOW_JOIN_MS = 10_000;

/**
 * The history windows that a run needs, by market.
 * @param listedToMs exchange time of the previous run, up to which all created orders are listed
 */
export function historyWindows(
  run: ReconcileRun,
  listedToMs: Ms | undefined,
  nowMs: Ms,
): ReadonlyMap<MarketId, readonly HistoryWindow[]> {
  const { orders } = run.updater;
  const { markets, signatureWindowMs, streamLagMs } = run.options;
  const windows = new Map<MarketId, HistoryWindow[]>();
  const add = (marketId: MarketId, window: HistoryWindow): void => {
    const known = windows.get(marketId);
    if (known === undefined) windows.set(marketId, [window]);
    else known.push(window);
  };
  if (listedToMs !== undefined) {
    // Orders that the bot or a person placed since then, and that ended without a report on the
    // stream.
    const startMs = listedToMs - signatureWindowMs - streamLagMs;
    for (const marketId of markets) add(marketId, { startMs, endMs: undefined });
  }
  for (const hash of run.overdueUnknown) {
    const order = orders.get(hash);
    if (order !== undefined)
      add(order.marketId, {
        startMs: order.requestTimestampMs - signatureWindowMs,
        endMs: undefined,
      });
  }
  const gone = [
    ...run.missing.map((hash) => orders.get(hash)),
    ...run.foreignMissing.map((id) => orders.foreignById(id)),
    // Matched and final, with no report of the settlement for that long.
    ...orders.unsettled(nowMs - 2 * streamLagMs),
  ];
  for (const order of gone) {
    if (order?.createdAtMs !== undefined)
      add(order.marketId, { startMs: order.createdAtMs, endMs: order.createdAtMs + 2 });
  }
  return new Map(
    [...windows].map(([marketId, wanted]) => [marketId, mergeWindows(wanted, WINDOW_JOIN_MS)]),
  );
}

/**
 * Merges windows that overlap or lie within `joinMs` of each other: fewer queries, nothing skipped.
 */
function mergeWindows(windows: readonly HistoryWindow[], joinMs: Ms): readonly HistoryWindow[] {
  const merged: HistoryWindow[] = [];
  for (const window of [...windows].sort((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (last === undefined || (last.endMs !== undefined && last.endMs + joinMs < window.startMs)) {
      merged.push(window);
      continue;
    }
    const endMs =
      last.endMs === undefined || window.endMs === undefined
        ? undefined
        : Math.max(last.endMs, window.endMs);
    merged[merged.length - 1] = { startMs: last.startMs, endMs };
  }
  return merged;
}
