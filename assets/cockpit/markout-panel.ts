import { exact } from "../chart/axis-text.js";
import { Chart } from "../chart/chart.js";
import type { ChartLine } from "../chart/chart-look.js";
import { html } from "../chart/html.js";
import { countText, signedNumberText, signedText } from "./format.js";
import type { MarketStatus, MarkoutStatus } from "./frame.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { legend } from "./live-chart.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "./panel.js";
import { setShown, setText } from "./update-element.js";

const HEIGHT = 200;
const SIDES = ["both", "BUY", "SELL"] as const;
const LINES = {
  both: { name: "both sides", colour: "c-ink" },
  BUY: { name: "buys", colour: "c-buy" },
  SELL: { name: "sells", colour: "c-sell", dash: [5, 3] },
} as const;

interface Horizon {
  readonly horizonMs: number;
  readonly bySide: Readonly<Record<(typeof SIDES)[number], MarkoutStatus | undefined>>;
}

/** How the mid moved after our fills, by side and level: in our favour above zero. */
export class MarkoutPanel {
  readonly element: HTMLElement;
  readonly #host = html("div", "chart");
  readonly #empty = html("p", "empty", "No fill has reached its first horizon yet.");
  readonly #figure = html("figure", "live-chart");
  readonly #select = html("select");
  readonly #list: KeyedList<Horizon>;
  #chart: Chart | undefined;
  #horizons: readonly Horizon[] = [];
  #levels = "";
  #places = "";
  #market: MarketStatus | undefined;

  constructor() {
    const { element, head, body } = panel("Markouts", "markouts");
    this.element = element;
    const label = html("label", "choice", "level ");
    label.append(this.#select);
    this.#select.addEventListener("change", () => this.#show());
    head.append(label);
    const caption = html("figcaption");
    caption.append(
      html("span", "chart-title", "Mean move of the mid after our fills, bps"),
      legend(SIDES.map((side) => LINES[side])),
    );
    this.#host.style.minHeight = `${HEIGHT}px`;
    this.#figure.append(caption, this.#host);
    const columns = [
      { title: "after" },
      { title: "both, bps" },
      { title: "buys, bps" },
      { title: "sells, bps" },
      { title: "both, quote", isWide: true },
      { title: "fills" },
    ] as const satisfies readonly Column[];
    const { table, body: rows } = dataTable("Markouts by horizon and side", columns);
    const box = scrollBox("Markouts");
    box.append(table);
    this.#list = new KeyedList(
      rows,
      ({ horizonMs }) => String(horizonMs),
      () => horizonRow(columns),
    );
    body.append(this.#figure, box, this.#empty);
  }

  update(market: MarketStatus): void {
    this.#market = market;
    const levels = [...new Set(market.markouts.map(({ level }) => level))]
      .filter((level) => level !== "all")
      .sort((a, b) => a - b);
    if (levels.join() !== this.#levels) {
      this.#levels = levels.join();
      const chosen = this.#select.value;
      this.#select.replaceChildren(
        option("all", "all"),
        ...levels.map((level) => option(String(level), String(level))),
      );
      this.#select.value = levels.map(String).includes(chosen) ? chosen : "all";
    }
    this.#show();
  }

  draw(): void {
    this.#chart?.update({ lines: this.#lines() });
  }

  dispose(): void {
    this.#chart?.dispose();
  }

  #show(): void {
    const markouts = (this.#market?.markouts ?? []).filter(
      ({ level }) => String(level) === (this.#select.value || "all"),
    );
    this.#horizons = horizonsOf(markouts);
    const isEmpty = this.#horizons.every(({ bySide }) => (bySide.both?.fills ?? 0) === 0);
    setShown(this.#empty, isEmpty);
    this.#list.update(this.#horizons);
    const places = this.#horizons.map(({ horizonMs }) => horizonMs).join();
    if (places !== this.#places) {
      this.#places = places;
      this.#chart?.dispose();
      this.#chart = this.#horizons.length === 0 ? undefined : this.#begin();
    }
  }

  #begin(): Chart {
    return new Chart(this.#host, {
      title: "Markouts by horizon",
      height: HEIGHT,
      // Horizons are drawn at even steps: they grow by about three each.
      xs: this.#horizons.map((_, index) => index),
      names: {
        texts: this.#horizons.map(({ horizonMs }) => String(horizonMs / 1000)),
        unit: "seconds after the fill",
      },
      lines: this.#lines(),
      held: () => [0],
      titleAt: (index) => `${(this.#horizons[index]?.horizonMs ?? 0) / 1000} s after the fill`,
    });
  }

  #lines(): readonly ChartLine[] {
    return SIDES.map((side) => ({
      ...LINES[side],
      shape: "dots",
      isStrong: side === "both",
      isScaled: true,
      values: this.#horizons.map(({ bySide }) => filled(bySide[side])?.bps ?? null),
      textAt: (index) => {
        const markout = filled(this.#horizons[index]?.bySide[side]);
        return markout === undefined
          ? "no fill yet"
          : `${signedNumberText(markout.bps, 2)} bps, ${countText(markout.fills, "fill")}`;
      },
    }));
  }
}

function horizonsOf(markouts: readonly MarkoutStatus[]): readonly Horizon[] {
  const horizons = [...new Set(markouts.map(({ horizonMs }) => horizonMs))].sort((a, b) => a - b);
  return horizons.map((horizonMs) => {
    const of = (side: MarkoutStatus["side"]): MarkoutStatus | undefined =>
      markouts.find((markout) => markout.horizonMs === horizonMs && markout.side === side);
    return { horizonMs, bySide: { both: of("both"), BUY: of("BUY"), SELL: of("SELL") } };
  });
}

function filled(markout: MarkoutStatus | undefined): MarkoutStatus | undefined {
  return markout === undefined || markout.fills === 0 ? undefined : markout;
}

function horizonRow(
  columns: readonly [Column, Column, Column, Column, Column, Column],
): ListItem<Horizon> {
  const { row, cells } = tableRow(columns);
  const [after, both, buys, sells, quote, fills] = cells;
  return {
    element: row,
    update: ({ horizonMs, bySide }) => {
      setText(after, `${horizonMs / 1000} s`);
      for (const [cell, markout] of [
        [both, bySide.both],
        [buys, bySide.BUY],
        [sells, bySide.SELL],
      ] as const)
        setText(cell, signedNumberText(filled(markout)?.bps, 2));
      setText(quote, signedText(filled(bySide.both)?.quote));
      setText(fills, exact(String(bySide.both?.fills ?? 0)));
    },
  };
}

function option(value: string, text: string): HTMLOptionElement {
  const element = html("option", "", text);
  element.value = value;
  return element;
}
