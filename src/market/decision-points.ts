import type { Ms } from "../core/units.js";
import type { NetTouch } from "./book/net-book.js";
import type { DecisionCause } from "./view.js";

/**
 * Settings for calling a strategy (`decide` in a bot's YAML): the same live, on paper and in a
 * backtest.
 */
export interface DecideOptions {
  /** Maximum time between two decisions; 0 for no timer. */
  readonly everyMs: Ms;
  /** Decide when the best bid or ask moves, without the bot's own orders. */
  readonly onTouchChange: boolean;
  /** Decide after a fill of the bot's own. */
  readonly onFill: boolean;
  /** Decide when the reference price, with the basis, has moved by a tick. */
  readonly onReferenceMove: boolean;
  /** Minimum time between two decisions. Causes that arise meanwhile are combined afterwards. */
  readonly minGapMs: Ms;
}

/**
 * Decides when a view is due (docs/ideas/design.md#strategies). It has no timer: the bot reports
 * touches and fills, checks `due` after each event, and sets one timer by `nextDueMs`. All times
 * are of one clock that never steps back.
 */
export class DecisionPoints {
  #options: DecideOptions;
  #touch: NetTouch | null = null;
  #decided: NetTouch | null = null;
  #fairTicks = Number.NaN;
  #decidedFairTicks = Number.NaN;
  #lastMs = Number.NEGATIVE_INFINITY;
  #filled = false;
  /**
   * True when the market has just started or returned: earlier decisions were made on another state
   * of the market.
   */
  #starting = true;
  /** True if a view is wanted at once, without the minimum gap. */
  #requested = false;

  constructor(options: DecideOptions) {
    this.#options = options;
  }

  /** Applies other settings from now on. */
  configure(options: DecideOptions): void {
    this.#options = options;
    if (!options.onFill) this.#filled = false;
  }

  /**
   * Requests a view at once: the parameters or the limits of the market have changed.
   * @param isStart true for a strategy that was created again: the view is its first.
   */
  request(isStart: boolean): void {
    this.#requested = true;
    if (isStart) this.#starting = true;
  }

  /**
   * Called after each book event with the best prices net of the bot's own orders, or null without
   * a usable book.
   */
  noteTouch(touch: NetTouch | null): void {
    if (touch === null) this.#starting = true;
    this.#touch = touch;
  }

  /** Called after each event with the reference price plus the basis; NaN without a good one. */
  noteReference(fairTicks: number): void {
    this.#fairTicks = fairTicks;
  }

  /** Records a fill of the bot's own in this market. */
  noteFill(): void {
    if (this.#options.onFill) this.#filled = true;
  }

  /** The cause of a due view; null if none is due. Does not change the state: see `decided`. */
  due(nowMs: Ms): DecisionCause | null {
    if (this.#touch === null) return null;
    if (this.#requested) return this.#starting ? "start" : "params";
    // Quotes around a price that is no longer good must not wait for the gap.
    if (this.#isReferenceLost()) return "reference";
    const sinceMs = nowMs - this.#lastMs;
    if (sinceMs < this.#options.minGapMs) return null;
    if (this.#starting) return "start";
    if (this.#filled) return "fill";
    if (this.#touchMoved()) return "touch";
    if (this.#referenceMoved()) return "reference";
    return this.#options.everyMs > 0 && sinceMs >= this.#options.everyMs ? "timer" : null;
  }

  /** Records the view emitted at `nowMs`, which answers every cause until now. */
  decided(nowMs: Ms): void {
    this.#lastMs = nowMs;
    this.#decided = this.#touch;
    this.#decidedFairTicks = this.#fairTicks;
    this.#filled = false;
    this.#starting = false;
    this.#requested = false;
  }

  /**
   * The earliest time at which a view becomes due without further events; Infinity if only an event
   * can cause one.
   */
  nextDueMs(nowMs: Ms): Ms {
    if (this.#touch === null) return Number.POSITIVE_INFINITY;
    if (this.#requested || this.#isReferenceLost()) return nowMs;
    const afterGapMs = Math.max(nowMs, this.#lastMs + this.#options.minGapMs);
    if (this.#starting || this.#filled || this.#touchMoved() || this.#referenceMoved())
      return afterGapMs;
    return this.#options.everyMs > 0
      ? Math.max(afterGapMs, this.#lastMs + this.#options.everyMs)
      : Number.POSITIVE_INFINITY;
  }

  #referenceMoved(): boolean {
    if (!this.#options.onReferenceMove || Number.isNaN(this.#fairTicks)) return false;
    return !(Math.abs(this.#fairTicks - this.#decidedFairTicks) < 1);
  }

  #isReferenceLost(): boolean {
    return Number.isNaN(this.#fairTicks) && !Number.isNaN(this.#decidedFairTicks);
  }

  #touchMoved(): boolean {
    if (!this.#options.onTouchChange || this.#touch === null || this.#decided === null)
      return false;
    // Compared with the last decision and not the last event: a touch that moved and came back is
    // no cause.
    return (
      this.#touch.bidTicks !== this.#decided.bidTicks ||
      this.#touch.askTicks !== this.#decided.askTicks
    );
  }
}
