import type { Ms } from "../../core/units.js";
import type { Rehearsal, RehearsedRun } from "../rehearsal-result.js";
import type { RehearsedFault } from "../rehearsed-fault.js";
import { RehearsalRuns, type RunPair } from "./rehearsal-runs.js";
import { type SeededValue, spreadOf, type ValueSpread } from "./seeded-value.js";

/** A halt under one fault. */
export interface HaltSummary {
  readonly name: string;
  /** Number of runs in which it was in force. */
  readonly runs: number;
  /** The first of their seeds. */
  readonly seed: number;
}

/** A time after the deaths of the bot at which orders were open. */
export interface DeathSummary {
  /** Number of deaths after which it never came, and the first of their seeds. */
  readonly never: SeededValue<number> | undefined;
  /** The longest one of the others. */
  readonly longestMs: SeededValue<Ms> | undefined;
}

/** A row of the rehearsal's table: all runs that one fault struck. */
export interface FaultSummary {
  readonly fault: RehearsedFault;
  readonly runs: number;
  /** Number of runs that the fault struck. Without any, there is no spread. */
  readonly struckRuns: number;
  /**
   * Loss against the same seed without a fault, in credit units. Of `none` it is the loss of the
   * run itself. Below 0 is a gain.
   */
  readonly lossScaled: ValueSpread<bigint> | undefined;
  /** Summed over the markets of a run. */
  readonly unquotedMs: ValueSpread<Ms> | undefined;
  readonly orders: ValueSpread<number> | undefined;
  readonly orderTokens: ValueSpread<number> | undefined;
  /** Number of deaths of the bot, in all runs. */
  readonly deaths: number;
  /** Time from a death with open orders to the guard's first cancel. */
  readonly guardActed: DeathSummary;
  /** Time from a death with open orders until none was open. */
  readonly ordersGone: DeathSummary;
  /** Time with a position beyond the hedge's band for longer than the file allows. */
  readonly unhedgedMs: ValueSpread<Ms> | undefined;
  readonly halts: readonly HaltSummary[];
  /** The first run that ended with an error. */
  readonly error: SeededValue<string> | undefined;
}

/** Summarises a rehearsal, one row a fault, in the order of its runs. */
export function summariseFaults(rehearsal: Pick<Rehearsal, "runs">): readonly FaultSummary[] {
  const runs = new RehearsalRuns(rehearsal);
  return runs.faults.map((fault) => {
    const all = runs.under(fault);
    const struck = fault === "none" ? all.map(asPair) : runs.struckBy(fault);
    return { fault, runs: all.length, ...summarise(struck) };
  });
}

/** A run without a fault: its loss is its own. */
function asPair(run: RehearsedRun): RunPair {
  return { run, calm: run, lossScaled: -run.profitScaled };
}

function summarise(struck: readonly RunPair[]): Omit<FaultSummary, "fault" | "runs"> {
  const spread = <Value extends number | bigint>(of: (pair: RunPair) => Value) =>
    spreadOf(struck.map((pair) => ({ value: of(pair), seed: pair.run.seed })));
  const deaths = struck.flatMap(({ run }) => run.deaths.map((death) => ({ death, run })));
  const withOrders = deaths.filter(({ death }) => death.openOrders > 0);
  const ofDeaths = (key: "guardActedMs" | "ordersGoneMs"): DeathSummary => {
    const missing = withOrders.filter(({ death }) => death[key] === undefined);
    const [first] = missing;
    const times = withOrders.flatMap(({ death, run }) => {
      const value = death[key];
      return value === undefined ? [] : [{ value, seed: run.seed }];
    });
    return {
      never: first === undefined ? undefined : { value: missing.length, seed: first.run.seed },
      longestMs: spreadOf(times)?.largest,
    };
  };
  const failed = struck.find(({ run }) => run.error !== undefined)?.run;
  return {
    struckRuns: struck.length,
    lossScaled: spread(({ lossScaled }) => lossScaled),
    unquotedMs: spread(({ run }) => run.unquotedMs),
    orders: spread(({ run }) => run.orders),
    orderTokens: spread(({ run }) => run.tokens.order),
    deaths: deaths.length,
    guardActed: ofDeaths("guardActedMs"),
    ordersGone: ofDeaths("ordersGoneMs"),
    unhedgedMs: spread(({ run }) => run.unhedgedMs),
    halts: summariseHalts(struck.map(({ run }) => run)),
    error: failed?.error === undefined ? undefined : { value: failed.error, seed: failed.seed },
  };
}

/** The halts of some runs, by name, the most frequent first. */
function summariseHalts(runs: readonly RehearsedRun[]): readonly HaltSummary[] {
  const seeds = new Map<string, number[]>();
  for (const { seed, halts } of runs) {
    for (const name of new Set(halts.map((halt) => halt.name)))
      seeds.set(name, [...(seeds.get(name) ?? []), seed]);
  }
  return [...seeds]
    .map(([name, held]) => ({ name, runs: held.length, seed: Math.min(...held) }))
    .sort((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
}

/** True for a fault whose row belongs into the table of reactions: something happened under it. */
export function hasReaction({ fault, halts, deaths, error }: FaultSummary): boolean {
  return halts.length > 0 || deaths > 0 || error !== undefined || fault.startsWith("hedge-");
}
