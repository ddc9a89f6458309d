import { exact, timeTicks, valueTicks } from "./axes.js";
import { ChartGestures, type Gestured } from "./chart-gestures.js";
import type { FillRow, Values } from "./report-data.js";
import { html, label, svg, widestText } from "./svg.js";
import type { TimeWindow } from "./time-window.js";

/** One line of a chart over time. */
export interface TimeLine {
  readonly name: string;
  readonly values: Values;
  /** Class of its colour. */
  readonly colour: string;
  /** `step` for what stands until it changes; `area` fills to zero. */
  readonly shape: "line" | "step" | "area";
  /** Whether the scale has to hold it; what does not may run out of the chart. */
  readonly isScaled: boolean;
}

/** What a chart over time shows. */
export interface TimeChartOptions {
  readonly unit: string;
  readonly lines: readonly TimeLine[];
  readonly height: number;
  readonly holdsZero?: boolean;
  /** A value that is a limit: the scale holds it, and a line stands there. */
  readonly bound?: number;
  readonly fills?: readonly FillRow[];
  readonly fillText?: (fill: FillRow) => string;
}

/** Left of the plot, where no value is longer; and what parts values from it. */
const LEAST_LEFT = 74;
const APART = 8;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 24;
/** How near to a fill one has to point, in pixels. */
const NEAR = 10;

/** Draws lines over the buckets of a run; pointing and the arrow keys tell exact figures, dragging or two fingers show a part of the time. */
export class TimeChart implements Gestured {
  readonly #host: HTMLElement;
  readonly #window: TimeWindow;
  readonly #bucketMs: number;
  readonly #options: TimeChartOptions;
  readonly #svg: SVGSVGElement;
  readonly #cursor = svg("g", { class: "cursor" });
  readonly #selection = svg("rect", { class: "selection", y: TOP, visibility: "hidden" });
  readonly #tip = html("div", "tip");
  /** The reader looks at this chart, not at another of the page: it tells figures, the others show the instant. */
  #isLookedAt = false;
  #width = 0;
  #left = LEAST_LEFT;
  #low = 0;
  #high = 1;

  constructor(host: HTMLElement, window: TimeWindow, bucketMs: number, options: TimeChartOptions) {
    this.#host = host;
    this.#window = window;
    this.#bucketMs = bucketMs;
    this.#options = options;
    const name = host.dataset.title ?? "";
    this.#svg = svg("svg", {
      role: "img",
      tabindex: 0,
      height: options.height,
      "aria-label": `${name}. Arrow keys read it out.`,
    });
    this.#tip.setAttribute("role", "status");
    this.#tip.hidden = true;
    host.replaceChildren(this.#svg, this.#tip);
    window.listen(
      () => this.draw(),
      () => this.#drawCursor(),
    );
    new ResizeObserver(() => {
      if (host.clientWidth > 0 && host.clientWidth !== this.#width) this.draw();
    }).observe(host);
    new ChartGestures(this.#svg, window, this);
    this.draw();
  }

  draw(): void {
    this.#width = this.#host.clientWidth;
    // Not in sight: drawn when it comes to be.
    if (this.#width === 0) return;
    const { height } = this.#options;
    this.#svg.setAttribute("viewBox", `0 0 ${this.#width} ${height}`);
    this.#svg.setAttribute("width", String(this.#width));
    this.#svg.replaceChildren();
    const [first, last] = this.#bucketsInSight();
    const { ticks, from, to } = this.#scale(first, last);
    this.#low = from;
    this.#high = to;
    const values = ticks.map(({ text }) => text);
    this.#left = Math.max(LEAST_LEFT, Math.ceil(widestText(this.#svg, "grid", values)) + APART);
    const grid = svg("g", { class: "grid" });
    for (const { value, text } of ticks) {
      const y = this.#y(value);
      grid.append(
        svg("line", {
          x1: this.#left,
          x2: this.#width - RIGHT,
          y1: y,
          y2: y,
          class: value === 0 ? "zero" : "",
        }),
      );
      grid.append(label(text, { x: this.#left - APART, y: y + 4, "text-anchor": "end" }));
    }
    for (const { value, text } of timeTicks(
      this.#window.fromMs,
      this.#window.toMs,
      Math.max(2, Math.floor(this.#width / 90)),
    )) {
      const x = this.#x(value);
      const anchor = x > this.#width - 30 ? "end" : "middle";
      grid.append(
        label(text, {
          x: anchor === "end" ? this.#width : x,
          y: height - 6,
          "text-anchor": anchor,
        }),
      );
    }
    const plot = svg("svg", {
      x: this.#left,
      y: TOP,
      width: this.#plotWidth,
      height: this.#plotHeight,
      viewBox: `${this.#left} ${TOP} ${this.#plotWidth} ${this.#plotHeight}`,
      overflow: "hidden",
    });
    const { bound } = this.#options;
    if (bound !== undefined) {
      const y = this.#y(bound);
      plot.append(
        svg("line", { x1: this.#left, x2: this.#width - RIGHT, y1: y, y2: y, class: "bound" }),
      );
    }
    this.#drawFills(plot);
    for (const line of this.#options.lines) this.#drawLine(plot, line, first, last);
    this.#selection.setAttribute("height", String(this.#plotHeight));
    this.#svg.append(grid, plot, this.#selection, this.#cursor);
    this.#drawCursor();
  }

  get #plotWidth(): number {
    return Math.max(1, this.#width - this.#left - RIGHT);
  }

  get #plotHeight(): number {
    return this.#options.height - TOP - BOTTOM;
  }

  #x(ms: number): number {
    return (
      this.#left +
      ((ms - this.#window.fromMs) / (this.#window.toMs - this.#window.fromMs)) * this.#plotWidth
    );
  }

  #y(value: number): number {
    return TOP + (1 - (value - this.#low) / (this.#high - this.#low)) * this.#plotHeight;
  }

  get stepMs(): number {
    return this.#bucketMs;
  }

  shareAt(clientX: number): number {
    return (clientX - this.#svg.getBoundingClientRect().left - this.#left) / this.#plotWidth;
  }

  /** The instant for which a bucket's last value stands. */
  #bucketEnd(bucket: number): number {
    return Math.min(this.#window.fullFromMs + (bucket + 1) * this.#bucketMs, this.#window.fullToMs);
  }

  #bucketAt(ms: number): number {
    const count = this.#options.lines[0]?.values.last.length ?? 1;
    return Math.max(
      0,
      Math.min(count - 1, Math.floor((ms - this.#window.fullFromMs) / this.#bucketMs)),
    );
  }

  #bucketsInSight(): [number, number] {
    const count = this.#options.lines[0]?.values.last.length ?? 1;
    return [
      Math.max(0, this.#bucketAt(this.#window.fromMs) - 1),
      Math.min(count - 1, this.#bucketAt(this.#window.toMs) + 1),
    ];
  }

  #scale(first: number, last: number): ReturnType<typeof valueTicks> {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const hold = (value: number): void => {
      if (value < low) low = value;
      if (value > high) high = value;
    };
    for (const { values, isScaled } of this.#options.lines) {
      if (!isScaled) continue;
      for (let bucket = first; bucket <= last; bucket += 1) {
        hold(values.min[bucket] ?? Number.NaN);
        hold(values.max[bucket] ?? Number.NaN);
      }
    }
    for (const fill of this.#options.fills ?? []) {
      if (fill.timeMs >= this.#window.fromMs && fill.timeMs <= this.#window.toMs) hold(fill.price);
    }
    if (this.#options.holdsZero) hold(0);
    if (this.#options.bound !== undefined) hold(this.#options.bound);
    if (low > high) [low, high] = [0, 1];
    return valueTicks(low, high, Math.max(2, Math.floor(this.#plotHeight / 44)));
  }

  #drawLine(
    plot: SVGSVGElement,
    { values, colour, shape }: TimeLine,
    first: number,
    last: number,
  ): void {
    let path = "";
    let reach = "";
    let beforeY = Number.NaN;
    const zero = this.#y(0);
    for (let bucket = first; bucket <= last; bucket += 1) {
      const value = values.last[bucket] ?? Number.NaN;
      if (Number.isNaN(value)) {
        beforeY = Number.NaN;
        continue;
      }
      const x = this.#x(this.#bucketEnd(bucket)).toFixed(1);
      const y = this.#y(value);
      if (Number.isNaN(beforeY)) path += `M${x} ${y.toFixed(1)}`;
      else path += shape === "line" ? `L${x} ${y.toFixed(1)}` : `H${x}V${y.toFixed(1)}`;
      beforeY = y;
      const [least, greatest] = [
        this.#y(values.min[bucket] ?? value),
        this.#y(values.max[bucket] ?? value),
      ];
      if (shape !== "step" && least - greatest > 0.75)
        reach += `M${x} ${least.toFixed(1)}V${greatest.toFixed(1)}`;
    }
    if (path === "") return;
    if (shape === "area") {
      const [from, to] = [this.#x(this.#bucketEnd(first)), this.#x(this.#bucketEnd(last))];
      plot.append(
        svg("path", {
          d: `${path}V${zero.toFixed(1)}H${from.toFixed(1)}Z`,
          class: `fill ${colour}`,
        }),
      );
      if (to - from < 1) return;
    }
    if (reach !== "") plot.append(svg("path", { d: reach, class: `reach ${colour}` }));
    plot.append(svg("path", { d: path, class: `stroke ${colour} ${shape}` }));
  }

  #drawFills(plot: SVGSVGElement): void {
    const inSight = (this.#options.fills ?? []).filter(
      ({ timeMs }) => timeMs >= this.#window.fromMs && timeMs <= this.#window.toMs,
    );
    const isDense = inSight.length > this.#plotWidth;
    const [half, high] = isDense ? [2, 3.5] : [4, 7];
    const marks = { BUY: "", SELL: "" };
    for (const { timeMs, side, price } of inSight) {
      const [x, y] = [this.#x(timeMs).toFixed(1), this.#y(price)];
      if (side === "BUY") marks.BUY += `M${x} ${(y - 1).toFixed(1)}l${half} ${high}h${-2 * half}z`;
      else marks.SELL += `M${x} ${(y + 1).toFixed(1)}l${half} ${-high}h${-2 * half}z`;
    }
    const density = isDense ? " dense" : "";
    if (marks.BUY !== "") plot.append(svg("path", { d: marks.BUY, class: `mark buy${density}` }));
    if (marks.SELL !== "")
      plot.append(svg("path", { d: marks.SELL, class: `mark sell${density}` }));
  }

  #drawCursor(): void {
    this.#cursor.replaceChildren();
    const { cursorMs } = this.#window;
    if (
      cursorMs === undefined ||
      cursorMs < this.#window.fromMs ||
      cursorMs > this.#window.toMs ||
      this.#width === 0
    ) {
      this.#tip.hidden = true;
      return;
    }
    const bucket = this.#bucketAt(cursorMs);
    const x = Math.max(this.#left, Math.min(this.#x(this.#bucketEnd(bucket)), this.#width - RIGHT));
    this.#cursor.append(svg("line", { x1: x, x2: x, y1: TOP, y2: TOP + this.#plotHeight }));
    for (const { values, colour } of this.#options.lines) {
      const y = this.#y(values.last[bucket] ?? Number.NaN);
      if (y >= TOP && y <= TOP + this.#plotHeight)
        this.#cursor.append(svg("circle", { cx: x, cy: y, r: 3.5, class: `dot ${colour}` }));
    }
    if (this.#isLookedAt) this.#tell(bucket, x);
    else this.#tip.hidden = true;
  }

  #tell(bucket: number, x: number): void {
    const { lines, unit } = this.#options;
    this.#tip.replaceChildren(
      html(
        "div",
        "when",
        `${new Date(this.#bucketEnd(bucket)).toISOString().replace("T", " ").slice(0, 19)} UTC`,
      ),
    );
    for (const { name, values, colour } of lines) {
      const text = values.texts[bucket];
      const row = html("div", "row");
      row.append(
        html("i", colour),
        html("span", "", name),
        html("b", "", text == null ? "none" : `${exact(text)} ${unit}`),
      );
      this.#tip.append(row);
    }
    const fill = this.#fillNear(x);
    if (fill !== undefined)
      this.#tip.append(html("div", "fill-text", this.#options.fillText?.(fill) ?? ""));
    this.#tip.hidden = false;
    const width = this.#tip.offsetWidth;
    const left = x + 14 + width > this.#width ? x - 14 - width : x + 14;
    this.#tip.style.left = `${Math.max(0, Math.min(left, this.#width - width))}px`;
  }

  #fillNear(x: number): FillRow | undefined {
    let [nearest, found]: [number, FillRow | undefined] = [NEAR, undefined];
    for (const fill of this.#options.fills ?? []) {
      const distance = Math.abs(this.#x(fill.timeMs) - x);
      if (distance < nearest) [nearest, found] = [distance, fill];
    }
    return found;
  }

  look(atMs: number | undefined): void {
    this.#isLookedAt = atMs !== undefined;
    this.#window.look(atMs);
  }

  select(span: readonly [number, number] | undefined): void {
    this.#selection.setAttribute("visibility", span === undefined ? "hidden" : "visible");
    if (span === undefined) return;
    const [fromMs, toMs] = span;
    const [left, right] = [this.#x(Math.min(fromMs, toMs)), this.#x(Math.max(fromMs, toMs))];
    this.#selection.setAttribute("x", String(left));
    this.#selection.setAttribute("width", String(right - left));
  }
}
