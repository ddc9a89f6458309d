import type uPlot from "uplot";
import { exact } from "../chart/axis-text.js";
import { Chart } from "../chart/chart.js";
import type { ChartLine } from "../chart/chart-look.js";
import { drawFills } from "../chart/fill-marks.js";
import type { TimeWindow } from "../chart/time-window.js";
import type { FillRow, Values } from "./report-data.js";

/** One line of a chart over the buckets of a run. */
export interface TimeLine extends Pick<ChartLine, "name" | "colour" | "shape" | "isScaled"> {
  readonly values: Values;
}

/** A chart over the buckets of a run. */
export interface TimeChartOptions {
  readonly unit: string;
  readonly lines: readonly TimeLine[];
  readonly height: number;
  readonly holdsZero?: boolean;
  /** A value that is a limit: the scale includes it, and a line is drawn there. */
  readonly bound?: number;
  readonly fills?: readonly FillRow[];
  readonly fillText?: (fill: FillRow) => string;
}

/** How near to a fill one has to point, in pixels. */
const NEAR_PIXELS = 10;

/**
 * Draws lines over the buckets of a run, each with the reach of its values, and fills under them.
 */
export function drawTimeChart(
  host: HTMLElement,
  window: TimeWindow,
  bucketEnds: readonly number[],
  { unit, lines, height, holdsZero = false, bound, fills = [], fillText }: TimeChartOptions,
): void {
  const inSight = (): readonly FillRow[] =>
    fills.filter(({ timeMs }) => timeMs >= window.fromMs && timeMs <= window.toMs);
  new Chart(host, {
    title: host.dataset.title ?? "",
    height,
    window,
    xs: bucketEnds,
    lines: lines.map(({ values: { min, max, last, texts }, ...line }) => ({
      ...line,
      values: last,
      ...(line.shape === "step" ? {} : { band: { low: min, high: max } }),
      textAt: (bucket) => (texts[bucket] == null ? "none" : `${exact(texts[bucket])} ${unit}`),
    })),
    bound,
    held: () => [...(holdsZero ? [0] : []), ...inSight().map(({ price }) => price)],
    titleAt: (bucket) => {
      const end = new Date(bucketEnds[bucket] ?? 0).toISOString();
      return `${end.replace("T", " ").slice(0, 19)} UTC`;
    },
    noteAt: (plot, bucket) => {
      const fill = fillNear(plot, fills, bucketEnds[bucket] ?? 0);
      return fill === undefined ? undefined : fillText?.(fill);
    },
    marks: (plot, ink) => drawFills(plot, inSight(), ink),
  });
}

function fillNear(plot: uPlot, fills: readonly FillRow[], ms: number): FillRow | undefined {
  const x = plot.valToPos(ms, "x");
  let [nearest, found]: [number, FillRow | undefined] = [NEAR_PIXELS, undefined];
  for (const fill of fills) {
    const distance = Math.abs(plot.valToPos(fill.timeMs, "x") - x);
    if (distance < nearest) [nearest, found] = [distance, fill];
  }
  return found;
}
