import type { MarketId, Ms } from "../core/units.js";
import { type HistoryWindow, mergeWindows } from "./history-windows.js";
import type { Intake } from "./intake.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** Windows so near to each other are asked for as one. */
const WINDOW_JOIN_MS = 10_000;

/** Which spans of the history a run needs, by market. */
export function wantedHistory(
  run: ReconcileRun,
  intake: Intake,
  options: {
    readonly markets: readonly MarketId[];
    readonly signatureWindowMs: Ms;
    readonly streamLagMs: Ms;
  },
  listedToMs: Ms | undefined,
  nowMs: Ms,
): ReadonlyMap<MarketId, readonly HistoryWindow[]> {
  const { markets, signatureWindowMs, streamLagMs } = options;
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
  for (const hash of run.deadlines) {
    const order = intake.orders.get(hash);
    if (order !== undefined)
      add(order.marketId, {
        startMs: order.requestTimestampMs - signatureWindowMs,
        endMs: undefined,
      });
  }
  const gone = [
    ...run.missing.map((hash) => intake.orders.get(hash)),
    ...run.foreignMissing.map((id) => intake.orders.foreignById(id)),
    // Matched and over, and its settlement told by nobody in all this time.
    ...intake.orders.unsettled(nowMs - 2 * streamLagMs),
  ];
  for (const order of gone) {
    if (order?.createdAtMs !== undefined)
      add(order.marketId, { startMs: order.createdAtMs, endMs: order.createdAtMs + 2 });
  }
  return new Map(
    [...windows].map(([marketId, wanted]) => [marketId, mergeWindows(wanted, WINDOW_JOIN_MS)]),
  );
}
