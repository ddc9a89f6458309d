import type uPlot from "uplot";
import { exact } from "../chart/axis-text.js";
import { Chart } from "../chart/chart.js";
import type { ChartLine, Ink } from "../chart/chart-look.js";
import { html } from "../chart/html.js";
import { offerLiveTable } from "./chart-table.js";
import type { FollowingWindow } from "./following-window.js";
import { clockText } from "./format.js";
import type { SampledHistory } from "./sampled-history.js";

/** One line of a live chart: a series of the history. */
export interface LiveLine
  extends Pick<ChartLine, "name" | "colour" | "shape" | "isScaled" | "dash"> {
  readonly series: string;
  readonly isStrong?: boolean;
}

/** A chart over the history of a page. */
export interface LiveChartOptions {
  readonly title: string;
  readonly unit: string;
  readonly height: number;
  readonly history: SampledHistory;
  readonly window: FollowingWindow;
  readonly lines: readonly LiveLine[];
  readonly held?: () => readonly number[];
  readonly noteAt?: (plot: uPlot, atMs: number) => string | undefined;
  readonly marks?: (plot: uPlot, ink: Ink) => void;
}

/** A chart that goes on as values come, with a legend and its values as a table. */
export class LiveChart {
  readonly element = html("figure", "live-chart");
  readonly #options: LiveChartOptions;
  readonly #chart: Chart;
  readonly #sight: IntersectionObserver;
  #isInSight = false;

  constructor(options: LiveChartOptions) {
    this.#options = options;
    const { title, unit, lines, history, window, height } = options;
    const caption = html("figcaption");
    caption.append(html("span", "chart-title", unit === "" ? title : `${title}, ${unit}`));
    if (lines.length > 1) caption.append(legend(lines));
    const host = html("div", "chart");
    host.style.minHeight = `${height}px`;
    this.element.append(caption, host);
    this.#chart = new Chart(host, {
      title: `${title}, ${unit}`,
      height,
      window,
      xs: history.times,
      lines: this.#lines(),
      ...(options.held === undefined ? {} : { held: options.held }),
      titleAt: (index) => clockText(history.times[index] ?? 0),
      noteAt: (plot, index) => options.noteAt?.(plot, history.times[index] ?? 0),
      ...(options.marks === undefined ? {} : { marks: options.marks }),
    });
    offerLiveTable(this.element, title, unit, history, lines);
    this.#sight = new IntersectionObserver(
      (entries) => {
        this.#isInSight = entries.at(-1)?.isIntersecting === true;
        if (this.#isInSight) this.#draw();
      },
      { rootMargin: "200px" },
    );
    this.#sight.observe(host);
  }

  /** Draws what has come, if the chart is in sight. */
  update(): void {
    if (this.#isInSight) this.#draw();
  }

  dispose(): void {
    this.#sight.disconnect();
    this.#chart.dispose();
  }

  #draw(): void {
    this.#chart.update({ xs: this.#options.history.times, lines: this.#lines() });
  }

  #lines(): readonly ChartLine[] {
    const { lines, history, unit } = this.#options;
    return lines.map(({ series, ...line }) => {
      const { values, texts } = history.series(series);
      return {
        ...line,
        values,
        textAt: (index) => {
          const text = texts[index];
          return text == null ? "none" : `${exact(text)} ${unit}`;
        },
      };
    });
  }
}

/** The names of lines with their colours and strokes. */
export function legend(lines: readonly Pick<LiveLine, "name" | "colour" | "dash">[]): HTMLElement {
  const element = html("span", "legend");
  for (const { name, colour, dash } of lines) {
    const key = html("span", "key");
    key.append(html("i", `${colour}${dash === undefined ? "" : " dashed"}`), name);
    element.append(key);
  }
  return element;
}
