import uPlot from "uplot";
import { timeText, valueText } from "./axis-text.js";
import type { TimeWindow } from "./time-window.js";

/** One line of a chart: a value for each place on the axis below, null where there is none. */
export interface ChartLine {
  readonly name: string;
  /** Class of its colour. */
  readonly colour: string;
  /** `step` for what stays until it changes; `area` is such a step, filled to zero. */
  readonly shape: "line" | "step" | "area" | "dots";
  readonly isStrong?: boolean;
  /** Pixels on and off of a broken line, which tells lines apart without their colours. */
  readonly dash?: readonly number[];
  /** True when the scale has to include the line; another line may run out of the chart. */
  readonly isScaled: boolean;
  readonly values: readonly (number | null)[];
  /** A band around the line. */
  readonly band?: {
    readonly low: readonly (number | null)[];
    readonly high: readonly (number | null)[];
  };
  readonly textAt: (index: number) => string;
}

/** A chart of lines. */
export interface ChartOptions {
  readonly title: string;
  /** Pixels. */
  readonly height: number;
  /** Places of the values, ascending: milliseconds since 1970 where there is a `window`. */
  readonly xs: readonly number[];
  readonly lines: readonly ChartLine[];
  /** The stretch of time in sight, which charts of a page share. */
  readonly window?: TimeWindow;
  /** Without a window: texts of the places, and what they are. */
  readonly names?: { readonly texts: readonly string[]; readonly unit: string };
  /** A value that is a limit: the scale includes it, and a broken line is drawn there. */
  readonly bound?: number;
  /** Values besides the lines that the scale holds. */
  readonly held?: () => readonly number[];
  /** The head of the figures of a place. */
  readonly titleAt: (index: number) => string;
  /** A line below the figures of a place. */
  readonly noteAt?: (plot: uPlot, index: number) => string | undefined;
  /** Draws under the lines, within the plot. */
  readonly marks?: (plot: uPlot, ink: Ink) => void;
}

/** The colour that a class has in the theme of the page. */
export type Ink = (className: string) => string;

/** Class of the series that bound a band: the cursor marks no value of them. */
const EDGE = "edge";
/** Of the values left of the plot. */
const LEAST_VALUES_PIXELS = 48;
const GAP_PIXELS = 8;
const VALUES_APART_PIXELS = 28;
const TIMES_APART_PIXELS = 90;

/** The values of a chart, in the order of the series of {@link chartLook}. */
export function chartData({ xs, lines }: ChartOptions): uPlot.AlignedData {
  const data: (readonly (number | null)[])[] = [xs];
  for (const { values, band } of lines) {
    data.push(values);
    if (band !== undefined) data.push(band.high, band.low);
  }
  return data as uPlot.AlignedData;
}

/** How uPlot draws a chart. @param font of the axes. */
export function chartLook(
  options: ChartOptions,
  ink: Ink,
  font: string,
): Pick<uPlot.Options, "series" | "bands" | "axes" | "padding"> {
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const line of options.lines) {
    series.push(seriesOf(line, ink));
    if (line.band === undefined) continue;
    const edge = {
      class: EDGE,
      paths: pathsOf(line),
      auto: line.isScaled,
      points: { show: false },
    };
    series.push(edge, { ...edge });
    bands.push({
      series: [series.length - 2, series.length - 1],
      fill: () => faded(ink(line.colour), line.isStrong ? 14 : 28),
    });
  }
  return {
    series,
    bands,
    axes: [xAxis(options, ink, font), yAxis(ink, font)],
    // The last text of the axis below is wider than the place of its mark.
    padding: [10, 30, 0, 0],
  };
}

/** The points that show the values at the cursor. */
export function cursorPoints(ink: Ink): uPlot.Cursor.Points {
  return {
    size: ({ series }, at) => (series[at]?.class === EDGE ? 0 : 8),
    width: (_plot, _at, size) => (size === 0 ? 0 : 1.5),
    stroke: () => ink("c-card"),
  };
}

/** Draws zero, the bound and the marks, under the lines. */
export function drawUnder(plot: uPlot, { bound, marks }: ChartOptions, ink: Ink): void {
  const { ctx, bbox } = plot;
  const { pxRatio } = uPlot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const level = (value: number, className: string, dash: readonly number[]): void => {
    const y = Math.round(plot.valToPos(value, "y", true));
    ctx.beginPath();
    ctx.setLineDash(dash.map((length) => length * pxRatio));
    ctx.lineWidth = pxRatio;
    ctx.strokeStyle = ink(className);
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  };
  level(0, "c-zero", []);
  if (bound !== undefined) level(bound, "c-bound", [6, 4]);
  ctx.setLineDash([]);
  marks?.(plot, ink);
  ctx.restore();
}

function seriesOf(line: ChartLine, ink: Ink): uPlot.Series {
  const { name, colour, shape, isStrong = false, isScaled, dash } = line;
  const stroke = (): string => ink(colour);
  return {
    label: name,
    auto: isScaled,
    paths: pathsOf(line),
    stroke: shape === "step" ? () => faded(stroke(), 75) : stroke,
    width: isStrong ? 2.4 : shape === "step" ? 1 : 1.6,
    ...(dash === undefined ? {} : { dash: [...dash] }),
    ...(shape === "area" ? { fill: () => faded(stroke(), 14), fillTo: 0 } : {}),
    points: {
      show: shape === "dots",
      size: isStrong ? 9 : 7,
      space: 0,
      width: 1.5,
      fill: stroke,
      stroke: () => ink("c-card"),
    },
  };
}

function xAxis({ names, xs }: ChartOptions, ink: Ink, font: string): uPlot.Axis {
  const axis = { ...plainAxis(ink, font), grid: { show: false }, size: 28, gap: 6 };
  if (names === undefined) {
    return {
      ...axis,
      space: TIMES_APART_PIXELS,
      values: (_plot, splits, _axis, _space, step) => splits.map((ms) => timeText(ms, step)),
    };
  }
  return {
    ...axis,
    splits: [...xs],
    values: [...names.texts],
    label: names.unit,
    labelFont: font,
    labelSize: 20,
    labelGap: 0,
  };
}

function yAxis(ink: Ink, font: string): uPlot.Axis {
  return {
    ...plainAxis(ink, font),
    grid: { stroke: () => ink("c-grid"), width: 1 },
    gap: GAP_PIXELS,
    space: VALUES_APART_PIXELS,
    values: (_plot, splits, _axis, _space, step) => splits.map((value) => valueText(value, step)),
    size: ({ ctx, axes }, values) => {
      // The font in canvas pixels, which uPlot keeps beside the one that it was given.
      ctx.font = (axes[1].font as unknown as readonly string[])[0];
      const widest = Math.max(0, ...(values ?? []).map((text) => ctx.measureText(text).width));
      return GAP_PIXELS + Math.max(LEAST_VALUES_PIXELS, Math.ceil(widest / uPlot.pxRatio));
    },
  };
}

function plainAxis(ink: Ink, font: string): uPlot.Axis {
  return { font, stroke: () => ink("c-soft"), ticks: { show: false } };
}

function pathsOf({ shape }: ChartLine): uPlot.Series.PathBuilder | undefined {
  const { linear, stepped } = uPlot.paths;
  return shape === "step" || shape === "area" ? stepped?.({ align: 1 }) : linear?.();
}

function faded(colour: string, percent: number): string {
  return `color-mix(in srgb, ${colour} ${percent}%, transparent)`;
}
