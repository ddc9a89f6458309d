import { html } from "../chart/html.js";
import type { FollowingWindow } from "./following-window.js";
import { alignedText, countText, durationText, numberText, percentText } from "./format.js";
import type { FrameMarket, MarketStatus, OwnQuote } from "./frame.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { LiveChart } from "./live-chart.js";
import { Meter } from "./meter.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "./panel.js";
import { quoteReason, reasonSentences, reasonTerms } from "./quote-reason.js";
import type { SampledHistory } from "./sampled-history.js";
import { setClass, setShown, setText } from "./update-element.js";

const COLUMNS = [
  { title: "order", isText: true },
  { title: "price" },
  { title: "open amount" },
  { title: "behind touch, bps" },
  { title: "age", isWide: true },
  { title: "state", isText: true, isWide: true },
  { title: "why there", isText: true },
] as const satisfies readonly Column[];

const HEAD_PIXELS = 30;
const ROW_PIXELS = 29;

interface QuoteLine extends Pick<FrameMarket, "tickSize" | "stepSize"> {
  readonly key: string;
  readonly quote: OwnQuote;
  readonly why: string;
}

/** Our orders with the reason of each, and for how much of the time they rested. */
export class QuotingPanel {
  readonly element: HTMLElement;
  readonly #lines: KeyedList<QuoteLine>;
  readonly #box = scrollBox("Our open orders");
  readonly #none = html("p", "empty", "No order of ours is open.");
  readonly #sentences = html("p", "sentences");
  readonly #terms = html("dl", "terms");
  readonly #termList: KeyedList<{ readonly name: string; readonly text: string }>;
  readonly #both = new Meter("both sides");
  readonly #bid = new Meter("bid");
  readonly #ask = new Meter("ask");
  readonly #summary = html("p", "hint");
  readonly #chart: LiveChart;
  #mostOrders = 0;

  constructor(history: SampledHistory, window: FollowingWindow) {
    const { element, body } = panel("Quotes and their reasons", "quoting");
    this.element = element;
    const { table, body: rows } = dataTable("Our open orders, best first", COLUMNS);
    table.classList.add("quotes");
    this.#box.append(table, this.#none);
    this.#lines = new KeyedList(
      rows,
      ({ key }) => key,
      () => quoteRow(),
    );
    this.#termList = new KeyedList(
      this.#terms,
      ({ name }) => name,
      ({ name }) => termItem(name),
    );
    const details = html("details", "behind");
    details.append(html("summary", "", "Figures of the strategy"), this.#terms);
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
    body.append(this.#sentences, this.#box, details, meters, this.#chart.element);
  }

  update(market: MarketStatus, { tickSize, stepSize }: FrameMarket): void {
    const { quotes, quoting, lastReason, strategy } = market;
    setText(this.#sentences, reasonSentences(market, tickSize).join(" "));
    setShown(this.#none, quotes.length === 0);
    this.#keepPlace(quotes.length);
    this.#lines.update(
      quotes.map((quote) => ({
        key: quote.clientId,
        quote,
        tickSize,
        stepSize,
        why: quoteReason(quote, market, tickSize),
      })),
    );
    this.#termList.update(
      lastReason === undefined ? [] : reasonTerms(lastReason, strategy, tickSize),
    );
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

  /** Orders come and go with each change of a quote: what is below them stays where it is. */
  #keepPlace(orders: number): void {
    if (orders <= this.#mostOrders) return;
    this.#mostOrders = orders;
    this.#box.style.minHeight = `${HEAD_PIXELS + orders * ROW_PIXELS}px`;
  }

  dispose(): void {
    this.#chart.dispose();
  }
}

function quoteRow(): ListItem<QuoteLine> {
  const { row, cells } = tableRow(COLUMNS);
  const [name, price, amount, distance, age, phase, reason] = cells;
  return {
    element: row,
    update: ({ quote, why, tickSize, stepSize }) => {
      const { side, level } = quote;
      setText(
        name,
        `${side === "BUY" ? "▲ buy" : "▼ sell"}${level === undefined ? "" : ` ${level}`}`,
      );
      setClass(name, "buy", side === "BUY");
      setClass(name, "sell", side === "SELL");
      setText(price, alignedText(quote.price, tickSize));
      setText(amount, alignedText(quote.amountBase, stepSize));
      setText(distance, numberText(quote.distanceBps, 1));
      setText(age, durationText(quote.ageMs));
      setText(phase, quote.phase.replace("-", " "));
      setText(reason, why);
    },
  };
}

function termItem(name: string): ListItem<{ readonly name: string; readonly text: string }> {
  const element = html("div");
  const value = html("dd");
  element.append(html("dt", "", name), value);
  return { element, update: ({ text }) => setText(value, text) };
}
