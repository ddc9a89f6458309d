import { type Condition, holdsIn, listOperands } from "../bot/bisect/condition.js";
import { ValueRanges } from "../bot/bisect/value-ranges.js";
import type { TurnStore } from "./turn-store.js";
import type { SearchAnswer } from "./viewer-answers.js";

/** Where a search goes: to the first turn that it holds after, or to a change of it. */
export const SEARCHES = ["first", "next", "previous"] as const;

/** One of {@link SEARCHES}. */
export type SearchGoal = (typeof SEARCHES)[number];

/** The truth of a condition after each kept turn of a run, evaluated as far as it is needed. */
export class ConditionHistory {
  readonly #condition: Condition;
  readonly #store: TurnStore;
  readonly #pause: () => Promise<void>;
  readonly #ranges: ValueRanges;
  readonly #holds: boolean[] = [];
  #evaluating: Promise<void> | undefined;

  /** @param pause gives way to other work; awaited after each turn */
  constructor(condition: Condition, store: TurnStore, pause: () => Promise<void>) {
    this.#condition = condition;
    this.#store = store;
    this.#pause = pause;
    this.#ranges = new ValueRanges(listOperands(condition));
  }

  /**
   * Finds a turn. `first` is the first one after which the condition holds, `next` and `previous`
   * the nearest one in which it began or ceased to hold.
   * @param from the turn from which to look for the next or the previous one
   */
  async search(goal: SearchGoal, from: number): Promise<SearchAnswer> {
    // One at a time: evaluations of the same turns would be done twice.
    while (this.#evaluating !== undefined) await this.#evaluating;
    this.#evaluating = this.#evaluate();
    await this.#evaluating.finally(() => {
      this.#evaluating = undefined;
    });
    const first = this.#store.firstTurn ?? 1;
    const found = this.#find(goal, from - first);
    return {
      turn: found < 0 ? null : first + found,
      holds: this.#holds[found] ?? false,
      searched: this.#holds.length,
      ranges: this.#ranges.list(),
    };
  }

  #find(goal: SearchGoal, from: number): number {
    const hasChanged = (index: number): boolean =>
      index > 0 && this.#holds[index] !== this.#holds[index - 1];
    if (goal === "first") return this.#holds.indexOf(true);
    if (goal === "next") return this.#holds.findIndex((_, at) => at > from && hasChanged(at));
    return this.#holds.findLastIndex((_, at) => at < from && hasChanged(at));
  }

  async #evaluate(): Promise<void> {
    const next = (this.#store.firstTurn ?? 1) + this.#holds.length;
    for (const { turn, state } of this.#store.statesFrom(next)) {
      const status = { ...state.status };
      this.#holds.push(holdsIn(this.#condition, status));
      this.#ranges.take(status, turn, state.status.atMs);
      await this.#pause();
    }
  }
}
