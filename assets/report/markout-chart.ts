import { valueTicks } from "./axes.js";
import type { Report } from "./report-data.js";
import { html, label, svg, widestText } from "./svg.js";

type Group = Report["markets"][number]["markouts"][number];
type Band = NonNullable<Group["horizons"][number]>;

/** Left of the plot, where no value is longer; and what parts values from it. */
const LEAST_LEFT = 56;
const APART = 8;
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 40;
const HEIGHT = 300;
const COLOURS = { BOTH: "c-ink", BUY: "c-buy", SELL: "c-sell" } as const;
const NAMES = { BOTH: "both sides", BUY: "buys", SELL: "sells" } as const;

/** Draws the markouts of one market by horizon: both sides with their band, buys and sells, of one quote level or all. */
export class MarkoutChart {
  readonly #host: HTMLElement;
  readonly #seconds: readonly number[];
  readonly #groups: readonly Group[];
  readonly #svg: SVGSVGElement;
  readonly #tip = html("div", "tip");
  readonly #cursor = svg("g", { class: "cursor" });
  #level: Group["level"] = "ALL";
  #width = 0;
  #left = LEAST_LEFT;
  #low = 0;
  #high = 1;
  #index: number | undefined;

  constructor(host: HTMLElement, seconds: readonly number[], groups: readonly Group[]) {
    this.#host = host;
    this.#seconds = seconds;
    this.#groups = groups;
    this.#svg = svg("svg", {
      role: "img",
      tabindex: 0,
      height: HEIGHT,
      "aria-label": `${host.dataset.title ?? ""}. Arrow keys read it out.`,
    });
    this.#tip.setAttribute("role", "status");
    this.#tip.hidden = true;
    host.replaceChildren(this.#svg, this.#tip);
    this.#offerLevels();
    new ResizeObserver(() => {
      if (host.clientWidth > 0 && host.clientWidth !== this.#width) this.#draw();
    }).observe(host);
    this.#svg.addEventListener("pointermove", (event) =>
      this.#look(this.#nearest(event.clientX - this.#svg.getBoundingClientRect().left)),
    );
    this.#svg.addEventListener("pointerleave", () => this.#look(undefined));
    this.#svg.addEventListener("blur", () => this.#look(undefined));
    this.#svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      this.#look(
        Math.max(
          0,
          Math.min(
            this.#seconds.length - 1,
            (this.#index ?? (step > 0 ? -1 : this.#seconds.length)) + step,
          ),
        ),
      );
    });
    this.#draw();
  }

  #offerLevels(): void {
    const select = this.#host.parentElement?.querySelector<HTMLSelectElement>("select.levels");
    select?.addEventListener("change", () => {
      this.#level = select.value === "ALL" ? "ALL" : Number(select.value);
      this.#draw();
    });
  }

  get #shown(): Group[] {
    return this.#groups.filter(({ level }) => level === this.#level);
  }

  #draw(): void {
    this.#width = this.#host.clientWidth;
    if (this.#width === 0) return;
    this.#svg.setAttribute("viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    this.#svg.setAttribute("width", String(this.#width));
    const [low, high] = this.#range();
    const { ticks, from, to } = valueTicks(low, high, 5);
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
          class: Math.abs(value) < 1e-12 ? "zero" : "",
        }),
      );
      grid.append(label(text, { x: this.#left - APART, y: y + 4, "text-anchor": "end" }));
    }
    for (const [index, seconds] of this.#seconds.entries()) {
      grid.append(
        label(`${seconds}`, {
          x: this.#x(index),
          y: HEIGHT - BOTTOM + 18,
          "text-anchor": "middle",
        }),
      );
    }
    grid.append(
      label("seconds after the fill", {
        x: (this.#left + this.#width - RIGHT) / 2,
        y: HEIGHT - 6,
        "text-anchor": "middle",
      }),
    );
    const [width, height] = [this.#width - this.#left - RIGHT + 12, HEIGHT - TOP - BOTTOM + 12];
    const box = {
      x: this.#left - 6,
      y: TOP - 6,
      width,
      height,
      viewBox: `${this.#left - 6} ${TOP - 6} ${width} ${height}`,
      overflow: "hidden",
    };
    const plot = svg("svg", box);
    for (const group of this.#shown) this.#drawGroup(plot, group);
    this.#svg.replaceChildren(grid, plot, this.#cursor);
    this.#look(undefined);
  }

  /** Holds the horizons that have a band, or every one where none has: means of a few fills run out of the chart instead of flattening it. */
  #range(): [number, number] {
    const banded = new Set(
      this.#shown.flatMap(({ side, horizons }) => (side === "BOTH" ? bandedOf(horizons) : [])),
    );
    let [low, high] = [0, 0];
    for (const { side, horizons } of this.#shown) {
      for (const [index, band] of horizons.entries()) {
        if (band === null || (banded.size > 0 && !banded.has(index))) continue;
        const reach = side === "BOTH" ? (band.halfBandTicks ?? 0) : 0;
        low = Math.min(low, band.meanTicks - reach);
        high = Math.max(high, band.meanTicks + reach);
      }
    }
    return [low, high];
  }

  #drawGroup(plot: SVGSVGElement, { side, horizons }: Group): void {
    const points = [...horizons.entries()].filter(
      (entry): entry is [number, Band] => entry[1] !== null,
    );
    const colour = COLOURS[side];
    if (side === "BOTH") {
      const banded = points.filter(([, { halfBandTicks }]) => halfBandTicks !== null);
      const edge = (sign: 1 | -1) =>
        banded.map(
          ([index, { meanTicks, halfBandTicks }]) =>
            `${this.#x(index).toFixed(1)} ${this.#y(meanTicks + sign * (halfBandTicks ?? 0)).toFixed(1)}`,
        );
      if (banded.length > 0)
        plot.append(
          svg("path", {
            d: `M${[...edge(1), ...edge(-1).reverse()].join("L")}Z`,
            class: `fill ${colour}`,
          }),
        );
    }
    const line = points
      .map(
        ([index, { meanTicks }]) => `${this.#x(index).toFixed(1)} ${this.#y(meanTicks).toFixed(1)}`,
      )
      .join("L");
    if (line !== "")
      plot.append(
        svg("path", {
          d: `M${line}`,
          class: `stroke ${colour} ${side === "BOTH" ? "strong" : ""}`,
        }),
      );
    for (const [index, { meanTicks }] of points) {
      plot.append(
        svg("circle", {
          cx: this.#x(index),
          cy: this.#y(meanTicks),
          r: side === "BOTH" ? 3.5 : 2.5,
          class: `dot ${colour}`,
        }),
      );
    }
  }

  #look(index: number | undefined): void {
    this.#index = index;
    this.#cursor.replaceChildren();
    this.#tip.hidden = index === undefined;
    if (index === undefined) return;
    const x = this.#x(index);
    this.#cursor.append(svg("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }));
    this.#tip.replaceChildren(html("div", "when", `${this.#seconds[index]} s after the fill`));
    for (const { side, horizons } of this.#shown) {
      const band = horizons[index] ?? null;
      const row = html("div", "row");
      const half = band?.halfBandTicks == null ? "" : ` ± ${ticksText(band.halfBandTicks)}`;
      const told =
        band === null
          ? "no horizon over yet"
          : `${ticksText(band.meanTicks)}${half} ticks, ${band.fills} fills`;
      row.append(html("i", COLOURS[side]), html("span", "", NAMES[side]), html("b", "", told));
      this.#tip.append(row);
    }
    const width = this.#tip.offsetWidth;
    const left = x + 14 + width > this.#width ? x - 14 - width : x + 14;
    this.#tip.style.left = `${Math.max(0, Math.min(left, this.#width - width))}px`;
  }

  #nearest(x: number): number {
    const share = (x - this.#left) / Math.max(1, this.#width - this.#left - RIGHT);
    return Math.max(
      0,
      Math.min(this.#seconds.length - 1, Math.round(share * (this.#seconds.length - 1))),
    );
  }

  /** Horizons stand at even steps: they grow by about three each. */
  #x(index: number): number {
    return (
      this.#left +
      (index / Math.max(1, this.#seconds.length - 1)) * (this.#width - this.#left - RIGHT)
    );
  }

  #y(value: number): number {
    return TOP + (1 - (value - this.#low) / (this.#high - this.#low)) * (HEIGHT - TOP - BOTTOM);
  }
}

function bandedOf(horizons: Group["horizons"]): number[] {
  return horizons.flatMap((band, index) => (band?.halfBandTicks == null ? [] : [index]));
}

function ticksText(ticks: number): string {
  return ticks.toPrecision(4).replace("-", "−");
}
