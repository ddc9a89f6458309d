import type { Rehearsal, RehearsedRun } from "../rehearsal-result.js";
import type { RehearsedFault } from "../rehearsed-fault.js";

/** A run that its fault struck, beside the run of the same seed without a fault. */
export interface RunPair {
  readonly run: RehearsedRun;
  readonly calm: RehearsedRun;
  /** Loss against the calm run, in credit units; below 0 if the run under the fault earned more. */
  readonly lossScaled: bigint;
}

/** The runs of a rehearsal, by their faults. */
export class RehearsalRuns {
  readonly #byFault = new Map<RehearsedFault, RehearsedRun[]>();
  readonly #calmBySeed = new Map<number, RehearsedRun>();

  constructor({ runs }: Pick<Rehearsal, "runs">) {
    for (const run of runs) {
      const held = this.#byFault.get(run.fault);
      if (held === undefined) this.#byFault.set(run.fault, [run]);
      else held.push(run);
      if (run.fault === "none") this.#calmBySeed.set(run.seed, run);
    }
  }

  /** The faults of the runs, `none` first if it was run. */
  get faults(): readonly RehearsedFault[] {
    return [...this.#byFault.keys()];
  }

  /** All runs under a fault, struck or not. */
  under(fault: RehearsedFault): readonly RehearsedRun[] {
    return this.#byFault.get(fault) ?? [];
  }

  /** The runs that some fault of the list struck, each with the calm run of its seed. */
  struckBy(...faults: readonly RehearsedFault[]): readonly RunPair[] {
    return faults.flatMap((fault) =>
      this.under(fault).flatMap((run): RunPair[] => {
        const calm = this.#calmBySeed.get(run.seed);
        if (run.strikes === 0 || calm === undefined) return [];
        return [{ run, calm, lossScaled: calm.profitScaled - run.profitScaled }];
      }),
    );
  }
}
