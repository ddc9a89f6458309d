import uPlot from "uplot";
import { type ChartOptions, chartData, chartLook, cursorPoints, drawUnder } from "./chart-look.js";
import { html } from "./html.js";
import { TouchGestures } from "./touch-gestures.js";

const HIDDEN = { left: -10, top: -10 };
const LEAST_DRAG_PIXELS = 6;

/**
 * Draws lines with uPlot. Pointing and the arrow keys show exact figures; with a window, dragging
 * or two fingers show a part of the time in every chart of the page.
 */
export class Chart {
  readonly #host: HTMLElement;
  #options: ChartOptions;
  readonly #tip = html("div", "tip");
  readonly #stop = new AbortController();
  readonly #sizes: ResizeObserver;
  readonly #inks = new Map<string, string>();
  readonly #stopListening: (() => void) | undefined;
  #plot: uPlot | undefined;
  /** The reader points at this chart: it shows figures, the others of the page show the instant. */
  #isActive = false;

  constructor(host: HTMLElement, options: ChartOptions) {
    this.#host = host;
    this.#options = options;
    this.#tip.setAttribute("role", "status");
    this.#tip.hidden = true;
    host.replaceChildren(this.#tip);
    const { signal } = this.#stop;
    document.addEventListener("themechange", () => this.#changeTheme(), { signal });
    this.#stopListening = options.window?.listen(
      () => this.#showWindow(),
      (by) => this.#follow(by),
    );
    this.#sizes = new ResizeObserver(() => this.#fit());
    this.#sizes.observe(host);
    this.#fit();
  }

  /** Takes the chart off the page. */
  dispose(): void {
    this.#stop.abort();
    this.#stopListening?.();
    this.#sizes.disconnect();
    this.#plot?.destroy();
  }

  /**
   * Draws newer values: a live page calls it when they have come. The lines stay the same ones,
   * with other values.
   */
  update(changes: Partial<Omit<ChartOptions, "window">>): void {
    this.#options = { ...this.#options, ...changes };
    const plot = this.#plot;
    if (plot === undefined) return;
    const data = chartData(this.#options);
    const [min, max] = this.#xRange();
    plot.batch(() => {
      plot.setData(data, false);
      plot.setScale("x", { min, max });
    });
  }

  /** A chart that is out of sight is drawn when it scrolls into view. */
  #fit(): void {
    const { clientWidth: width } = this.#host;
    if (width === 0) return;
    if (this.#plot === undefined) this.#plot = this.#drawn(width);
    else if (width !== this.#plot.width)
      this.#plot.setSize({ width, height: this.#options.height });
  }

  #drawn(width: number): uPlot {
    const { title, height, window } = this.#options;
    const ink = (className: string): string => this.#ink(className);
    const font = `12px ${getComputedStyle(this.#host).fontFamily}`;
    const look = chartLook(this.#options, ink, font);
    const plot = new uPlot(
      {
        ...look,
        width,
        height,
        ms: 1,
        tzDate: (ms) => uPlot.tzDate(new Date(ms), "Etc/UTC"),
        scales: {
          x: { time: window !== undefined, range: () => this.#xRange() },
          y: { range: (drawing, low, high) => this.#yRange(drawing, low, high) },
        },
        legend: { show: false },
        cursor: {
          y: false,
          points: cursorPoints(ink),
          // A drag may begin anywhere; without a drag the cursor stays on the values.
          move: (drawing, left, top) => [
            window !== undefined || left < 0 ? left : this.#leftAt(drawing, drawing.posToIdx(left)),
            top,
          ],
          drag: { x: window !== undefined, y: false, setScale: false, dist: LEAST_DRAG_PIXELS },
          bind: {
            dblclick: () => () => {
              window?.showAll();
              return null;
            },
          },
        },
        hooks: {
          drawAxes: [(drawing) => drawUnder(drawing, this.#options, ink)],
          setCursor: [(drawing) => this.#handleCursor(drawing)],
          // The cursor stays on its instant while the time in sight changes, not on its pixel.
          setScale: [(drawing, scale) => scale === "x" && this.#place(drawing, false)],
          setSelect: [(drawing) => this.#select(drawing)],
        },
      },
      chartData(this.#options),
      this.#host,
    );
    const { root, over } = plot;
    root.tabIndex = 0;
    root.setAttribute("role", "img");
    root.setAttribute("aria-label", `${title}. Arrow keys read it out.`);
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("blur", () => plot.setCursor(HIDDEN));
    over.addEventListener("pointerenter", () => {
      this.#isActive = true;
    });
    if (window !== undefined) {
      new TouchGestures(over, window, (clientX) =>
        plot.setCursor(
          clientX === undefined
            ? HIDDEN
            : { left: clientX - over.getBoundingClientRect().left, top: 0 },
        ),
      );
    }
    return plot;
  }

  #xRange(): [number, number] {
    const { window, xs } = this.#options;
    if (window !== undefined) return [window.fromMs, window.toMs];
    const [first = 0, last = 1] = [xs[0], xs.at(-1)];
    const pad = 0.02 * (last - first) || 1;
    return [first - pad, last + pad];
  }

  #yRange(plot: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
    const { held, bound, lines } = this.#options;
    // Lines go on to the values beside those in sight.
    const [first, last] = plot.series[0].idxs ?? [0, 0];
    const beside = lines
      .filter(({ isScaled }) => isScaled)
      .flatMap((line) => [line.values[first - 1], line.values[last + 1]]);
    const values = [low, high, bound, ...beside, ...(held?.() ?? [])].filter(
      (value) => value != null,
    );
    if (values.length === 0) return [0, 1];
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    if (least === most) {
      // Otherwise the axis of a level that does not move would begin at zero.
      const pad = Math.abs(least) / 10_000 || 1;
      return [least - pad, most + pad];
    }
    return uPlot.rangeNum(least, most, 0.05, true);
  }

  /** Pixels from the left of the plot; what lies before it is at its edge. */
  #leftAt(plot: uPlot, index: number): number {
    return Math.max(0, plot.valToPos(this.#options.xs[index] ?? 0, "x"));
  }

  #showWindow(): void {
    const [min, max] = this.#xRange();
    this.#plot?.setScale("x", { min, max });
  }

  #handleCursor(plot: uPlot): void {
    const { xs, window } = this.#options;
    const { idx } = plot.cursor;
    this.#tip.hidden = idx == null || !this.#isActive;
    if (!this.#isActive) return;
    window?.setCursor(idx == null ? undefined : xs[idx], this);
    if (idx != null) this.#tell(plot, idx);
  }

  /** Shows the instant at which the reader looks in another chart. */
  #follow(by: unknown): void {
    const plot = this.#plot;
    if (by === this || plot === undefined) return;
    this.#isActive = false;
    this.#place(plot, true);
  }

  /** Puts the cursor on the instant at which the reader points. */
  #place(plot: uPlot, isTold: boolean): void {
    const { window } = this.#options;
    if (window === undefined) return;
    const { cursorMs = Number.NaN, fromMs, toMs } = window;
    const isInSight = cursorMs >= fromMs && cursorMs <= toMs;
    plot.setCursor(isInSight ? { left: plot.valToPos(cursorMs, "x"), top: 0 } : HIDDEN, isTold);
  }

  #tell(plot: uPlot, index: number): void {
    const { lines, titleAt, noteAt } = this.#options;
    this.#tip.replaceChildren(html("div", "when", titleAt(index)));
    for (const { name, colour, textAt } of lines) {
      const row = html("div", "row");
      row.append(html("i", colour), html("span", "", name), html("b", "", textAt(index)));
      this.#tip.append(row);
    }
    const note = noteAt?.(plot, index);
    if (note !== undefined) this.#tip.append(html("div", "note-text", note));
    const x = plot.over.offsetLeft + (plot.cursor.left ?? 0);
    const width = this.#tip.offsetWidth;
    const left = x + 14 + width > plot.width ? x - 14 - width : x + 14;
    this.#tip.style.left = `${Math.max(0, Math.min(left, plot.width - width))}px`;
  }

  #select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width === 0) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#options.window?.show(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
  }

  #key(event: KeyboardEvent): void {
    const plot = this.#plot;
    if (plot === undefined) return;
    const { xs, window } = this.#options;
    const [from, to] = this.#xRange();
    const inSight = [...xs.keys()].filter((index) => xs[index] >= from && xs[index] <= to);
    const nearest = plot.valToIdx((from + to) / 2);
    const [first = nearest, last = nearest] = [inSight[0], inSight.at(-1)];
    const step = Math.max(1, Math.round((last - first) / 200)) * (event.shiftKey ? 10 : 1);
    const middle = Math.round((first + last) / 2);
    const { idx } = plot.cursor;
    const look = (index: number): void => {
      this.#isActive = true;
      plot.setCursor({ left: this.#leftAt(plot, Math.max(first, Math.min(last, index))), top: 0 });
    };
    const zoom = (factor: number): void => {
      const now = xs[idx ?? middle] as number;
      const half = (factor * (to - from)) / 2;
      window?.show(now - half, now + half);
    };
    const moves: Record<string, () => void> = {
      ArrowLeft: () => look((idx ?? (window ? middle : last + 1)) - step),
      ArrowRight: () => look((idx ?? (window ? middle : first - 1)) + step),
      Home: () => look(first),
      End: () => look(last),
      "+": () => zoom(0.5),
      "-": () => zoom(2),
      Escape: () => window?.showAll(),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  }

  /** The colour that a class has in the theme of the page. */
  #ink(className: string): string {
    const known = this.#inks.get(className);
    if (known !== undefined) return known;
    const probe = html("i", className);
    this.#host.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    this.#inks.set(className, color);
    return color;
  }

  #changeTheme(): void {
    this.#inks.clear();
    this.#plot?.redraw();
  }
}
