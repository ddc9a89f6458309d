import { Figure, figureList } from "./figure-list.js";
import type { FollowingWindow } from "./following-window.js";
import { decimalText, durationText, signOf, unsigned } from "./format.js";
import type { MarketStatus } from "./frame.js";
import { LiveChart } from "./live-chart.js";
import { panel } from "./panel.js";
import type { SampledHistory } from "./sampled-history.js";

/** The position of one market with its entry, value and profit. */
export class PositionPanel {
  readonly element: HTMLElement;
  readonly #position = new Figure("Position", "text");
  readonly #entry = new Figure("Entry", "money");
  readonly #mark = new Figure("Mark", "money");
  readonly #notional = new Figure("Notional", "money");
  readonly #unrealised = new Figure("Unrealised", "profit");
  readonly #realised = new Figure("Realised", "profit");
  readonly #chart: LiveChart;

  constructor(history: SampledHistory, window: FollowingWindow, baseAsset: string) {
    const { element, body } = panel("Position", "position");
    this.element = element;
    this.#chart = new LiveChart({
      title: "Position",
      unit: baseAsset,
      height: 110,
      history,
      window,
      lines: [
        { name: "position", series: "position", colour: "c-accent", shape: "area", isScaled: true },
      ],
      held: () => [0],
    });
    body.append(
      figureList(
        "six",
        this.#position,
        this.#entry,
        this.#mark,
        this.#notional,
        this.#unrealised,
        this.#realised,
      ),
      this.#chart.element,
    );
  }

  update(market: MarketStatus): void {
    const { positionBase, positionUnknownSeconds, baseAsset, quoteAsset } = market;
    const quote = quoteAsset ?? "";
    const sign = positionBase === null ? 0 : signOf(positionBase);
    this.#position.update(
      positionBase === null ? null : decimalText(unsigned(positionBase)),
      baseAsset ?? "",
      positionUnknownSeconds !== undefined
        ? `unknown for ${durationText(1000 * positionUnknownSeconds)}`
        : positionBase === null
          ? "not reported yet"
          : ["short", "flat", "long"][sign + 1],
    );
    this.#position.warn(positionUnknownSeconds !== undefined);
    this.#entry.update(market.entryPrice, quote);
    this.#mark.update(market.markQuote, quote);
    this.#notional.update(market.notionalQuote, quote);
    this.#unrealised.update(market.unrealisedQuote, quote, "at the mark");
    this.#realised.update(market.realisedQuote, quote, "since the start");
  }

  draw(): void {
    this.#chart.update();
  }

  dispose(): void {
    this.#chart.dispose();
  }
}
