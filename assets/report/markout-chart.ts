import { Chart } from "../chart/chart.js";
import type { ChartLine } from "../chart/chart-look.js";
import type { Report } from "./report-data.js";

type Group = Report["markets"][number]["markouts"][number];

const HEIGHT = 300;
const COLOURS = { BOTH: "c-ink", BUY: "c-buy", SELL: "c-sell" } as const;
const NAMES = { BOTH: "both sides", BUY: "buys", SELL: "sells" } as const;

/**
 * Draws the markouts of one market by horizon: both sides with their band, buys and sells, of the
 * level that is chosen or all.
 */
export function drawMarkouts(
  host: HTMLElement,
  seconds: readonly number[],
  groups: readonly Group[],
): void {
  const select = host.parentElement?.querySelector<HTMLSelectElement>("select.levels");
  const draw = (): Chart => {
    const level = select == null || select.value === "ALL" ? "ALL" : Number(select.value);
    const shown = groups.filter((group) => group.level === level);
    const scaled = scaledHorizons(shown);
    return new Chart(host, {
      title: host.dataset.title ?? "",
      height: HEIGHT,
      // Horizons are drawn at even steps: they grow by about three each.
      xs: seconds.map((_, index) => index),
      names: { texts: seconds.map(String), unit: "seconds after the fill" },
      lines: shown.map(lineOf),
      held: () => [
        0,
        ...shown.flatMap((group) => scaled.flatMap((index) => reachOf(group, index))),
      ],
      titleAt: (index) => `${seconds[index]} s after the fill`,
    });
  };
  let chart = draw();
  select?.addEventListener("change", () => {
    chart.dispose();
    chart = draw();
  });
}

function lineOf({ side, horizons }: Group): ChartLine {
  const edge = (sign: 1 | -1) =>
    horizons.map((band) =>
      band?.halfBandTicks == null ? null : band.meanTicks + sign * band.halfBandTicks,
    );
  return {
    name: NAMES[side],
    colour: COLOURS[side],
    shape: "dots",
    isStrong: side === "BOTH",
    isScaled: false,
    values: horizons.map((band) => band?.meanTicks ?? null),
    ...(side === "BOTH" ? { band: { low: edge(-1), high: edge(1) } } : {}),
    textAt: (index) => {
      const band = horizons[index] ?? null;
      if (band === null) return "no horizon over yet";
      const half = band.halfBandTicks === null ? "" : ` ± ${ticksText(band.halfBandTicks)}`;
      return `${ticksText(band.meanTicks)}${half} ticks, ${band.fills} fills`;
    },
  };
}

/**
 * The horizons that have a band, or all where none has: means of a few fills run out of the chart
 * instead of flattening it.
 */
function scaledHorizons(groups: readonly Group[]): readonly number[] {
  const both = groups.find(({ side }) => side === "BOTH")?.horizons ?? [];
  const all = [...both.keys()];
  const banded = all.filter((index) => both[index]?.halfBandTicks != null);
  return banded.length > 0 ? banded : all;
}

function reachOf({ side, horizons }: Group, index: number): readonly number[] {
  const band = horizons[index] ?? null;
  if (band === null) return [];
  const reach = side === "BOTH" ? (band.halfBandTicks ?? 0) : 0;
  return [band.meanTicks - reach, band.meanTicks + reach];
}

function ticksText(ticks: number): string {
  return ticks.toPrecision(4).replace("-", "−");
}
