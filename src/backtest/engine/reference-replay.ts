import type { ReferenceTape } from "../../history/columns/reference-tape.js";
import type { ReferenceUpdate } from "../../reference/reference-update.js";

/** One source of reference prices as the bot of a replay receives it. */
export interface ReplayedReference {
  /** When its next message enters the bot, whole microseconds; Infinity after the last. */
  readonly nextUs: number;
  /** Takes the message that is due. Only while there is one. */
  take(): ReferenceUpdate;
  /** Adds the next messages; none is earlier than those before. */
  extend(tape: ReferenceTape): void;
}

/** Creates a source of a replay. */
export type ReferenceFactory = (
  source: string,
  tape: ReferenceTape,
  options: ReferenceReplayOptions,
) => ReplayedReference;

/** Options of a source of a replay. */
export interface ReferenceReplayOptions {
  /** Its newest price enters the bot at most this often. */
  readonly minGapMs: number;
  /**
   * Start of the run, microseconds. Of the prices before it the newest enters the bot then, as old
   * as it is.
   */
  readonly startUs: number;
}

/**
 * The messages of one source, conflated by the rule of a live source: the newest price enters the
 * bot, at most every `minGapMs`. A price that has to wait is replaced by a newer one. That the
 * source is gone enters the bot at once, and voids a price that waits.
 */
export class ReferenceReplay implements ReplayedReference {
  readonly #source: string;
  readonly #minGapUs: number;
  #tape: ReferenceTape;
  /** Tapes that follow on it. */
  readonly #following: ReferenceTape[] = [];
  /** The next row. */
  #row = 0;
  /** The next entry of `downs`. */
  #down = 0;
  /** The earliest time at which the next price enters the bot. */
  #dueUs: number;
  /** The price that waits. */
  #waiting: WaitingPrice | undefined;
  #nextUs = Number.POSITIVE_INFINITY;

  constructor(source: string, tape: ReferenceTape, { minGapMs, startUs }: ReferenceReplayOptions) {
    this.#source = source;
    this.#tape = tape;
    this.#minGapUs = minGapMs * 1000;
    this.#dueUs = startUs;
    this.#schedule();
  }

  get nextUs(): number {
    return this.#nextUs;
  }

  extend(tape: ReferenceTape): void {
    this.#following.push(tape);
    this.#schedule();
  }

  take(): ReferenceUpdate {
    const atUs = this.#nextUs;
    const update = this.#waiting === undefined ? this.#takeRow() : this.#takeWaiting(atUs);
    if (update.type === "price") this.#dueUs = atUs + this.#minGapUs;
    this.#schedule();
    return update;
  }

  /** The row at which the source is gone, or else the price that waits. */
  #takeWaiting(atUs: number): ReferenceUpdate {
    const { price, receivedUs } = this.#waiting as WaitingPrice;
    this.#waiting = undefined;
    if (this.#isDown && this.#receivedUs < this.#dueUs) return this.#takeRow();
    return { ...price, heldMs: (atUs - receivedUs) / 1000 };
  }

  #takeRow(): ReferenceUpdate {
    const down = this.#tape.downs[this.#down];
    if (down?.row === this.#row) {
      this.#row += 1;
      this.#down += 1;
      return { type: "down", source: this.#source, reason: down.reason };
    }
    return { ...this.#takePrice(), heldMs: 0 };
  }

  #takePrice(): Price {
    const { bid, ask, sourceMs } = this.#tape;
    const row = this.#row;
    this.#row += 1;
    const timeMs = sourceMs[row] as number;
    return {
      type: "price",
      source: this.#source,
      bid: bid[row] as number,
      ask: ask[row] as number,
      ...(Number.isNaN(timeMs) ? {} : { timeMs }),
    };
  }

  /** Finds when the next message enters the bot. */
  #schedule(): void {
    const dueUs = this.#dueUs;
    for (;;) {
      const receivedUs = this.#receivedUs;
      // A price that was received when the one that waits is due comes after it.
      const isInTime = receivedUs < dueUs;
      if (receivedUs === Number.POSITIVE_INFINITY || !isInTime) {
        this.#nextUs = this.#waiting === undefined ? receivedUs : dueUs;
        return;
      }
      if (this.#isDown) {
        this.#nextUs = receivedUs;
        return;
      }
      this.#waiting = { price: this.#takePrice(), receivedUs };
    }
  }

  get #isDown(): boolean {
    this.#toRow();
    return this.#tape.downs[this.#down]?.row === this.#row;
  }

  /** When the next row was received; Infinity after the last. */
  get #receivedUs(): number {
    this.#toRow();
    return this.#tape.localUs[this.#row] ?? Number.POSITIVE_INFINITY;
  }

  /** Moves to the next tape at the end of one. */
  #toRow(): void {
    while (this.#row >= this.#tape.localUs.length && this.#following.length > 0) {
      this.#tape = this.#following.shift() as ReferenceTape;
      this.#row = 0;
      this.#down = 0;
    }
  }
}

/** A price that has been received and is held back. */
interface WaitingPrice {
  readonly price: Price;
  readonly receivedUs: number;
}

type Price = Omit<Extract<ReferenceUpdate, { type: "price" }>, "heldMs">;
