import { DAY_MS } from "../../../core/units.js";

/** An interval in which all recorded values are multiples of more than their unit. */
export interface CoarseStretch {
  /** From the first of its hours to the end of the last, microseconds since 1970. */
  readonly fromUs: number;
  readonly toUs: number;
  /** The common divisor of the values, in units. */
  readonly divisor: number;
  /** Number of values. */
  readonly values: number;
  /** True if the interval is the whole history. */
  readonly isAll: boolean;
}

/** Evidence that is needed to report a coarser grid. */
export interface CoarseEvidence {
  /** Fewest values for a grid; fewer may lie on a coarser one by chance. */
  readonly values: number;
  /**
   * Fewest different values, since a market that rests at one price shows nothing: of a whole
   * history, of a day of it, and of hours of it.
   */
  readonly distinct: { readonly all: number; readonly day: number; readonly hours: number };
}

const HOUR_US = 3_600_000_000;
const HOURS_A_DAY = (DAY_MS * 1000) / HOUR_US;
/** More values of one hour add no evidence. */
const MOST_VALUES = 10_000;
const MOST_DISTINCT = 32;

/** Evidence from the values of one or several hours. */
interface Seen {
  readonly divisor: number;
  readonly values: number;
  readonly distinct: ReadonlySet<number>;
}

interface Hour extends Seen {
  divisor: number;
  values: number;
  readonly distinct: Set<number>;
}

/** Consecutive hours of a history. */
interface Run extends Seen {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds the intervals in which prices or amounts lie on a coarser grid than their unit. Each hour
 * is judged by itself. Values that need the unit in one hour say nothing about another, since
 * exchanges change their ticks.
 */
export class CoarseStretches {
  readonly #evidence: CoarseEvidence;
  readonly #hours = new Map<number, Hour>();
  #hour: Hour | undefined;
  #at = Number.NaN;

  constructor(evidence: CoarseEvidence) {
    this.#evidence = evidence;
  }

  /**
   * True if more values of an hour would add evidence.
   * @param atUs an instant in it.
   */
  isOpen(atUs: number): boolean {
    const hour = this.#of(atUs);
    return hour.divisor !== 1 && hour.values < MOST_VALUES;
  }

  /** Adds the next value, in units. */
  add(atUs: number, value: number): void {
    const hour = this.#of(atUs);
    hour.divisor = greatestCommonDivisor(value, hour.divisor);
    hour.values += 1;
    if (hour.distinct.size < MOST_DISTINCT) hour.distinct.add(value);
  }

  /** The end of the hour of an instant. */
  static endOf(atUs: number): number {
    return (Math.floor(atUs / HOUR_US) + 1) * HOUR_US;
  }

  /**
   * The intervals found, in order of time: all of the history as one, else days, and hours of the
   * other days.
   */
  get found(): CoarseStretch[] {
    const { distinct } = this.#evidence;
    const hours = [...this.#hours]
      .filter(([, { values }]) => values > 0)
      .sort(([one], [other]) => one - other);
    const runs = hours.map(([at, seen]): Run => ({ ...seen, first: at, last: at }));
    const all = runs.reduce<Run | undefined>(joined, undefined);
    if (all !== undefined && this.#tells(all, distinct.all)) return [stretchOf(all, true)];
    const days = new Map<number, Run[]>();
    for (const run of runs) {
      const day = Math.floor(run.first / HOURS_A_DAY);
      days.set(day, [...(days.get(day) ?? []), run]);
    }
    const coarse: Run[] = [];
    let open: Run | undefined;
    const end = (): void => {
      if (open !== undefined && this.#tells(open, distinct.hours)) coarse.push(open);
      open = undefined;
    };
    for (const day of days.values()) {
      const whole = day.reduce<Run | undefined>(joined, undefined);
      if (whole !== undefined && this.#tells(whole, distinct.day)) {
        end();
        const before = coarse.at(-1);
        const both =
          before === undefined || before.last < whole.first - HOURS_A_DAY
            ? whole
            : joined(before, whole);
        if (both !== whole && both.divisor > 1) coarse[coarse.length - 1] = both;
        else coarse.push(whole);
        continue;
      }
      for (const hour of day) {
        if (open !== undefined && joined(open, hour).divisor === 1) end();
        if (hour.divisor > 1) open = joined(open, hour);
      }
      end();
    }
    return coarse.map((run) => stretchOf(run, false));
  }

  #tells({ divisor, values, distinct }: Seen, least: number): boolean {
    return divisor > 1 && values >= this.#evidence.values && distinct.size >= least;
  }

  #of(atUs: number): Hour {
    const at = Math.floor(atUs / HOUR_US);
    if (at !== this.#at || this.#hour === undefined) {
      this.#at = at;
      this.#hour = this.#hours.get(at) ?? { divisor: 0, values: 0, distinct: new Set() };
      this.#hours.set(at, this.#hour);
    }
    return this.#hour;
  }
}

function joined(one: Run | undefined, other: Run): Run {
  if (one === undefined) return other;
  return {
    first: one.first,
    last: other.last,
    divisor: greatestCommonDivisor(one.divisor, other.divisor),
    values: one.values + other.values,
    distinct: new Set([...one.distinct, ...other.distinct]),
  };
}

function stretchOf({ first, last, divisor, values }: Run, isAll: boolean): CoarseStretch {
  return { fromUs: first * HOUR_US, toUs: (last + 1) * HOUR_US, divisor, values, isAll };
}

function greatestCommonDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
