import { html } from "../chart/html.js";
import type { FollowingWindow } from "./following-window.js";
import { countText, numberText, percentText } from "./format.js";
import type { FrameMarket, MarketStatus } from "./frame.js";
import { LiveChart } from "./live-chart.js";
import { Meter } from "./meter.js";
import { panel } from "./panel.js";
import { QuotesTable } from "./quotes-table.js";
import type { SampledHistory } from "./sampled-history.js";
import { setText } from "./update-element.js";

/** Our orders with the reason of each, and for how much of the time they rested. */
export class QuotingPanel {
  readonly element: HTMLElement;
  readonly #quotes = new QuotesTable();
  readonly #both = new Meter("both sides");
  readonly #bid = new Meter("bid");
  readonly #ask = new Meter("ask");
  readonly #summary = html("p", "hint");
  readonly #chart: LiveChart;

  constructor(history: SampledHistory, window: FollowingWindow) {
    const { element, body } = panel("Quotes and their reasons", "quoting");
    this.element = element;
    const meters = html("div", "meters");
    meters.append(
      html("h4", "", "Time with quotes since the start"),
      this.#both.element,
      this.#bid.element,
      this.#ask.element,
      this.#summary,
    );
    this.#chart = new LiveChart({
      title: "Distance of the best quotes behind the touch",
      unit: "bps",
      height: 110,
      history,
      window,
      lines: [
        { name: "bid", series: "bidDistance", colour: "c-buy", shape: "line", isScaled: true },
        {
          name: "ask",
          series: "askDistance",
          colour: "c-sell",
          shape: "line",
          isScaled: true,
          dash: [5, 3],
        },
      ],
      held: () => [0],
    });
    body.append(...this.#quotes.elements, meters, this.#chart.element);
  }

  update(market: MarketStatus, framed: FrameMarket): void {
    const { quoting } = market;
    this.#quotes.update(market, framed);
    const distance = (bps: number | undefined): string =>
      bps === undefined ? "" : `${numberText(bps, 1)} bps behind the touch on average`;
    this.#both.update(quoting.bothSidesFraction, percentText(quoting.bothSidesFraction), "");
    this.#bid.update(
      quoting.bidFraction,
      percentText(quoting.bidFraction),
      distance(quoting.bidDistanceBps),
    );
    this.#ask.update(
      quoting.askFraction,
      percentText(quoting.askFraction),
      distance(quoting.askDistanceBps),
    );
    setText(
      this.#summary,
      `${countText(market.fills, "fill")}, ${numberText(market.fillsPerMinute, 2)} a minute. ${countText(market.ordersCancelled, "order")} cancelled since the start${market.fills === 0 ? "" : `, ${numberText(market.ordersCancelled / market.fills, 1)} a fill`}.${market.unknownOrders > 0 ? ` The state of ${countText(market.unknownOrders, "order")} is unknown.` : ""}${market.manualOrders > 0 ? ` ${countText(market.manualOrders, "order")} of the account ${market.manualOrders === 1 ? "is" : "are"} not the bot's.` : ""}`,
    );
  }

  draw(): void {
    this.#chart.update();
  }

  dispose(): void {
    this.#chart.dispose();
  }
}
