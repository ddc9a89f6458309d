import { html } from "../chart/html.js";
import type { FollowingWindow } from "./following-window.js";
import { signOf, unsigned } from "./format.js";
import type { MarketStatus } from "./frame.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { LiveChart } from "./live-chart.js";
import { MoneyElement } from "./money-element.js";
import { type Column, dataTable, panel, tableRow } from "./panel.js";
import type { SampledHistory } from "./sampled-history.js";
import { setClass, setLength } from "./update-element.js";

const HEIGHT = 200;
const NAMES: Readonly<Record<string, string>> = { failed: "failed settlements" };
/** Strokes of neighbouring lines differ, so that they are told apart without their colours. */
const DASHES: readonly (readonly number[] | undefined)[] = [undefined, [6, 3], [2, 3]];

interface Part {
  readonly part: string;
  readonly amount: string;
  readonly share: number;
}

/** The profit of one market by its parts: as they are now, and over time. */
export class ProfitPanel {
  readonly element: HTMLElement;
  readonly #body: HTMLElement;
  readonly #history: SampledHistory;
  readonly #window: FollowingWindow;
  readonly #quoteAsset: string;
  readonly #list: KeyedList<Part>;
  #chart: LiveChart | undefined;
  #drawn = "";

  constructor(history: SampledHistory, window: FollowingWindow, quoteAsset: string) {
    const { element, body } = panel("Profit by its parts", "profit");
    this.element = element;
    this.#body = body;
    this.#history = history;
    this.#window = window;
    this.#quoteAsset = quoteAsset;
    const columns = [
      { title: "part", isText: true },
      { title: `since the start, ${quoteAsset}` },
      { title: "" },
    ] as const satisfies readonly Column[];
    const { table, body: rows } = dataTable("Profit by its parts since the start", columns);
    table.classList.add("parts");
    body.append(table);
    this.#list = new KeyedList(
      rows,
      ({ part }) => part,
      ({ part }) => partRow(part, columns),
    );
  }

  update({ pnlQuote, pnlTotalQuote }: MarketStatus): void {
    const parts = Object.entries(pnlQuote);
    const most = Math.max(...parts.map(([, amount]) => Math.abs(Number(amount))));
    const share = (amount: string): number => (most === 0 ? 0 : Number(unsigned(amount)) / most);
    this.#list.update([
      ...parts.map(([part, amount]) => ({ part, amount, share: share(amount) })),
      { part: "total", amount: pnlTotalQuote, share: 0 },
    ]);
    const changing = parts.filter(([, amount]) => signOf(amount) !== 0).map(([part]) => part);
    if (changing.join() !== this.#drawn || this.#chart === undefined) this.#begin(changing);
  }

  draw(): void {
    this.#chart?.update();
  }

  dispose(): void {
    this.#chart?.dispose();
  }

  /** Only parts that are not zero have a line: others would fill the legend. */
  #begin(parts: readonly string[]): void {
    this.#drawn = parts.join();
    const before = this.#chart;
    this.#chart = new LiveChart({
      title: "Profit by its parts",
      unit: this.#quoteAsset,
      height: HEIGHT,
      history: this.#history,
      window: this.#window,
      lines: [
        {
          name: "total",
          series: "total",
          colour: "c-ink",
          shape: "line",
          isScaled: true,
          isStrong: true,
        },
        ...parts.map((part, index) => {
          const dash = DASHES[index % DASHES.length];
          return {
            name: NAMES[part] ?? part,
            series: part,
            colour: `p-${part}`,
            shape: "line" as const,
            isScaled: true,
            ...(dash === undefined ? {} : { dash }),
          };
        }),
      ],
      held: () => [0],
    });
    if (before === undefined) this.#body.append(this.#chart.element);
    else {
      before.element.replaceWith(this.#chart.element);
      before.dispose();
    }
  }
}

function partRow(part: string, columns: readonly [Column, Column, Column]): ListItem<Part> {
  const { row, cells } = tableRow(columns);
  const [name, amount, track] = cells;
  name.append(html("i", `p-${part}`), ` ${NAMES[part] ?? part}`);
  setClass(row, "total", part === "total");
  const money = new MoneyElement(amount, true);
  const bar = html("span", "diverging");
  const fill = html("span");
  bar.append(fill);
  if (part !== "total") track.append(bar);
  track.className = "track-cell";
  return {
    element: row,
    update: (item) => {
      money.update(item.amount);
      setLength(fill, item.share);
      setClass(fill, "loss", signOf(item.amount) < 0);
    },
  };
}
