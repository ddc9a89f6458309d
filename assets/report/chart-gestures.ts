import type { TimeWindow } from "./time-window.js";

/** A chart as its reader's hands see it. */
export interface Gestured {
  /** What one press of an arrow key moves at least, milliseconds. */
  readonly stepMs: number;
  /** Where a place of the page lies on the axis: 0 its beginning, 1 its end; beyond where it lies beside it. */
  shareAt(clientX: number): number;
  /** Shows the figures of an instant; of none with undefined. */
  look(atMs: number | undefined): void;
  /** Shades what would be shown. */
  select(span: readonly [number, number] | undefined): void;
}

/** What is less than this apart, in pixels, was no drag, and two fingers nearer than this are one. */
const LEAST_PIXELS = 6;
const LEAST_PINCH_PIXELS = 24;

/**
 * Mouse, fingers and keys on a chart. A mouse that is dragged chooses a part of the time. One finger tells figures as it goes along, up and down
 * it scrolls the page; two fingers stretch and move the time between them, so that each stays on the instant it touched.
 */
export class ChartGestures {
  readonly #window: TimeWindow;
  readonly #chart: Gestured;
  readonly #fingers = new Map<number, number>();
  /** The instants under two fingers when the second came down, in the order of the fingers. */
  #pinched: readonly [number, number] | undefined;
  #drag: { readonly fromMs: number; readonly fromX: number } | undefined;
  #frame = 0;

  constructor(surface: SVGSVGElement, window: TimeWindow, chart: Gestured) {
    this.#window = window;
    this.#chart = chart;
    surface.addEventListener("pointerdown", (event) => this.#down(event));
    surface.addEventListener("pointermove", (event) => this.#move(event));
    surface.addEventListener("pointerup", (event) => this.#up(event));
    surface.addEventListener("pointercancel", (event) => this.#leave(event));
    surface.addEventListener("pointerleave", (event) => this.#leave(event));
    surface.addEventListener("dblclick", () => window.showAll());
    surface.addEventListener("keydown", (event) => this.#key(event));
    surface.addEventListener("blur", () => chart.look(undefined));
  }

  #down(event: PointerEvent): void {
    const { pointerType, pointerId, clientX, button } = event;
    if (pointerType === "mouse") {
      if (button === 0) this.#drag = { fromMs: this.#msAt(clientX), fromX: clientX };
      return;
    }
    this.#fingers.set(pointerId, clientX);
    const [first, second] = this.#fingers.values();
    this.#pinched =
      this.#fingers.size === 2 &&
      Math.abs((first as number) - (second as number)) >= LEAST_PINCH_PIXELS
        ? [this.#msAt(first as number), this.#msAt(second as number)]
        : undefined;
    this.#chart.look(this.#fingers.size === 1 ? this.#msAt(clientX) : undefined);
  }

  #move({ pointerId, clientX }: PointerEvent): void {
    if (this.#fingers.has(pointerId)) this.#fingers.set(pointerId, clientX);
    if (this.#fingers.size > 1) {
      this.#stretchSoon();
      return;
    }
    const ms = this.#msAt(clientX);
    this.#chart.look(ms);
    if (this.#drag !== undefined) this.#chart.select(span(this.#drag.fromMs, ms));
  }

  #up(event: PointerEvent): void {
    const drag = this.#drag;
    this.#drag = undefined;
    this.#chart.select(undefined);
    if (drag !== undefined && Math.abs(event.clientX - drag.fromX) > LEAST_PIXELS)
      this.#window.show(...span(drag.fromMs, this.#msAt(event.clientX)));
    this.#lift(event);
  }

  #leave(event: PointerEvent): void {
    this.#drag = undefined;
    this.#chart.select(undefined);
    this.#lift(event);
    // What a finger asked for stays to be read when it is lifted.
    if (event.pointerType === "mouse" || event.type === "pointercancel")
      this.#chart.look(undefined);
  }

  #lift({ pointerId }: PointerEvent): void {
    if (this.#fingers.delete(pointerId)) this.#pinched = undefined;
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
    const [first, second] = [...this.#fingers.values()].map((clientX) =>
      this.#chart.shareAt(clientX),
    );
    if (this.#pinched === undefined || first === undefined || second === undefined) return;
    const [firstMs, secondMs] = this.#pinched;
    const wholeMs = (secondMs - firstMs) / (second - first);
    // Fingers that have crossed or met stretch nothing.
    if (!(wholeMs > 0) || !Number.isFinite(wholeMs)) return;
    const fromMs = firstMs - first * wholeMs;
    this.#window.show(fromMs, fromMs + wholeMs);
  }

  #key(event: KeyboardEvent): void {
    const { fromMs, toMs, cursorMs } = this.#window;
    const spanMs = toMs - fromMs;
    const step = Math.max(this.#chart.stepMs, spanMs / 200) * (event.shiftKey ? 10 : 1);
    const now = cursorMs ?? fromMs + spanMs / 2;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.#chart.look(Math.max(fromMs, now - step)),
      ArrowRight: () => this.#chart.look(Math.min(toMs, now + step)),
      Home: () => this.#chart.look(fromMs),
      End: () => this.#chart.look(toMs),
      "+": () => this.#window.show(now - spanMs / 4, now + spanMs / 4),
      "-": () => this.#window.show(now - spanMs, now + spanMs),
      Escape: () => this.#window.showAll(),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  }

  #msAt(clientX: number): number {
    const share = Math.max(0, Math.min(1, this.#chart.shareAt(clientX)));
    return this.#window.fromMs + share * (this.#window.toMs - this.#window.fromMs);
  }
}

function span(oneMs: number, otherMs: number): [number, number] {
  return [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)];
}
