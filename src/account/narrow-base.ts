import type { Lots, MarketId, Ms } from "../core/units.js";
import type { Intake } from "./intake.js";
import { countedPosition, type ReconcileRun, settlingSinceMs } from "./reconcile-run.js";

const CONFIRMING_COUNTS = 4;

/**
 * The base of a market that has none yet: the counted position less the trades before it. Trades in between, and trades that have not settled
 * (`comparedPosition` says why), each give a base that may be; two counts or more leave the one that is in all.
 */
export function narrowBase(
  run: ReconcileRun,
  intake: Intake,
  marketId: MarketId,
  nowMs: Ms,
): Lots | undefined {
  const theirs = countedPosition(run, marketId)?.lots;
  if (theirs === undefined) return undefined;
  const trail = intake.trades.trail(marketId);
  // A chain that stands still must not keep a bot from starting: what it has not settled by then is taken for part of the position.
  const lacking = intake.trades.unsettledLots(marketId, settlingSinceMs(run, nowMs));
  const possible = new Set(
    lacking.flatMap((lots) => trail.map((traded) => theirs - traded + lots)),
  );
  const before = run.bases.get(marketId);
  const common = new Set(
    [...possible].filter((base) => before === undefined || before.possible.has(base)),
  );
  // No base in common: the moments were not told in their true order. Counting begins anew.
  const left =
    common.size === 0
      ? { possible, counts: 1 }
      : { possible: common, counts: (before?.counts ?? 0) + 1 };
  run.bases.set(marketId, left);
  const [base] = left.possible;
  // Out of order, a wrong base may be left by chance: unless nothing came between, it must stand through several counts.
  return left.possible.size === 1 && (possible.size === 1 || left.counts >= CONFIRMING_COUNTS)
    ? base
    : undefined;
}
