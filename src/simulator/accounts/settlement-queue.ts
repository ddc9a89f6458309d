import type { Seam, Timer } from "../../core/seam.js";
import type { Ms } from "../../core/units.js";

/** Matches that wait for their settlement, which comes for each a fixed time after it was matched, in order. */
export class SettlementQueue<Item> {
  #waiting: { readonly item: Item; readonly dueMonotonicMs: number }[] = [];
  #timer: Timer | null = null;
  readonly #seam: Seam;
  readonly #delayMs: Ms;
  readonly #settle: (items: readonly Item[]) => void;

  /** @param settle called with everything that is due at one instant. */
  constructor(seam: Seam, delayMs: Ms, settle: (items: readonly Item[]) => void) {
    this.#seam = seam;
    this.#delayMs = delayMs;
    this.#settle = settle;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(item: Item): void {
    this.#waiting.push({ item, dueMonotonicMs: this.#seam.clock.monotonicMs() + this.#delayMs });
    this.#timer ??= this.#seam.clock.setTimer(this.#delayMs, () => this.#fire());
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
      const waitMs = Math.max(0, Math.ceil(head.dueMonotonicMs - this.#seam.clock.monotonicMs()));
      this.#timer = this.#seam.clock.setTimer(waitMs, () => this.#fire());
    }
  }

  #fire(): void {
    this.#timer = null;
    const nowMs = this.#seam.clock.monotonicMs();
    const later = this.#waiting.findIndex(({ dueMonotonicMs }) => dueMonotonicMs > nowMs);
    const due = later < 0 ? this.#waiting : this.#waiting.slice(0, later);
    this.#waiting = later < 0 ? [] : this.#waiting.slice(later);
    this.resume();
    this.#settle(due.map(({ item }) => item));
  }
}
