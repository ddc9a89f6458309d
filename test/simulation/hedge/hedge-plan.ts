import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import {
  drawFaults,
  type FaultKind,
  type FaultStrike,
  type FaultWindow,
} from "#simulation/faults.js";
import { START_MS } from "../seed-plan.js";

/** Everything that a seed decides before its run begins. */
export interface HedgePlan {
  readonly seed: number;
  readonly marketMs: Ms;
  readonly hedge: {
    readonly ratio: number;
    readonly maxUnhedgedBase: string;
    readonly maxUnhedgedMs: Ms;
    readonly style: "taker" | "maker-then-taker";
    readonly maxSlippageBps: number;
    readonly minClipBase: string | undefined;
    readonly whenAway: "reduce" | "halt";
  };
  readonly reconcileMs: Ms;
  /** Step of the hedge venue's amounts, in thousandths of the base asset. */
  readonly stepMilli: number;
  /** Quotes are pegged to the hedge venue's price; otherwise to their own book's. */
  readonly isPegged: boolean;
  readonly maxReferenceAgeMs: Ms;
  readonly bpsPerSqrtSecond: number;
  /** How far the primary venue's price is behind the true one. */
  readonly lagMs: Ms;
  /** Shares of the trades whose settlement fails. */
  readonly primaryFailureRate: number;
  readonly hedgeFailureRate: number;
  /** Of the bot's network to the primary venue, and of its machine. */
  readonly primaryFaults: readonly FaultWindow[];
  readonly hedgeFaults: readonly FaultWindow[];
  /** In place of the strikes that the windows would give. */
  readonly primaryStrikes?: readonly FaultStrike[];
  readonly hedgeStrikes?: readonly FaultStrike[];
  /** Times in which the reference source is silent. */
  readonly silences: readonly { readonly fromMs: Ms; readonly untilMs: Ms }[];
}

/** Market time of a seed. */
export const HEDGE_MS: Ms = 120_000;
export const HEDGE_CALM_BEFORE_MS: Ms = 6_000;
/** After the last fault: the bot connects again, reconciles and hedges. */
export const HEDGE_CALM_AFTER_MS: Ms = 40_000;

/** Faults of the machine, which both venues share. */
const OF_MACHINE: ReadonlySet<FaultKind> = new Set(["clock-step", "bot-killed"]);

/** Draws the plan of a seed. */
export function hedgePlanOf(seed: number, marketMs: Ms): HedgePlan {
  const random = seededRandom(`hedge plan ${seed}`);
  const pick = <T>(choices: readonly T[]): T =>
    choices[Math.floor(random.uniform() * choices.length)] as T;
  const firstMs = START_MS + HEDGE_CALM_BEFORE_MS;
  const lastMs = START_MS + marketMs - HEDGE_CALM_AFTER_MS;
  const isPegged = random.uniform() < 0.6;
  return {
    seed,
    marketMs,
    hedge: {
      ratio: pick([1, 1, 1, 0.5]),
      maxUnhedgedBase: pick(["0.004", "0.02", "0.04"]),
      maxUnhedgedMs: pick([1_000, 2_000, 4_000]),
      style: pick(["taker", "taker", "maker-then-taker"]),
      maxSlippageBps: pick([10, 20]),
      minClipBase: pick([undefined, undefined, "0.012"]),
      whenAway: pick(["reduce", "reduce", "halt"]),
    },
    reconcileMs: pick([2_000, 5_000]),
    stepMilli: pick([1, 1, 4]),
    isPegged,
    maxReferenceAgeMs: pick([1_000, 2_000]),
    bpsPerSqrtSecond: pick([0.3, 0.8]),
    lagMs: pick([0, 200, 600]),
    primaryFailureRate: pick([0, 0.02, 0.1]),
    hedgeFailureRate: pick([0, 0, 0.05]),
    primaryFaults: drawFaults(random, firstMs, lastMs).filter(({ kind }) => keeps(kind, random)),
    hedgeFaults: drawFaults(random, firstMs, lastMs).filter(
      ({ kind }) => !OF_MACHINE.has(kind) && keeps(kind, random),
    ),
    silences: isPegged ? silencesOf(random, firstMs, lastMs) : [],
  };
}

/**
 * Half of the faults are left out, so that times with faults at one venue alone are long enough to
 * be judged.
 */
function keeps(kind: FaultKind, random: Random): boolean {
  return OF_MACHINE.has(kind) || random.uniform() < 0.5;
}

function silencesOf(random: Random, firstMs: Ms, lastMs: Ms): HedgePlan["silences"] {
  return Array.from({ length: Math.floor(random.uniform() * 3) }, () => {
    const fromMs = firstMs + random.uniform() * (lastMs - firstMs);
    return { fromMs, untilMs: Math.min(lastMs, fromMs + 500 + random.uniform() * 8_000) };
  });
}
