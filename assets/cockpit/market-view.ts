import { referenceText } from "../../src/bot/status/reference-text.js";
import { html } from "../chart/html.js";
import { marketActivity, setActivity } from "./activity.js";
import type { BotRecord } from "./bot-record.js";
import type { CommandDialog } from "./command-dialog.js";
import { ControlBar } from "./controls.js";
import { DepthLadder } from "./depth-ladder.js";
import { FillsPanel } from "./fills-panel.js";
import type { FollowingWindow } from "./following-window.js";
import type { Frame } from "./frame.js";
import { MarkoutPanel } from "./markout-panel.js";
import { PositionPanel } from "./position-panel.js";
import { PricePanel } from "./price-panel.js";
import { ProfitPanel } from "./profit-panel.js";
import { QuotingPanel } from "./quoting-panel.js";
import { setAttribute, setClass, setShown, setText } from "./update-element.js";

/** One market of a bot. */
export class MarketView {
  readonly element = html("section", "market");
  readonly #marketId: string;
  readonly #activity = html("span", "activity");
  readonly #strategy = html("span", "strategy");
  readonly #reasons = html("p", "reasons");
  readonly #reference = html("p", "reasons reference");
  readonly #controls: ControlBar;
  readonly #record: BotRecord;
  readonly #price: PricePanel;
  readonly #depth = new DepthLadder();
  readonly #position: PositionPanel;
  readonly #quoting: QuotingPanel;
  readonly #profit: ProfitPanel;
  readonly #markouts = new MarkoutPanel();
  readonly #fills = new FillsPanel();

  constructor(
    record: BotRecord,
    frame: Frame,
    marketId: string,
    window: FollowingWindow,
    dialog: CommandDialog,
  ) {
    this.#marketId = marketId;
    this.#record = record;
    const market = frame.status.markets[marketId];
    const quoteAsset = market?.quoteAsset ?? frame.status.quoteAsset ?? "quote";
    const history = record.history(marketId);
    this.#price = new PricePanel(history, window, quoteAsset);
    this.#position = new PositionPanel(history, window, market?.baseAsset ?? "base");
    this.#quoting = new QuotingPanel(history, window);
    this.#profit = new ProfitPanel(history, window, quoteAsset);
    const heading = html("h2", "", marketId);
    heading.id = "market-heading";
    this.element.setAttribute("aria-labelledby", heading.id);
    const head = html("div", "market-head");
    this.#controls = new ControlBar(record, marketId, dialog);
    head.append(heading, this.#activity, this.#strategy, this.#controls.element);
    const grid = html("div", "market-grid");
    grid.append(
      this.#price.element,
      this.#depth.element,
      this.#position.element,
      this.#quoting.element,
      this.#fills.element,
      this.#profit.element,
      this.#markouts.element,
    );
    this.element.append(head, this.#reasons, this.#reference, grid);
  }

  /** @param isOld true if the bot may do something else by now */
  update(frame: Frame, isOld: boolean): void {
    const market = frame.status.markets[this.#marketId];
    const framed = frame.markets[this.#marketId];
    if (market === undefined || framed === undefined) return;
    setActivity(this.#activity, marketActivity(market.state, isOld));
    setText(this.#strategy, market.strategy);
    const reasons = market.reasons.join("; ");
    setText(this.#reasons, reasons === "" ? "Nothing keeps it from quoting." : reasons);
    // Its place is one line, so that reasons that come and go move nothing.
    setAttribute(this.#reasons, "title", reasons === "" ? undefined : reasons);
    setShown(this.#reference, market.reference !== undefined);
    if (market.reference !== undefined) {
      const text = `Reference price ${referenceText(market.reference)}`;
      setText(this.#reference, text);
      setAttribute(this.#reference, "title", text);
      setClass(this.#reference, "warned", market.reference.state !== "good");
    }
    this.#controls.update(this.#record);
    this.#price.update(market, framed);
    this.#depth.update(market, framed);
    this.#position.update(market);
    this.#quoting.update(market, framed);
    this.#profit.update(market);
    this.#markouts.update(market);
    this.#fills.update(framed);
  }

  /** Draws the charts anew. */
  draw(): void {
    for (const part of this.#drawn()) part.draw();
  }

  dispose(): void {
    for (const part of this.#drawn()) part.dispose();
  }

  #drawn() {
    return [this.#price, this.#position, this.#quoting, this.#profit, this.#markouts];
  }
}
