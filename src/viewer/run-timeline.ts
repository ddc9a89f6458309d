import type { MarketId, Ms } from "../core/units.js";
import type { LowHigh, TimelineAnswer } from "./viewer-answers.js";

/** The figures of one turn on the time line. */
export interface TimelineSample {
  readonly atMs: Ms;
  /** NaN while it is not known. */
  readonly equityQuote: number;
  /** By market, in the order of the run; NaN while it is not known. */
  readonly positionBase: readonly number[];
  readonly buys: number;
  readonly sells: number;
  /** In words; empty without any. */
  readonly halts: string;
  readonly isDown: boolean;
  readonly isDifferent: boolean;
}

/** The turns of an answer and its intervals. */
interface TimelineRange {
  readonly fromTurn: number;
  readonly toTurn: number;
  readonly intervals: number;
}

/** A run as its time line shows it: a few figures of each turn. */
export class RunTimeline {
  readonly #markets: readonly MarketId[];
  readonly #samples: TimelineSample[] = [];
  #first = 0;

  constructor(markets: readonly MarketId[]) {
    this.#markets = markets;
  }

  /** Adds a turn. The next one has to follow it. */
  add(turn: number, sample: TimelineSample): void {
    if (this.#samples.length === 0) this.#first = turn;
    this.#samples.push(sample);
  }

  /** The first turn at or after an instant; undefined if all are before it. */
  turnAt(atMs: Ms): number | undefined {
    const index = this.#samples.findIndex((sample) => sample.atMs >= atMs);
    return index < 0 ? undefined : this.#first + index;
  }

  /** The figures of a range of turns, which must be known, in intervals of equal length. */
  intervals({ fromTurn, toTurn, intervals }: TimelineRange): TimelineAnswer {
    const samples = this.#samples.slice(fromTurn - this.#first, toTurn - this.#first + 1);
    const fromMs = samples[0]?.atMs ?? 0;
    const toMs = samples.reduce((latest, { atMs }) => Math.max(latest, atMs), fromMs);
    const places = placesIn(samples, fromMs, toMs, intervals);
    const previous = this.#samples[fromTurn - this.#first - 1] ?? samples[0];
    const fold = <T>(
      initial: T,
      carried: (value: T) => T,
      take: (value: T, sample: TimelineSample) => T,
    ): readonly T[] => {
      const values: T[] = [];
      let value = initial;
      let index = 0;
      for (let at = 0; at < intervals; at++) {
        value = carried(value);
        for (; index < samples.length && places[index] === at; index++)
          value = take(value, samples[index] as TimelineSample);
        values.push(value);
      }
      return values;
    };
    const count = (of: (sample: TimelineSample) => number): readonly number[] =>
      fold(
        0,
        () => 0,
        (sum, sample) => sum + of(sample),
      );
    const extremes = (of: (sample: TimelineSample) => number): LowHigh => {
      const start = previous === undefined ? Number.NaN : of(previous);
      const found = fold(
        { low: start, high: start, last: start },
        // A value holds until the next turn.
        ({ last }) => ({ low: last, high: last, last }),
        ({ low, high }, sample) => {
          const last = of(sample);
          return { low: lower(low, last), high: -lower(-high, -last), last };
        },
      );
      return {
        low: found.map(({ low }) => known(low)),
        high: found.map(({ high }) => known(high)),
      };
    };
    return {
      fromTurn,
      toTurn,
      fromMs,
      toMs,
      turns: fold(
        fromTurn - 1,
        (turn) => turn,
        (turn) => turn + 1,
      ).map((turn) => Math.max(turn, fromTurn)),
      equityQuote: extremes(({ equityQuote }) => equityQuote),
      positionBase: Object.fromEntries(
        this.#markets.map((marketId, index) => [
          marketId,
          extremes(({ positionBase }) => positionBase[index] ?? Number.NaN),
        ]),
      ),
      buys: count(({ buys }) => buys),
      sells: count(({ sells }) => sells),
      // A halt lasts until a turn ends it. One that ends within its interval is shown too.
      halts: fold(
        { shown: "", last: previous?.halts ?? "" },
        ({ last }) => ({ shown: last, last }),
        ({ shown }, { halts }) => ({ shown: halts === "" ? shown : halts, last: halts }),
      ).map(({ shown }) => shown),
      outages: fold(
        { shown: false, last: previous?.isDown ?? false },
        ({ last }) => ({ shown: last, last }),
        ({ shown }, { isDown }) => ({ shown: shown || isDown, last: isDown }),
      ).map(({ shown }) => shown),
      differing: count(({ isDifferent }) => (isDifferent ? 1 : 0)),
    };
  }
}

/** The interval of each sample. A clock that was set back does not go back to an earlier one. */
function placesIn(
  samples: readonly TimelineSample[],
  fromMs: Ms,
  toMs: Ms,
  intervals: number,
): readonly number[] {
  const lengthMs = Math.max(1, toMs - fromMs) / intervals;
  let newest = 0;
  return samples.map(({ atMs }) => {
    newest = Math.max(newest, Math.min(intervals - 1, Math.floor((atMs - fromMs) / lengthMs)));
    return newest;
  });
}

function lower(one: number, other: number): number {
  if (Number.isNaN(one)) return other;
  return other < one ? other : one;
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
