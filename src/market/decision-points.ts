import type { Ms } from "../core/units.js";
import type { NetTouch } from "./book/net-book.js";
import type { DecisionCause } from "./view.js";

/** When a strategy is asked (`decide` in a bot's YAML): the same live, on paper and in a backtest. */
export interface DecideOptions {
  /** Ask at least so often; 0 for never by time alone. */
  readonly everyMs: Ms;
  /** Ask when the best bid or ask moves, the bot's own orders left out. */
  readonly onTouchChange: boolean;
  /** Ask after a fill of the bot's own. */
  readonly onFill: boolean;
  /** Never ask more often than this; causes that arise meanwhile are taken together afterwards. */
  readonly minGapMs: Ms;
}

/**
 * Decides when a view is due (docs/ideas/design.md#strategies). It owns no timer: the bot tells it
 * of touches and fills, asks `due` after each event, and sets one timer by `nextDueMs`. All times
 * are of one clock that never steps back.
 */
export class DecisionPoints {
  readonly #options: DecideOptions;
  #touch: NetTouch | null = null;
  #decided: NetTouch | null = null;
  #lastMs = Number.NEGATIVE_INFINITY;
  #filled = false;
  /** The market has just come, or come back: whatever stood before was decided on another market. */
  #starting = true;

  constructor(options: DecideOptions) {
    this.#options = options;
  }

  /** After each book event: the best prices net of the bot's own orders, or null when there is no book to decide on. */
  noteTouch(touch: NetTouch | null): void {
    if (touch === null) this.#starting = true;
    this.#touch = touch;
  }

  /** A fill of the bot's own in this market. */
  noteFill(): void {
    if (this.#options.onFill) this.#filled = true;
  }

  /** Why a view is due now; null when none is. Asking changes nothing: see `decided`. */
  due(nowMs: Ms): DecisionCause | null {
    if (this.#touch === null) return null;
    const sinceMs = nowMs - this.#lastMs;
    if (sinceMs < this.#options.minGapMs) return null;
    if (this.#starting) return "start";
    if (this.#filled) return "fill";
    if (this.#touchMoved()) return "touch";
    return this.#options.everyMs > 0 && sinceMs >= this.#options.everyMs ? "timer" : null;
  }

  /** A view was made and emitted at `nowMs`: every cause known until now is answered. */
  decided(nowMs: Ms): void {
    this.#lastMs = nowMs;
    this.#decided = this.#touch;
    this.#filled = false;
    this.#starting = false;
  }

  /** The earliest time at which a view becomes due if nothing more happens; Infinity when only an event can bring one. */
  nextDueMs(nowMs: Ms): Ms {
    if (this.#touch === null) return Number.POSITIVE_INFINITY;
    const afterGapMs = Math.max(nowMs, this.#lastMs + this.#options.minGapMs);
    if (this.#starting || this.#filled || this.#touchMoved()) return afterGapMs;
    return this.#options.everyMs > 0
      ? Math.max(afterGapMs, this.#lastMs + this.#options.everyMs)
      : Number.POSITIVE_INFINITY;
  }

  #touchMoved(): boolean {
    if (!this.#options.onTouchChange || this.#touch === null || this.#decided === null)
      return false;
    // Measured against the last decision, not the last event: a touch that flickered and came back is no cause.
    return (
      this.#touch.bidTicks !== this.#decided.bidTicks ||
      this.#touch.askTicks !== this.#decided.askTicks
    );
  }
}
