import type { Lots, Side, Ticks } from "../../core/units.js";
import { type KnownMarkout, type MarkoutGroup, Markouts } from "./markouts.js";
import { MidHistory } from "./mid-history.js";

/** Changes of the mid that are kept for fills that are reported late. */
const KEPT_MIDS = 4_096;

/**
 * Markouts of one market of a live bot: those of {@link Markouts}, from a book that may be lost and
 * fills that may be reported late.
 *
 * A mid holds until the book was last confirmed. After a loss the mid is unknown from then on,
 * until the book is in sync again: a horizon in between is left out. All instants are of one clock.
 */
export class LiveMarkouts {
  readonly #markouts = new Markouts();
  readonly #history = new MidHistory(KEPT_MIDS);
  #midHalfTicks = Number.NaN;
  /** Until here the mids are known, or known to be unknown. */
  #untilUs = Number.NEGATIVE_INFINITY;

  /** The end of the time whose mids are settled. */
  get untilUs(): number {
    return this.#untilUs;
  }

  /** Receives each markout of a fill once it is known; undefined if none are wanted. */
  set onKnown(listener: ((known: KnownMarkout) => void) | undefined) {
    this.#markouts.onKnown = listener;
  }

  /** Adds a fill, at the time of its match. */
  fill(atUs: number, side: Side, level: number, ticks: Ticks, lots: Lots, id = ""): void {
    const past = { untilUs: this.#untilUs, midAt: (us: number) => this.#history.midAt(us) };
    this.#markouts.fill(atUs, side, level, ticks, lots, past, id);
  }

  /** The present mid still holds at this instant. Cheap: called after each turn. */
  confirm(atUs: number): void {
    if (atUs <= this.#untilUs) return;
    this.#untilUs = atUs;
    if (atUs > this.#markouts.nextDueUs) this.#markouts.settle(atUs, this.#midHalfTicks);
  }

  /**
   * The mid changes.
   * @param midHalfTicks best bid plus best ask; NaN from where it is not known
   */
  change(atUs: number, midHalfTicks: number): void {
    this.confirm(atUs);
    this.#midHalfTicks = midHalfTicks;
    this.#history.add(Math.max(atUs, this.#untilUs), midHalfTicks);
  }

  /** By level from the innermost, as {@link Markouts.result}. */
  result(): readonly MarkoutGroup[] {
    return this.#markouts.result();
  }
}
