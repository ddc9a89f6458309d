import type { CaptureEvent } from "./capture-events.js";

/**
 * A capture's events as a queue with read-ahead: `peek` and `take` are synchronous, reading is not.
 * Reading pauses while `readAhead` events wait, so that memory is bounded for a capture of any
 * length.
 */
export class ReplaySource {
  readonly #batches: AsyncGenerator<CaptureEvent[]>;
  readonly #readAhead: number;
  #queue: CaptureEvent[] = [];
  #at = 0;
  #ended = false;
  #pulling: Promise<void> | undefined;
  #filling = false;
  #failure: { readonly error: unknown } | null = null;

  /**
   * @param readAhead the number of events at which reading pauses, give or take one inflated chunk.
   */
  constructor(batches: AsyncGenerator<CaptureEvent[]>, readAhead: number) {
    this.#batches = batches;
    this.#readAhead = readAhead;
  }

  /**
   * The next event, or undefined if none has been read yet or the capture is over.
   * @throws the reading error, once all earlier events are taken.
   */
  peek(): CaptureEvent | undefined {
    const next = this.#queue[this.#at];
    if (next === undefined && this.#failure !== null) throw this.#failure.error;
    return next;
  }

  /** Drops the event that {@link peek} showed. */
  drop(): void {
    this.#at += 1;
    if (this.#at < 4_096) return;
    this.#queue = this.#queue.slice(this.#at);
    this.#at = 0;
  }

  /** True if everything has been read and taken. */
  get isOver(): boolean {
    return this.#ended && this.#at >= this.#queue.length;
  }

  /**
   * Reads one batch more, or finds the end. Errors are kept for {@link peek} and thrown in their
   * turn.
   */
  pull(): Promise<void> {
    this.#pulling ??= this.#pullOne().finally(() => {
      this.#pulling = undefined;
    });
    return this.#pulling;
  }

  /**
   * Reads until the read-ahead is full or the capture ends; returns at once if that is so, or
   * reading is already under way.
   */
  async fill(): Promise<void> {
    if (this.#filling) return;
    this.#filling = true;
    while (!this.#ended && this.#queue.length - this.#at < this.#readAhead) await this.pull();
    this.#filling = false;
  }

  async #pullOne(): Promise<void> {
    if (this.#ended) return;
    try {
      const next = await this.#batches.next();
      if (this.#ended) return;
      if (next.done) this.#ended = true;
      else for (const event of next.value) this.#queue.push(event);
    } catch (error) {
      if (!this.#ended) this.#failure = { error };
      this.#ended = true;
    }
  }

  /** Ends the reading and closes the files. */
  async close(): Promise<void> {
    this.#ended = true;
    this.#queue = [];
    this.#at = 0;
    await this.#batches.return(undefined);
  }
}
