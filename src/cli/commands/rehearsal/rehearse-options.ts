import { availableParallelism } from "node:os";
import { findNearestName } from "../../../core/config/find-nearest-name.js";
import { ConfigError } from "../../../core/errors.js";
import { MINUTE_MS, type Ms } from "../../../core/units.js";
import { REHEARSED_FAULTS, type RehearsedFault } from "../../../rehearsal/rehearsed-fault.js";
import { DEFAULT_REHEARSAL_MINUTES } from "../../../rehearsal/summary/rehearsal-command.js";

/** Options of `rehearse`, as the command line has them. */
export interface RehearseCommandOptions {
  readonly exchange?: string;
  readonly seeds?: string;
  readonly firstSeed?: string;
  readonly fault: readonly string[];
  readonly minutes?: string;
  readonly guard: boolean;
  readonly threads?: string;
  readonly out?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** Checked options of the runs. */
export interface RehearsalPlan {
  readonly seeds: readonly number[];
  /** Empty for every kind that applies. */
  readonly faults: readonly RehearsedFault[];
  readonly marketMs: Ms;
  readonly threads: number;
}

const DEFAULT_SEEDS = 20;
const MOST_SEEDS = 10_000;
const MOST_MINUTES = 24 * 60;

/** Checks the options of the runs. @throws ConfigError naming the option and its value */
export function readRehearsalPlan(options: RehearseCommandOptions): RehearsalPlan {
  const { seeds, firstSeed, fault, minutes, threads } = options;
  const count = wholeNumber("--seeds", seeds, { min: 1, max: MOST_SEEDS }) ?? DEFAULT_SEEDS;
  const max = Number.MAX_SAFE_INTEGER - MOST_SEEDS;
  const first = wholeNumber("--first-seed", firstSeed, { min: 0, max }) ?? 1;
  return {
    seeds: Array.from({ length: count }, (_, index) => first + index),
    faults: [...new Set(fault.map(toFault))],
    marketMs:
      MINUTE_MS *
      (wholeNumber("--minutes", minutes, { min: 1, max: MOST_MINUTES }) ??
        DEFAULT_REHEARSAL_MINUTES),
    threads: wholeNumber("--threads", threads, { min: 1, max: 256 }) ?? availableParallelism(),
  };
}

function toFault(name: string): RehearsedFault {
  const known: readonly RehearsedFault[] = ["none", ...REHEARSED_FAULTS];
  const found = known.find((fault) => fault === name);
  if (found !== undefined) return found;
  const near = findNearestName(name, known);
  throw new ConfigError(`no such fault${near === undefined ? "" : `, did you mean ${near}?`}`, {
    field: "--fault",
    value: name,
    expected: `one of ${known.join(", ")}`,
  });
}

function wholeNumber(
  field: string,
  written: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (written === undefined) return undefined;
  const value = /^\d+$/.test(written) ? Number(written) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError("cannot be taken", {
    field,
    value: written,
    expected: `a whole number from ${min} to ${max}`,
  });
}
