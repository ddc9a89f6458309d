import { ConfigError } from "../../core/errors.js";
import type { Clock, Random } from "../../core/runtime/runtime.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import { type Fault, type FaultKind, type FaultOf, MOST_FAULTS } from "./fault-shape.js";

/** The ended faults that are remembered with their counts. */
const MOST_ENDED = 100;

/** A strike: the fault, and the randomness for its details. */
export interface Strike<Kind extends FaultKind> {
  readonly fault: FaultOf<Kind>;
  readonly random: Random;
  /** True until the fault ends, by its window or by a request. */
  isCurrent(): boolean;
}

/** A fault as the admin endpoint shows it. */
export type FaultReport = Fault & {
  readonly id: number;
  readonly state: "waiting" | "active" | "ended";
  /** Time until it begins or ends; null if nothing but a request ends it, or if it has ended. */
  readonly changesInMs: number | null;
  /** The requests or frames that it could have struck. */
  readonly seen: number;
  readonly struck: number;
};

interface Scheduled {
  readonly id: number;
  readonly fault: Fault;
  readonly random: Random;
  /** Monotonic times. */
  readonly startMs: number;
  readonly endMs: number;
  seen: number;
  struck: number;
}

/**
 * The faults of an exchange, by their windows. Each draws from a random source of its own, once for
 * each request or frame that it applies to. So the seed and the sequence of these decide which ones
 * it strikes, whatever other faults do.
 */
export class FaultSchedule {
  readonly #clock: Clock;
  readonly #seed: string | number;
  #current: Scheduled[] = [];
  #ended: Scheduled[] = [];
  #lastId = 0;

  /** @param faults begin to count their time now. */
  constructor(clock: Clock, seed: string | number, faults: readonly Fault[] = []) {
    this.#clock = clock;
    this.#seed = seed;
    for (const fault of faults) this.add(fault);
  }

  /** True while there is no fault, waiting or active. */
  get isIdle(): boolean {
    return this.#current.length === 0;
  }

  /**
   * Adds a fault, whose window counts from now.
   * @throws ConfigError when there are too many
   */
  add(fault: Fault): FaultReport {
    this.#dropEnded();
    if (this.#current.length >= MOST_FAULTS) {
      throw new ConfigError("there are too many faults", {
        field: "faults",
        value: this.#current.length + 1,
        expected: `at most ${MOST_FAULTS} at a time: end one first`,
      });
    }
    this.#lastId += 1;
    const startMs = this.#clock.monotonicMs() + fault.fromMs;
    const added: Scheduled = {
      id: this.#lastId,
      fault,
      random: seededRandom(`${this.#seed} fault ${this.#lastId}`),
      startMs,
      endMs: fault.forMs === undefined ? Number.POSITIVE_INFINITY : startMs + fault.forMs,
      seen: 0,
      struck: 0,
    };
    this.#current.push(added);
    return this.#report(added, true);
  }

  /**
   * Ends a fault.
   * @param id as text, in the digits of a report's `id`
   * @throws ConfigError when no current fault has this id
   */
  end(id: string): FaultReport {
    this.#dropEnded();
    const found = this.#current.find((each) => String(each.id) === id);
    if (found === undefined) {
      const ids = this.#current.map((each) => each.id);
      throw new ConfigError("is not the id of a current fault", {
        field: "id",
        value: id,
        expected: ids.length === 0 ? "no id, since there is no fault" : `one of ${ids.join(", ")}`,
      });
    }
    this.#current = this.#current.filter((each) => each !== found);
    this.#remember([found]);
    return this.#report(found, false);
  }

  /** Ends all faults. */
  endAll(): readonly FaultReport[] {
    this.#dropEnded();
    const ended = this.#current;
    this.#current = [];
    this.#remember(ended);
    return ended.map((each) => this.#report(each, false));
  }

  /** Returns all faults by their ids, with the last hundred of those that have ended. */
  list(): readonly FaultReport[] {
    this.#dropEnded();
    return [
      ...this.#ended.map((each) => this.#report(each, false)),
      ...this.#current.map((each) => this.#report(each, true)),
    ].sort((a, b) => a.id - b.id);
  }

  /**
   * Draws if a fault of this kind strikes a request or frame, and counts it.
   * @param applies decides by the fault's filters.
   * @returns the first fault that strikes, or undefined.
   */
  strike<Kind extends FaultKind>(
    kind: Kind,
    applies: (fault: Fault) => boolean,
  ): Strike<Kind> | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (this.#current.some(({ endMs }) => endMs <= nowMs)) this.#dropEnded();
    for (const each of this.#current) {
      if (each.fault.kind !== kind || nowMs < each.startMs) continue;
      if (!applies(each.fault)) continue;
      each.seen += 1;
      if (each.random.uniform() >= each.fault.probability) continue;
      each.struck += 1;
      return {
        fault: each.fault as FaultOf<Kind>,
        random: each.random,
        isCurrent: () => this.#current.includes(each) && this.#clock.monotonicMs() < each.endMs,
      };
    }
    return undefined;
  }

  #dropEnded(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#remember(this.#current.filter(({ endMs }) => endMs <= nowMs));
    this.#current = this.#current.filter(({ endMs }) => endMs > nowMs);
  }

  #remember(ended: readonly Scheduled[]): void {
    this.#ended = [...this.#ended, ...ended].slice(-MOST_ENDED);
  }

  #report({ id, fault, startMs, endMs, seen, struck }: Scheduled, isCurrent: boolean): FaultReport {
    const nowMs = this.#clock.monotonicMs();
    const state = isCurrent ? (nowMs < startMs ? "waiting" : "active") : "ended";
    const changeMs = state === "waiting" ? startMs : endMs;
    const changesInMs =
      state === "ended" || changeMs === Number.POSITIVE_INFINITY
        ? null
        : Math.ceil(changeMs - nowMs);
    return { id, state, changesInMs, seen, struck, ...fault };
  }
}

/** Draws a delay of a fault, in whole milliseconds with both bounds. */
export function drawDelayMs({
  fault: { delayMs },
  random,
}: {
  readonly fault: { readonly delayMs: { readonly min: number; readonly max: number } };
  readonly random: Random;
}): number {
  return delayMs.min + Math.floor(random.uniform() * (delayMs.max - delayMs.min + 1));
}
