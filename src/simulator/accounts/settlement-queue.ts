import type { Seam, Timer } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";

/** Matches that wait for their settlement, which comes for each a fixed time after it was matched, in order. */
export class SettlementQueue<Item> {
  /** The next due first. */
  #waiting: { readonly item: Item; readonly dueMonotonicMs: number }[] = [];
  #timer: Timer | null = null;
  readonly #runtime: Seam;
  readonly #settle: (items: readonly Item[]) => void;

  /** @param settle called with everything that is due at one instant. */
  constructor(seam: Seam, settle: (items: readonly Item[]) => void) {
    this.#runtime = seam;
    this.#settle = settle;
  }

  /** Everything that waits, the next due first. */
  get items(): readonly Item[] {
    return this.#waiting.map(({ item }) => item);
  }

  /** Has an item settle after a time. */
  add(item: Item, delayMs: Ms): void {
    this.load(item, delayMs);
    this.resume();
  }

  /** Puts in an item without setting a timer: {@link resume} does. */
  load(item: Item, delayMs: Ms): void {
    const dueMonotonicMs = this.#runtime.clock.monotonicMs() + delayMs;
    // Only where the delay was shortened from one start to the next does anything wait that is due later.
    let place = this.#waiting.length;
    while (place > 0 && (this.#waiting[place - 1]?.dueMonotonicMs ?? 0) > dueMonotonicMs) {
      place -= 1;
    }
    this.#waiting.splice(place, 0, { item, dueMonotonicMs });
    if (place === 0) {
      this.stop();
    }
  }

  /** Settles nothing more until something is added. What waits is kept. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Takes up what waited while it was stopped. */
  resume(): void {
    const head = this.#waiting[0];
    if (head !== undefined && this.#timer === null) {
      const waitMs = Math.max(
        0,
        Math.ceil(head.dueMonotonicMs - this.#runtime.clock.monotonicMs()),
      );
      this.#timer = this.#runtime.clock.setTimer(waitMs, () => this.#fire());
    }
  }

  #fire(): void {
    this.#timer = null;
    const nowMs = this.#runtime.clock.monotonicMs();
    const later = this.#waiting.findIndex(({ dueMonotonicMs }) => dueMonotonicMs > nowMs);
    const due = later < 0 ? this.#waiting : this.#waiting.slice(0, later);
    this.#waiting = later < 0 ? [] : this.#waiting.slice(later);
    this.resume();
    this.#settle(due.map(({ item }) => item));
  }
}
