import type uPlot from "uplot";
import type { Ink } from "../chart/chart-look.js";
import { drawFills, type FillMark } from "../chart/fill-marks.js";
import { html } from "../chart/html.js";
import type { FollowingWindow } from "./following-window.js";
import { decimalText, signOf } from "./format.js";
import type { FrameFill, FrameMarket, MarketStatus } from "./frame.js";
import { LiveChart } from "./live-chart.js";
import { panel } from "./panel.js";
import type { SampledHistory } from "./sampled-history.js";

const HEIGHT = 320;
/** Levels of ours that are nearer to the mid than this share are in the scale. */
const NEAR = 0.003;
/** Our best bid and ask are in it from farther: the chart is to show where we quote. */
const NEAR_BEST = 0.02;
/** How near to a fill one has to point, in pixels. */
const NEAR_PIXELS = 10;
const TICK_PIXELS = 16;

const SPANS: readonly (readonly [text: string, ms: number])[] = [
  ["2 min", 120_000],
  ["10 min", 600_000],
  ["30 min", 1_800_000],
];

/** The price of one market over time, with our own quotes and fills. */
export class PricePanel {
  readonly element: HTMLElement;
  readonly #chart: LiveChart;
  readonly #window: FollowingWindow;
  readonly #history: SampledHistory;
  readonly #stop: () => void;
  #fills: readonly (FillMark & { readonly fill: FrameFill })[] = [];
  #market: MarketStatus | undefined;

  constructor(history: SampledHistory, window: FollowingWindow, quoteAsset: string) {
    this.#history = history;
    this.#window = window;
    const { element, head, body } = panel("Price, own quotes and fills", "price");
    this.element = element;
    const { bar, stop } = spanBar(window);
    head.append(bar);
    this.#stop = stop;
    this.#chart = new LiveChart({
      title: "Price, own quotes and fills",
      unit: quoteAsset,
      height: HEIGHT,
      history,
      window,
      lines: [
        { name: "mid", series: "mid", colour: "c-ink", shape: "line", isScaled: true },
        { name: "our best bid", series: "ownBid", colour: "c-buy", shape: "step", isScaled: false },
        {
          name: "our best ask",
          series: "ownAsk",
          colour: "c-sell",
          shape: "step",
          isScaled: false,
          dash: [5, 3],
        },
      ],
      held: () => this.#held(),
      noteAt: (plot, atMs) => this.#noteAt(plot, atMs),
      marks: (plot, ink) => this.#drawMarks(plot, ink),
    });
    body.append(this.#chart.element);
    body.append(
      html(
        "p",
        "hint",
        "▲ bought, ▼ sold. Lines at the right edge are our resting orders. Drag or pinch to zoom.",
      ),
    );
  }

  update(market: MarketStatus, { fills }: FrameMarket): void {
    this.#market = market;
    if (fills.at(-1) !== this.#fills.at(-1)?.fill || fills.length !== this.#fills.length)
      this.#fills = fills.map((fill) => ({
        timeMs: fill.atMs,
        side: fill.side,
        price: Number(fill.price),
        fill,
      }));
  }

  draw(): void {
    this.#chart.update();
  }

  dispose(): void {
    this.#stop();
    this.#chart.dispose();
  }

  #inSight(): readonly (FillMark & { readonly fill: FrameFill })[] {
    const { fromMs, toMs } = this.#window;
    // Before the page was opened there is no price to set a fill against.
    const firstMs = this.#history.times[0] ?? Number.POSITIVE_INFINITY;
    return this.#fills.filter(
      ({ timeMs }) => timeMs >= Math.max(fromMs, firstMs - 1_000) && timeMs <= toMs,
    );
  }

  #held(): readonly number[] {
    const mid = this.#history.series("mid").values.at(-1);
    const quotes = (this.#market?.quotes ?? []).map(({ price }) => Number(price));
    const isWithin = (price: number | null | undefined, share: number): price is number =>
      price != null && mid != null && Math.abs(price / mid - 1) < share;
    return [
      ...quotes.filter((price) => isWithin(price, NEAR)),
      ...this.#bestInSight().filter((price) => isWithin(price, NEAR_BEST)),
      ...this.#inSight().map(({ price }) => price),
    ];
  }

  /** Our best quotes over the time in sight. */
  #bestInSight(): readonly (number | null | undefined)[] {
    const { fromMs, toMs } = this.#window;
    const { times } = this.#history;
    const bids = this.#history.series("ownBid").values;
    const asks = this.#history.series("ownAsk").values;
    return times.flatMap((atMs, index) =>
      atMs < fromMs || atMs > toMs ? [] : [bids[index], asks[index]],
    );
  }

  #noteAt(plot: uPlot, atMs: number): string | undefined {
    const x = plot.valToPos(atMs, "x");
    let [nearest, found]: [number, FrameFill | undefined] = [NEAR_PIXELS, undefined];
    for (const { timeMs, fill } of this.#fills) {
      const distance = Math.abs(plot.valToPos(timeMs, "x") - x);
      if (distance < nearest) [nearest, found] = [distance, fill];
    }
    if (found === undefined) return undefined;
    const { side, amountBase, price, isMaker, feeQuote } = found;
    const fee = signOf(feeQuote) < 0 ? "rebate" : "fee";
    return `${side === "BUY" ? "bought" : "sold"} ${decimalText(amountBase)} at ${decimalText(price)} as ${isMaker ? "maker" : "taker"}, ${fee} ${decimalText(feeQuote.replace(/^-/, ""))}`;
  }

  #drawMarks(plot: uPlot, ink: Ink): void {
    drawFills(plot, this.#inSight(), ink);
    const { ctx, bbox } = plot;
    const right = bbox.left + bbox.width;
    ctx.lineWidth = 2 * devicePixelRatio;
    for (const { side, price } of this.#market?.quotes ?? []) {
      const y = Math.round(plot.valToPos(Number(price), "y", true));
      ctx.strokeStyle = ink(side === "BUY" ? "c-buy" : "c-sell");
      ctx.beginPath();
      ctx.moveTo(right - TICK_PIXELS * devicePixelRatio, y);
      ctx.lineTo(right, y);
      ctx.stroke();
    }
  }
}

/** Buttons that choose how much of the newest time is in sight. */
function spanBar(window: FollowingWindow): {
  readonly bar: HTMLElement;
  readonly stop: () => void;
} {
  const bar = html("div", "spans");
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Time in sight in all charts");
  const buttons = SPANS.map(([text, ms]) => {
    const button = html("button", "", text);
    button.type = "button";
    button.addEventListener("click", () => window.followSpan(ms));
    bar.append(button);
    return { button, ms };
  });
  const show = (): void => {
    for (const { button, ms } of buttons) {
      const isPressed = String(!window.isZoomed && window.spanMs === ms);
      if (button.getAttribute("aria-pressed") !== isPressed)
        button.setAttribute("aria-pressed", isPressed);
    }
  };
  show();
  return { bar, stop: window.listen(show, () => {}) };
}
