import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";

/** Matches that wait for settlement, each for a fixed time after the match, in order. */
export class SettlementQueue<Item> {
  /** Next due first. */
  #waiting: { readonly item: Item; readonly dueMonotonicMs: number }[] = [];
  #timer: Timer | null = null;
  readonly #runtime: Runtime;
  readonly #settle: (items: readonly Item[]) => void;

  /** @param settle called with all items that are due at the same instant. */
  constructor(runtime: Runtime, settle: (items: readonly Item[]) => void) {
    this.#runtime = runtime;
    this.#settle = settle;
  }

  /** All waiting items, next due first. */
  get items(): readonly Item[] {
    return this.#waiting.map(({ item }) => item);
  }

  /** Adds an item that settles after a delay. */
  add(item: Item, delayMs: Ms): void {
    this.load(item, delayMs);
    this.resume();
  }

  /** Adds an item without setting a timer; {@link resume} sets it. */
  load(item: Item, delayMs: Ms): void {
    const dueMonotonicMs = this.#runtime.clock.monotonicMs() + delayMs;
    // An item due later exists only where the delay was shortened between two starts.
    let place = this.#waiting.length;
    while (place > 0 && (this.#waiting[place - 1]?.dueMonotonicMs ?? 0) > dueMonotonicMs) {
      place -= 1;
    }
    this.#waiting.splice(place, 0, { item, dueMonotonicMs });
    if (place === 0) {
      this.stop();
    }
  }

  /** Stops settling until the next item is added. Waiting items are kept. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Resumes with the items that waited. */
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
