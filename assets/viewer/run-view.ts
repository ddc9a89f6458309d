import type { ShownTurn, ViewedRunSummary } from "../../src/viewer/viewer-answers.js";
import { html } from "../chart/html.js";
import { marketActivity, setActivity } from "../cockpit/activity.js";
import { DepthLadder } from "../cockpit/depth-ladder.js";
import { Figure, figureList } from "../cockpit/figure-list.js";
import { decimalText } from "../cockpit/format.js";
import { KeyedList } from "../cockpit/keyed-list.js";
import { LadderPanel } from "../cockpit/ladder-panel.js";
import { panel } from "../cockpit/panel.js";
import { QuotesTable } from "../cockpit/quotes-table.js";
import { setAttribute, setShown, setText } from "../cockpit/update-element.js";
import { ChainPanel } from "./chain-panel.js";
import { ChangesPanel } from "./changes-panel.js";
import { instantText, timeText } from "./turn-text.js";

/** One run at one turn: what happened, and the bot after it. */
export class RunView {
  readonly element = html("article", "run");
  readonly #title = html("h2");
  readonly #where = html("p", "hint");
  readonly #missing = html("p", "stale", "This run does not have the turn.");
  readonly #body = html("div", "run-body");
  readonly #halts = html("ul");
  readonly #haltList: KeyedList<{ readonly title: string; readonly why: string }>;
  readonly #haltsHost = html("section", "halts");
  readonly #figures = {
    equity: new Figure("Equity", "money"),
    earned: new Figure("Earned since the start", "profit"),
    drawdown: new Figure("Below the peak", "money"),
    position: new Figure("Position", "text"),
    entry: new Figure("Entry", "money"),
    mark: new Figure("Mark", "money"),
  };
  readonly #activity = html("span", "activity");
  readonly #reasons = html("p", "hint");
  readonly #chain: ChainPanel;
  readonly #depth = new DepthLadder();
  readonly #quotes = new QuotesTable();
  readonly #intent = html("p", "hint");
  readonly #ladder = new LadderPanel();
  readonly #changes = new ChangesPanel();

  /** @param onTurn called when the reader follows a link to another turn */
  constructor({ journal }: ViewedRunSummary, onTurn: (turn: number) => void) {
    this.#chain = new ChainPanel(onTurn);
    const heading = html("header", "run-head");
    heading.append(this.#title, this.#activity, this.#where, this.#reasons);
    setAttribute(this.element, "aria-label", `The run ${journal}`);
    this.#haltsHost.setAttribute("aria-label", "Halts");
    this.#haltsHost.append(this.#halts);
    this.#haltList = new KeyedList(
      this.#halts,
      ({ title }) => title,
      () => {
        const element = html("li");
        const title = html("b");
        const why = html("span");
        element.append(title, why);
        return {
          element,
          update: (halt) => {
            setText(title, halt.title);
            setText(why, halt.why);
          },
        };
      },
    );
    const { element: quoting, body } = panel("Quotes and their reasons", "quoting");
    body.append(this.#intent, ...this.#quotes.elements);
    const grid = html("div", "run-grid");
    grid.append(
      this.#chain.element,
      this.#depth.element,
      quoting,
      this.#changes.element,
      this.#ladder.element,
    );
    this.#body.append(this.#haltsHost, figureList("cards", ...Object.values(this.#figures)), grid);
    this.element.append(heading, this.#missing, this.#body);
  }

  /** Shows a turn of a market; null if the run does not have it. */
  update(summary: ViewedRunSummary, turn: number, shown: ShownTurn | null, marketId: string): void {
    setAttribute(this.element, "data-turn", String(turn));
    setText(this.#title, `Turn ${turn} of ${summary.journal}`);
    setShown(this.#missing, shown === null);
    setShown(this.#body, shown !== null);
    setText(
      this.#where,
      shown === null
        ? ""
        : `${instantText(shown.atMs)} UTC, line ${shown.line} of the journal, ${summary.config}, account ${summary.account}`,
    );
    if (shown === null) return;
    const { status, books, intents } = shown.state;
    const market = status.markets[marketId];
    const book = books[marketId];
    this.#haltList.update(
      status.activeHalts.map(({ name, marketId: of, why }) => ({
        title: `■ ${of ?? "All markets"} halted: ${name}`,
        why,
      })),
    );
    setShown(this.#haltsHost, status.activeHalts.length > 0);
    const { equity, earned, drawdown, position, entry, mark } = this.#figures;
    const quote = status.quoteAsset ?? "";
    equity.update(status.equityQuote, quote);
    earned.update(status.earnedQuote, quote);
    drawdown.update(status.drawdownQuote, quote);
    this.#chain.update(turn, shown.chain);
    this.#changes.update(shown.changes);
    this.#ladder.update(status);
    if (market === undefined || book === undefined) return;
    setActivity(this.#activity, marketActivity(market.state, false));
    const why = market.reasons.join("; ");
    setText(
      this.#reasons,
      `${marketId}, ${market.strategy}, ${status.phase}${why === "" ? "" : `: ${why}`}`,
    );
    position.update(
      market.positionBase === null ? null : decimalText(market.positionBase),
      market.baseAsset ?? "",
    );
    entry.update(market.entryPrice, market.quoteAsset ?? "");
    mark.update(market.markQuote, market.quoteAsset ?? "");
    this.#depth.update(market, book);
    this.#quotes.update(market, book);
    const intent = intents[marketId];
    setText(
      this.#intent,
      intent === undefined
        ? "The strategy has not answered yet."
        : `Last intent, turn ${intent.turn} at ${timeText(intent.atMs)}: ${intent.text}`,
    );
  }
}
