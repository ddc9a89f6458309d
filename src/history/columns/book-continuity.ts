import { HistoryError } from "../history-errors.js";
import { WHOLE_FROM_LEVEL } from "../kinds.js";
import type { DayBookBreaks } from "./day-book-breaks.js";
import type { DayRows } from "./day-rows.js";
import type { BlockBuffer } from "./tape/block-buffer.js";
import { LEAST_TICKS, MOST_TICKS, TapeKind } from "./tape/tape.js";

/** Where a day's book is continuous and where it is lost, tracked while the day is written. */
export class BookContinuity {
  readonly #buffer: BlockBuffer;
  readonly #losses: DayBookBreaks;
  /** The losses of the book and the snapshots that restore it, ascending. */
  readonly turns: { readonly atUs: number; readonly isLoss: boolean }[] = [];
  #beginsWhole: boolean | undefined;
  #breaks = 0;
  #resumes = 0;
  #reachedUs = Number.NEGATIVE_INFINITY;
  #receivedUs = Number.NEGATIVE_INFINITY;

  constructor(buffer: BlockBuffer, losses: DayBookBreaks) {
    this.#buffer = buffer;
    this.#losses = losses;
  }

  /** True if the day's first book message is a snapshot. */
  get beginsWhole(): boolean {
    return this.#beginsWhole === true;
  }

  /**
   * Marks the book as lost at the next break of its chain.
   * @returns false if no break is left up to `us`
   */
  applyBreakBefore(us: number): boolean {
    const breakUs = (this.#losses.breaksMs[this.#breaks] ?? Number.POSITIVE_INFINITY) * 1000;
    if (breakUs > us) return false;
    this.#breaks += 1;
    this.#reachedUs = Math.max(this.#reachedUs, breakUs);
    this.#lose(this.#reachedUs);
    return true;
  }

  /**
   * Advances to a row of the book or of the trades.
   * @throws HistoryError for a row earlier than those already written
   */
  advanceTo({ us, file }: DayRows): void {
    if (us < this.#reachedUs)
      throw new HistoryError(file, "is earlier than the event before it", {
        value: us,
        expected: `at least ${this.#reachedUs} us`,
      });
    this.#reachedUs = us;
  }

  /** Begins a book message; the caller adds its levels. */
  beginMessage({ us, localUs, level, isSnapshot }: DayRows): void {
    this.#beginsWhole ??= isSnapshot;
    const { resumesMs } = this.#losses;
    const resumesBefore = this.#resumes;
    while ((resumesMs[this.#resumes] ?? Number.POSITIVE_INFINITY) * 1000 <= us) this.#resumes += 1;
    if (this.#resumes > resumesBefore && !isSnapshot) this.#lose(us);
    if (isSnapshot && this.turns.at(-1)?.isLoss !== false)
      this.turns.push({ atUs: us, isLoss: false });
    this.#receivedUs = Math.max(this.#receivedUs, localUs);
    this.#buffer.begin(isSnapshot ? TapeKind.bookSnapshot : TapeKind.bookUpdate, us, localUs);
    if (isSnapshot && level === WHOLE_FROM_LEVEL) this.#replaceWhole();
  }

  #lose(us: number): void {
    this.turns.push({ atUs: us, isLoss: true });
    // The loss must not be received before the messages that precede it.
    this.#buffer.begin(TapeKind.bookLost, us, Math.max(us, this.#receivedUs));
    this.#replaceWhole();
  }

  /** Makes the message replace both sides completely, not only as far as its levels reach. */
  #replaceWhole(): void {
    this.#buffer.row(LEAST_TICKS, 0);
    this.#buffer.row(-MOST_TICKS, 0);
  }
}
