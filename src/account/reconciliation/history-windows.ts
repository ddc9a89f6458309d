import type { MarketId, Ms } from "../../core/units.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** A span of the times that a list is in order of, start inclusive, end exclusive; without an end, up to now. */
export interface HistoryWindow {
  readonly startMs: Ms;
  readonly endMs: Ms | undefined;
}

/** The largest page of the list endpoints (docs/reference/exchange-interface.md#limits). */
export const PAGE_LIMIT = 500;

/** What remains to be asked after a page of a window. `complete` is false when something in it can not be listed. */
export interface PageResult {
  readonly rest: readonly HistoryWindow[];
  readonly complete: boolean;
}

/**
 * What a page leaves open. A page that is not full says that its window holds no more. A full one is only known to
 * hold some of the window: whether it was cut at its old or its new end is not specified, so both sides of it are
 * asked again, each overlapping by the millisecond that the cut may have gone through. More than a page of records of
 * one millisecond cannot be listed at all.
 * @param page the times of its records.
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

/** Windows so near to each other are asked for as one. */
const WINDOW_JOIN_MS = 10_000;

/**
 * The spans of the history that a run needs, by market.
 * @param listedToMs exchange time of the run before: what was created until then has been listed.
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
    // Whatever was placed and over since the last time, by us or by hand, while no stream told it.
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
    // Matched and over, and its settlement told by nobody in all this time.
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

/** Windows that overlap or lie within `joinMs` of each other, made one: fewer questions, nothing skipped. */
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
