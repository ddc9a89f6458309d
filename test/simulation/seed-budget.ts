/**
 * The seeds of every simulation that `npm test` runs, from one budget of processor time; all others
 * run in `npm run verify`. Whoever adds seeds here takes them from another line, or makes a
 * simulation faster.
 */
export const BUDGET_SECONDS = 137;

/** One simulation's share of the budget. */
export interface SeedShare {
  readonly seeds: readonly number[];
  /** How often all of them run at most. */
  readonly times: number;
  /** Processor seconds of one seed at most, as measured on two busy cores. */
  readonly secondsEach: number;
}

/** The seeds from one to another, both included. */
export function seedsFrom(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** By simulation. */
export const SEED_BUDGET = {
  /** The whole system, two minutes each; the first runs twice. They have every kind of fault. */
  whole: { seeds: [1, 2, 6, 1], times: 1, secondsEach: 4 },
  /** The same with each of its rules switched off, until one notices. */
  wholeBreaks: { seeds: [6, 2], times: 4, secondsEach: 4 },
  /** The market maker for half an hour; `npm run verify` runs hours. */
  makerHalfHours: { seeds: [1], times: 1, secondsEach: 5 },
  /** The market maker for a quarter of an hour, with as many faults. */
  makerQuarterHours: { seeds: [6], times: 1, secondsEach: 3 },
  /**
   * The market maker for twenty minutes with each of its rules switched off, until a seed notices:
   * most notice in the first one's beginning.
   */
  makerBreaks: { seeds: [1], times: 15, secondsEach: 2 },
  /** Takeovers that are handed to the market maker, five minutes each. */
  takeovers: { seeds: [2, 4, 10, 11, 26], times: 1, secondsEach: 1.5 },
  /** The market maker with reference sources that fail, two minutes each; the first runs twice. */
  references: { seeds: [1, 2, 1], times: 1, secondsEach: 2 },
  /** The same with each of its rules switched off, until one notices. */
  referenceBreaks: { seeds: [1, 2], times: 4, secondsEach: 0.5 },
  /** The market maker and its hedge, two minutes each; the first runs twice. */
  hedges: { seeds: [1, 36, 1], times: 1, secondsEach: 2 },
  /** The same with each of its rules switched off, until one notices. */
  hedgeBreaks: { seeds: [1, 2], times: 10, secondsEach: 0.8 },
  /** A failing run of the market maker with reference sources that is shrunk: its candidates. */
  shrunkBreak: { seeds: [1], times: 12, secondsEach: 0.12 },
  /** The liquidator alone, two minutes each; the first runs twice. */
  liquidator: { seeds: [11, 5, 19, 11], times: 1, secondsEach: 2.5 },
} as const satisfies Readonly<Record<string, SeedShare>>;
