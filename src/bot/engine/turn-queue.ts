import { describeThrown } from "../../core/describe-thrown.js";
import type { Clock, Random, Runtime, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { BotInput, TurnStamp } from "./input.js";

/** One turn: the unit of the journal. */
export interface TurnRecord {
  readonly stamp: TurnStamp;
  readonly input: BotInput;
  /** Random draws during the turn, in order: uniforms as numbers, 64-bit integers as bigints. */
  readonly draws: readonly (number | bigint)[];
  /** The exception of the turn, which ended the bot. */
  readonly broke?: string;
}

/**
 * The queue that serialises everything (docs/ideas/design.md#one-event-at-a-time): an input runs to
 * its end before the next begins, and inputs that arise meanwhile wait. Inside a turn the clock
 * does not advance, and timers fire as inputs.
 */
export class TurnQueue implements Runtime {
  readonly clock: Clock;
  readonly random: Random;
  readonly #outer: Runtime;
  readonly #run: (input: BotInput) => void;
  readonly #ended: ((record: TurnRecord) => void) | undefined;
  readonly #waiting: BotInput[] = [];
  /** Timers that are set: a handful at any time, of which one is set again in every other turn. */
  readonly #timers: TurnTimer[] = [];
  #nextTimer = 1;
  #running = false;
  #closed = false;
  /** The one clock reading of the turn. */
  #atMs = 0;
  #monotonicMs = 0;
  #draws: (number | bigint)[] = NO_DRAWS;
  #turns = 0;

  /**
   * @param run handles one input; an exception ends the queue and reaches the caller of {@link
   * accept}.
   * @param ended receives each finished turn, for a journal.
   */
  constructor(
    outer: Runtime,
    run: (input: BotInput) => void,
    ended?: (record: TurnRecord) => void,
  ) {
    this.#outer = outer;
    this.#run = run;
    this.#ended = ended;
    // Frozen, since strategies receive the random numbers that nonces are made of.
    this.clock = Object.freeze({
      nowMs: () => this.#atMs,
      monotonicMs: () => this.#monotonicMs,
      setTimer: (delayMs: Ms, fire: () => void) => this.#setTimer(delayMs, fire),
    });
    this.random = Object.freeze({
      uniform: () => this.#draw(outer.random.uniform()),
      uint64: () => this.#draw(outer.random.uint64()),
    });
  }

  /**
   * Sets the instant outside a turn, for what is created before the first one: from the clock, or
   * from a journal.
   */
  stampNow(stamp?: TurnStamp): void {
    const { clock } = this.#outer;
    this.#atMs = stamp === undefined ? clock.nowMs() : stamp.atMs;
    this.#monotonicMs = stamp === undefined ? clock.monotonicMs() : stamp.monotonicMs;
  }

  /** Number of turns so far, the one in progress included: the lines of a journal. */
  get turns(): number {
    return this.#turns;
  }

  /** True while a turn runs. */
  get running(): boolean {
    return this.#running;
  }

  /** Takes an input: it runs now, or after the turn in progress. */
  accept(input: BotInput): void {
    if (this.#closed) return;
    if (this.#running) {
      this.#waiting.push(input);
      return;
    }
    this.#running = true;
    try {
      this.#turn(input);
      while (this.#waiting.length > 0) this.#turn(this.#waiting.shift() as BotInput);
    } finally {
      this.#running = false;
    }
  }

  /** Drops all timers and accepts no more inputs. */
  close(): void {
    this.#closed = true;
    for (const timer of [...this.#timers]) timer.cancel();
    this.#waiting.length = 0;
  }

  #turn(input: BotInput): void {
    this.stampNow();
    this.#draws = NO_DRAWS;
    const isTimer = input.kind === "timer";
    const timer = isTimer ? this.#takeTimer(input.id) : undefined;
    if (isTimer && timer === undefined) return;
    this.#turns += 1;
    try {
      timer?.fire();
      this.#run(input);
    } catch (error) {
      // The turn that failed is the one for which a journal is read.
      this.#ended?.({ ...this.#record(input), broke: describeThrown(error) });
      throw error;
    }
    this.#ended?.(this.#record(input));
  }

  #record(input: BotInput): TurnRecord {
    return {
      stamp: { atMs: this.#atMs, monotonicMs: this.#monotonicMs },
      input,
      draws: this.#draws,
    };
  }

  #draw<T extends number | bigint>(value: T): T {
    if (this.#draws === NO_DRAWS) this.#draws = [];
    this.#draws.push(value);
    return value;
  }

  #setTimer(delayMs: number, fire: () => void): Timer {
    const id = this.#nextTimer++;
    const outer = this.#outer.clock.setTimer(delayMs, () => this.accept({ kind: "timer", id }));
    const timer = new TurnTimer(this.#timers, id, fire, outer);
    this.#timers.push(timer);
    return timer;
  }

  #takeTimer(id: number): TurnTimer | undefined {
    for (const timer of this.#timers) if (timer.id === id) return timer.remove();
    return undefined;
  }
}

/** A timer that is set, in the list of all that are; it fires in a turn of its own. */
class TurnTimer implements Timer {
  readonly id: number;
  readonly fire: () => void;
  readonly #set: TurnTimer[];
  readonly #outer: Timer;

  constructor(set: TurnTimer[], id: number, fire: () => void, outer: Timer) {
    this.id = id;
    this.fire = fire;
    this.#set = set;
    this.#outer = outer;
  }

  cancel(): void {
    this.#outer.cancel();
    this.remove();
  }

  /** Removes it from the list, if it is still there. */
  remove(): this {
    const set = this.#set;
    const at = set.indexOf(this);
    if (at < 0) return this;
    const last = set.pop() as TurnTimer;
    if (last !== this) set[at] = last;
    return this;
  }
}

/** Draws of a turn that has drawn nothing yet, as most never do. */
const NO_DRAWS: (number | bigint)[] = [];
