import type { Clock, Random, Runtime } from "../../core/runtime/runtime.js";
import type { TurnStamp } from "../engine/input.js";

/**
 * Time and randomness from a journal: each turn's recorded instant and draws. Timers never fire by
 * themselves: each firing is an input of the journal.
 */
export class ReplayRuntime implements Runtime {
  readonly clock: Clock;
  readonly random: Random;
  #stamp: TurnStamp;
  #draws: readonly (number | bigint)[] = [];
  #drawn = 0;
  #wrongDraw: string | undefined;

  constructor(stamp: TurnStamp) {
    this.#stamp = stamp;
    this.clock = {
      nowMs: () => this.#stamp.atMs,
      monotonicMs: () => this.#stamp.monotonicMs,
      setTimer: () => ({ cancel: () => {} }),
    };
    this.random = {
      uniform: () => {
        const draw = this.#next("number");
        return typeof draw === "number" ? draw : 0;
      },
      uint64: () => {
        const draw = this.#next("bigint");
        return typeof draw === "bigint" ? draw : 0n;
      },
    };
  }

  /** A turn begins. */
  begin(stamp: TurnStamp, draws: readonly (number | bigint)[]): void {
    this.#stamp = stamp;
    this.#draws = draws;
    this.#drawn = 0;
    this.#wrongDraw = undefined;
  }

  /** After the turn: how its draws differ from the recorded ones, if they do. */
  get difference(): string | undefined {
    if (this.#wrongDraw !== undefined) return this.#wrongDraw;
    return this.#drawn === this.#draws.length
      ? undefined
      : `${this.#drawn} draws of ${this.#draws.length} recorded ones were taken`;
  }

  #next(kind: "number" | "bigint"): number | bigint | undefined {
    const draw = this.#draws[this.#drawn++];
    // Not thrown: a strategy's draw would throw inside its operator, which handles errors as its
    // own.
    if (typeof draw !== kind)
      this.#wrongDraw ??= `draw ${this.#drawn} is ${draw === undefined ? "not recorded" : `recorded as a ${typeof draw}`}, a ${kind} was requested`;
    return draw;
  }
}
