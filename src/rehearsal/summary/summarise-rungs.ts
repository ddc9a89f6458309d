import type { Ms } from "../../core/units.js";
import type { LadderAction } from "../../risk/risk-ladder.js";
import type { Rehearsal, RehearsedRun, RehearsedRung } from "../rehearsal-result.js";
import type { RehearsedFault } from "../rehearsed-fault.js";

/** The run that shows a fact about a rung. */
interface RungRun {
  readonly fault: RehearsedFault;
  readonly seed: number;
}

/** One rung of the loss ladder over all runs. */
export interface RungSummary {
  readonly name: string;
  readonly action: LadderAction;
  readonly atScaled: bigint;
  /** Number of runs whose loss passed it, by the exchange's records. */
  readonly reachedRuns: number;
  /** Number of runs in which it acted. */
  readonly firedRuns: number;
  /** Number of runs in which its action did what it promises. */
  readonly workedRuns: number;
  /** Slowest reaction of the runs in which it acted. */
  readonly slowest: (RungRun & { readonly afterMs: Ms }) | undefined;
  /** The first run in which its action did not do what it promises. */
  readonly failed: RungRun | undefined;
}

/** Summarises each rung of the file's loss ladder over all runs, in the order of the ladder. */
export function summariseRungs({ runs }: Pick<Rehearsal, "runs">): readonly RungSummary[] {
  const byName = new Map<string, { run: RehearsedRun; rung: RehearsedRung }[]>();
  for (const run of runs) {
    for (const rung of run.rungs)
      byName.set(rung.name, [...(byName.get(rung.name) ?? []), { run, rung }]);
  }
  return [...byName.values()].flatMap((held): RungSummary[] => {
    const [first] = held;
    if (first === undefined) return [];
    const { name, action, atScaled } = first.rung;
    const failed = held.find(({ rung }) => rung.worked === false)?.run;
    return [
      {
        name,
        action,
        atScaled,
        reachedRuns: held.filter(({ rung }) => rung.wasReached).length,
        firedRuns: held.filter(({ rung }) => rung.firedAfterMs !== undefined).length,
        workedRuns: held.filter(({ rung }) => rung.worked === true).length,
        slowest: slowestOf(held),
        failed: failed === undefined ? undefined : { fault: failed.fault, seed: failed.seed },
      },
    ];
  });
}

function slowestOf(
  held: readonly { readonly run: RehearsedRun; readonly rung: RehearsedRung }[],
): RungSummary["slowest"] {
  let slowest: RungSummary["slowest"];
  for (const { run, rung } of held) {
    const { firedAfterMs: afterMs } = rung;
    if (afterMs === undefined || (slowest !== undefined && afterMs <= slowest.afterMs)) continue;
    slowest = { fault: run.fault, seed: run.seed, afterMs };
  }
  return slowest;
}
