import type { TimeWindow } from "./time-window.js";

/** Two fingers nearer than this, in pixels, are one. */
const LEAST_PINCH_PIXELS = 24;

/**
 * Fingers on a chart. One finger shows figures as it moves sideways, up and down it scrolls the
 * page; two fingers stretch and move the time between them, so that each stays on the instant it
 * touched.
 */
export class TouchGestures {
  readonly #surface: HTMLElement;
  readonly #window: TimeWindow;
  readonly #showFiguresAt: (clientX: number | undefined) => void;
  readonly #fingers = new Map<number, number>();
  /** The instants under two fingers when the second came down, in the order of the fingers. */
  #pinched: readonly [number, number] | undefined;
  #frame = 0;

  /** @param look shows the figures at a place of the page; of none with undefined. */
  constructor(
    surface: HTMLElement,
    window: TimeWindow,
    look: (clientX: number | undefined) => void,
  ) {
    this.#surface = surface;
    this.#window = window;
    this.#showFiguresAt = look;
    surface.addEventListener("pointerdown", (event) => this.#down(event));
    surface.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"] as const)
      surface.addEventListener(end, (event) => this.#lift(event));
  }

  #down({ pointerType, pointerId, clientX }: PointerEvent): void {
    if (pointerType === "mouse") return;
    this.#fingers.set(pointerId, clientX);
    const [first = 0, second = 0] = this.#fingers.values();
    this.#pinched =
      this.#fingers.size === 2 && Math.abs(first - second) >= LEAST_PINCH_PIXELS
        ? [this.#msAt(first), this.#msAt(second)]
        : undefined;
    this.#showFiguresAt(this.#fingers.size === 1 ? clientX : undefined);
  }

  #move({ pointerId, clientX }: PointerEvent): void {
    if (!this.#fingers.has(pointerId)) return;
    this.#fingers.set(pointerId, clientX);
    if (this.#fingers.size > 1) this.#stretchSoon();
    else this.#showFiguresAt(clientX);
  }

  #lift({ type, pointerId }: PointerEvent): void {
    if (this.#fingers.delete(pointerId)) this.#pinched = undefined;
    // The figures stay to be read when a finger is lifted.
    if (type === "pointercancel") this.#showFiguresAt(undefined);
  }

  /** Every chart of the page is drawn anew: no oftener than the page itself is. */
  #stretchSoon(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#stretch();
    });
  }

  #stretch(): void {
    const [first, second] = [...this.#fingers.values()].map((clientX) => this.#shareAt(clientX));
    if (this.#pinched === undefined || first === undefined || second === undefined) return;
    const [firstMs, secondMs] = this.#pinched;
    const wholeMs = (secondMs - firstMs) / (second - first);
    // Fingers that have crossed or met stretch nothing.
    if (!(wholeMs > 0) || !Number.isFinite(wholeMs)) return;
    const fromMs = firstMs - first * wholeMs;
    this.#window.show(fromMs, fromMs + wholeMs);
  }

  /** Where a place of the page lies on the axis: 0 its beginning, 1 its end. */
  #shareAt(clientX: number): number {
    const { left, width } = this.#surface.getBoundingClientRect();
    return (clientX - left) / width;
  }

  #msAt(clientX: number): number {
    const share = Math.max(0, Math.min(1, this.#shareAt(clientX)));
    return this.#window.fromMs + share * (this.#window.toMs - this.#window.fromMs);
  }
}
