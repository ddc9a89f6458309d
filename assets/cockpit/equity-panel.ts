import type { FollowingWindow } from "./following-window.js";
import { LiveChart } from "./live-chart.js";
import { panel } from "./panel.js";
import type { SampledHistory } from "./sampled-history.js";

/** Equity and drawdown of a bot over time. */
export class EquityPanel {
  readonly element: HTMLElement;
  readonly #charts: readonly LiveChart[];

  constructor(history: SampledHistory, window: FollowingWindow, quoteAsset: string) {
    const { element, body } = panel("Equity", "equity");
    this.element = element;
    const shared = { history, window, unit: quoteAsset };
    this.#charts = [
      new LiveChart({
        ...shared,
        title: "Equity",
        height: 170,
        lines: [
          { name: "equity", series: "equity", colour: "c-accent", shape: "line", isScaled: true },
        ],
      }),
      new LiveChart({
        ...shared,
        title: "Below the peak",
        height: 90,
        lines: [
          {
            name: "below the peak",
            series: "drawdown",
            colour: "c-sell",
            shape: "area",
            isScaled: true,
          },
        ],
        held: () => [0],
      }),
    ];
    body.append(...this.#charts.map(({ element: chart }) => chart));
  }

  draw(): void {
    for (const chart of this.#charts) chart.update();
  }

  dispose(): void {
    for (const chart of this.#charts) chart.dispose();
  }
}
