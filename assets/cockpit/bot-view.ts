import { html } from "../chart/html.js";
import { botActivity, marketActivity, setActivity } from "./activity.js";
import type { BotRecord } from "./bot-record.js";
import { newsTextFor } from "./bots-table.js";
import type { CommandDialog } from "./command-dialog.js";
import { ControlBar } from "./controls.js";
import { DifferencesPanel } from "./differences-panel.js";
import { EquityPanel } from "./equity-panel.js";
import { Figure, figureList } from "./figure-list.js";
import { FollowingWindow } from "./following-window.js";
import { clockText, countText, durationText } from "./format.js";
import type { Frame, FrameNotice } from "./frame.js";
import { HaltsPanel } from "./halts-panel.js";
import { HealthPanel } from "./health-panel.js";
import { KeyedList } from "./keyed-list.js";
import { LadderPanel } from "./ladder-panel.js";
import { LiquidationsPanel } from "./liquidations-panel.js";
import { MarketView } from "./market-view.js";
import { NoticesPanel } from "./notices-panel.js";
import { setAttribute, setClass, setShown, setText } from "./update-element.js";

const USUAL_SPAN_MS = 600_000;

/** Everything about one bot: its account, and one of its markets. */
export class BotView {
  readonly element = html("article", "bot");
  readonly #record: BotRecord;
  readonly #dialog: CommandDialog;
  readonly #window: FollowingWindow;
  readonly #name = html("h1");
  readonly #activity = html("span", "activity");
  readonly #pills = html("p", "pills");
  readonly #pillList: KeyedList<{ readonly text: string; readonly isWarning: boolean }>;
  readonly #stale = html("p", "stale");
  readonly #readOnly = html("p", "read-only");
  readonly #controls: ControlBar;
  readonly #halts = new HaltsPanel();
  readonly #equity = new Figure("Equity", "money");
  readonly #earned = new Figure("Earned since the start", "profit");
  readonly #drawdown = new Figure("Below the peak", "money");
  readonly #daily = new Figure("Lost today (UTC)", "money");
  readonly #unrealised = new Figure("Unrealised", "profit");
  readonly #realised = new Figure("Realised", "profit");
  readonly #markets: KeyedList<readonly [string, Frame["status"]["markets"][string]]>;
  readonly #marketNav = html("nav", "markets");
  readonly #marketHost = html("div");
  readonly #equityPanel: EquityPanel;
  readonly #ladder = new LadderPanel();
  readonly #health = new HealthPanel();
  readonly #notices = new NoticesPanel();
  readonly #differences = new DifferencesPanel();
  readonly #liquidations = new LiquidationsPanel();
  #market: { readonly marketId: string; readonly view: MarketView } | undefined;
  #chosen: string | undefined;
  #isOld = false;

  constructor(record: BotRecord, frame: Frame, dialog: CommandDialog) {
    this.#record = record;
    this.#dialog = dialog;
    const { status } = frame;
    this.#window = new FollowingWindow(status.atMs, USUAL_SPAN_MS);
    this.#equityPanel = new EquityPanel(record.account, this.#window, status.quoteAsset ?? "quote");
    this.#controls = new ControlBar(record, undefined, dialog);
    this.#pillList = new KeyedList(
      this.#pills,
      ({ text }) => text,
      ({ text, isWarning }) => ({
        element: html("span", isWarning ? "pill warn" : "pill", text),
        update: () => {},
      }),
    );
    const head = html("header", "bot-head");
    const title = html("div", "title");
    title.append(this.#name, this.#activity);
    head.append(title, this.#controls.element, this.#pills, this.#stale, this.#readOnly);
    this.#stale.setAttribute("role", "status");
    const list = html("ul");
    this.#marketNav.setAttribute("aria-label", "Markets");
    this.#marketNav.append(list);
    this.#markets = new KeyedList(
      list,
      ([marketId]) => marketId,
      ([marketId]) => this.#marketItem(marketId),
    );
    const account = html("section", "account");
    const accountHeading = html("h2", "", "Account");
    accountHeading.id = "account-heading";
    account.setAttribute("aria-labelledby", accountHeading.id);
    const grid = html("div", "account-grid");
    grid.append(
      this.#equityPanel.element,
      this.#notices.element,
      this.#ladder.element,
      this.#health.element,
      this.#differences.element,
    );
    account.append(accountHeading, grid);
    this.element.append(
      head,
      this.#halts.element,
      figureList(
        "cards",
        this.#equity,
        this.#earned,
        this.#drawdown,
        this.#daily,
        this.#unrealised,
        this.#realised,
      ),
      this.#marketNav,
      this.#marketHost,
      account,
      this.#liquidations.element,
    );
  }

  get botId(): string {
    return this.#record.entry.id;
  }

  /** Shows a market; with an unknown one, or undefined, the first. */
  chooseMarket(marketId: string | undefined): void {
    this.#chosen = marketId;
    if (this.#record.frame !== undefined) this.#showMarket(this.#record.frame);
  }

  /** Shows the newest frame. */
  update(frame: Frame): void {
    const { status } = frame;
    setAttribute(this.element, "data-turn", String(status.turn));
    const quote = status.quoteAsset ?? "";
    this.#pillList.update(pillsOf(frame));
    setText(this.#name, this.#record.name);
    setAttribute(this.#name, "title", status.config);
    this.#controls.update(this.#record);
    setShown(this.#readOnly, !frame.control);
    setText(
      this.#readOnly,
      "This page is read-only for this bot. To halt, flatten and set parameters here, put control: true under cockpit: in its file and restart it.",
    );
    this.#halts.update(this.#record, status);
    this.#equity.update(status.equityQuote, quote);
    this.#earned.update(
      status.earnedQuote,
      quote,
      `in ${durationText(status.atMs - status.startedAtMs)}`,
    );
    this.#drawdown.update(
      status.drawdownQuote,
      quote,
      status.ladder.length === 0 ? "" : "a rung of the ladder acts",
    );
    this.#drawdown.warn(status.ladder.length > 0);
    this.#daily.update(status.dailyLossQuote, quote);
    this.#unrealised.update(status.unrealisedQuote, quote);
    this.#realised.update(status.realisedQuote, quote);
    const markets = Object.entries(status.markets);
    setShown(this.#marketNav, markets.length > 1);
    this.#markets.update(markets);
    this.#showMarket(frame);
    this.#ladder.update(status);
    this.#health.update(status);
    this.#notices.update(frame.notices.filter((notice) => !isFill(notice)));
    this.#differences.update(status);
    this.#liquidations.update(status);
  }

  /** Shows the age of the frame, which grows without one. */
  showAge(nowMs: number, isConnected: boolean): void {
    const record = this.#record;
    const isOld = record.isOld(nowMs) || !isConnected;
    setActivity(this.#activity, botActivity(record, isOld));
    if (isOld !== this.#isOld && record.frame !== undefined) {
      this.#isOld = isOld;
      this.#markets.update(Object.entries(record.frame.status.markets));
      this.#market?.view.update(record.frame, isOld);
    }
    setClass(this.element, "old", isOld);
    setShown(this.#stale, isOld);
    if (!isOld) return;
    const last = record.frame?.status.atMs;
    const shown = last === undefined ? "" : ` The figures are of ${clockText(last)}.`;
    const why = newsTextFor(record, nowMs, isConnected);
    setText(this.#stale, `■ ${why[0]?.toUpperCase()}${why.slice(1)}.${shown}`);
  }

  /** Draws the charts anew. */
  draw(): void {
    const { times } = this.#record.account;
    const [oldest, newest] = [times[0], times.at(-1)];
    if (oldest !== undefined && newest !== undefined) this.#window.follow(oldest, newest);
    this.#equityPanel.draw();
    this.#market?.view.draw();
  }

  dispose(): void {
    this.#equityPanel.dispose();
    this.#market?.view.dispose();
    this.element.remove();
  }

  #showMarket(frame: Frame): void {
    const known = Object.keys(frame.status.markets);
    const marketId =
      this.#chosen !== undefined && known.includes(this.#chosen) ? this.#chosen : known[0];
    if (marketId !== this.#market?.marketId) {
      this.#market?.view.dispose();
      this.#market =
        marketId === undefined
          ? undefined
          : {
              marketId,
              view: new MarketView(this.#record, frame, marketId, this.#window, this.#dialog),
            };
      this.#marketHost.replaceChildren(
        ...(this.#market === undefined ? [] : [this.#market.view.element]),
      );
      this.#markets.update(Object.entries(frame.status.markets));
      this.draw();
    }
    this.#market?.view.update(frame, this.#isOld);
  }

  #marketItem(marketId: string) {
    const element = html("li");
    const link = html("a");
    const state = html("span", "activity");
    link.append(html("span", "name", marketId), state);
    element.append(link);
    return {
      element,
      update: ([, market]: readonly [string, Frame["status"]["markets"][string]]) => {
        setAttribute(
          link,
          "href",
          `#bot=${encodeURIComponent(this.botId)}&market=${encodeURIComponent(marketId)}`,
        );
        setAttribute(
          link,
          "aria-current",
          marketId === this.#market?.marketId ? "page" : undefined,
        );
        setActivity(state, marketActivity(market.state, this.#isOld));
      },
    };
  }
}

/** True for the line of a fill: the table of fills has it. */
function isFill({ level, text }: FrameNotice): boolean {
  return level === "info" && text.startsWith("fill ");
}

function pillsOf({ status, control }: Frame): readonly {
  readonly text: string;
  readonly isWarning: boolean;
}[] {
  const pill = (text: string, isWarning = false) => ({ text, isWarning });
  return [
    pill(status.account),
    ...(status.paper
      ? [pill("paper: orders fill here, not on the exchange", true)]
      : status.dryRun
        ? [pill("dry run: nothing is sent", true)]
        : []),
    ...(status.phase === "running" ? [] : [pill(status.phase, true)]),
    pill(control ? "commands allowed" : "read-only"),
    ...(status.differsFromFile.length === 0
      ? []
      : [
          pill(
            `${countText(status.differsFromFile.length, "value")} ${status.differsFromFile.length === 1 ? "differs" : "differ"} from the file`,
            true,
          ),
        ]),
  ];
}
