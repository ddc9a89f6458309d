/**
 * The stretch of time that every chart of a page shows, and the instant at which its reader points.
 */
export class TimeWindow {
  fullFromMs: number;
  fullToMs: number;
  fromMs: number;
  toMs: number;
  /** Undefined when the reader points at no chart. */
  cursorMs: number | undefined;
  readonly #onSpan = new Set<() => void>();
  readonly #onCursor = new Set<(by: unknown) => void>();

  constructor(fromMs: number, toMs: number) {
    this.fullFromMs = fromMs;
    this.fullToMs = Math.max(toMs, fromMs + 1);
    this.fromMs = this.fullFromMs;
    this.toMs = this.fullToMs;
  }

  get isZoomed(): boolean {
    return this.fromMs > this.fullFromMs || this.toMs < this.fullToMs;
  }

  /**
   * Calls back after each change, until the returned function is called.
   * @param onCursor receives the chart at which the reader points.
   */
  listen(onSpan: () => void, onCursor: (by: unknown) => void): () => void {
    this.#onSpan.add(onSpan);
    this.#onCursor.add(onCursor);
    return () => {
      this.#onSpan.delete(onSpan);
      this.#onCursor.delete(onCursor);
    };
  }

  /** At least a thousandth of the whole stays in sight. */
  show(fromMs: number, toMs: number): void {
    const least = (this.fullToMs - this.fullFromMs) / 1000;
    const span = Math.max(least, Math.min(toMs - fromMs, this.fullToMs - this.fullFromMs));
    this.fromMs = Math.max(this.fullFromMs, Math.min(fromMs, this.fullToMs - span));
    this.toMs = this.fromMs + span;
    for (const tell of this.#onSpan) tell();
  }

  showAll(): void {
    this.show(this.fullFromMs, this.fullToMs);
  }

  setCursor(atMs: number | undefined, by: unknown): void {
    this.cursorMs = atMs;
    for (const tell of this.#onCursor) tell(by);
  }
}
