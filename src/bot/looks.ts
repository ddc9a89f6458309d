import type { Clock, Timer } from "../core/runtime/seam.js";
import type { Ms } from "../core/units.js";

/** Less than a clock can tell: instants of the grid are sums, and a sum may end a hair beyond what it comes to. */
const HAIR = 1e-9;

/**
 * When a bot looks at what time alone brings: every so often, at instants that lie on a grid. What it knows says before which instant a look would
 * find nothing, and those are left out; whatever happens meanwhile has it asked again at the grid's next instant. So what is due is found
 * when a look at each instant of the grid would have found it.
 */
export class Looks {
  readonly #clock: Clock;
  readonly #everyMs: Ms;
  readonly #look: () => void;
  readonly #nextDueMs: () => Ms;
  readonly #fire = (): void => {
    this.#lateMs = Math.max(0, this.#clock.monotonicMs() - this.#setForMs);
    const dueMs = this.#nextDueMs();
    if (dueMs > this.#clock.monotonicMs() + HAIR * this.#everyMs) this.#goOn(dueMs);
    else this.now();
  };
  #lastMs = 0;
  /** What the timer is set for. */
  #setForMs = 0;
  #lateMs = 0;
  #timer: Timer | undefined;
  /** Whether instants of the grid are being left out. */
  #isFar = false;

  /**
   * @param nextDueMs before when a look would find nothing if nothing happened until then, on the clock that never steps: any instant that is not
   * after now for one that comes when it comes, Infinity for no more looks.
   */
  constructor(clock: Clock, everyMs: Ms, look: () => void, nextDueMs: () => Ms) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#look = look;
    this.#nextDueMs = nextDueMs;
  }

  /** How long after its instant the newest look by time came. */
  get lateMs(): Ms {
    return this.#lateMs;
  }

  /** Looks now, where the grid begins anew, and goes on by itself. */
  now(): void {
    this.#timer?.cancel();
    this.#look();
    this.#goOn(this.#nextDueMs());
  }

  /** From here, where the grid is or begins anew. */
  #goOn(dueMs: Ms): void {
    this.#timer = undefined;
    this.#lastMs = this.#clock.monotonicMs();
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const steps = this.#stepsTo(dueMs);
    this.#isFar = steps > 1;
    this.#set(steps * this.#everyMs);
  }

  /** Something has happened, and may have made due what was not. */
  soon(): void {
    if (!this.#isFar) return;
    this.#isFar = false;
    this.#timer?.cancel();
    const nowMs = this.#clock.monotonicMs();
    this.#set(this.#lastMs + this.#stepsTo(nowMs) * this.#everyMs - nowMs);
  }

  /** Whole intervals from the last look to the first instant of the grid that is not before `ms`: one at least. */
  #stepsTo(ms: Ms): number {
    return Math.max(1, Math.ceil((ms - this.#lastMs) / this.#everyMs - HAIR));
  }

  #set(delayMs: Ms): void {
    this.#setForMs = this.#clock.monotonicMs() + delayMs;
    this.#timer = this.#clock.setTimer(delayMs, this.#fire);
  }
}
