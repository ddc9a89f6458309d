import { html } from "../chart/html.js";
import { botActivity, setActivity } from "./activity.js";
import type { BotRecord } from "./bot-record.js";
import { clockText, countText, decimalText, durationText, shortAddress } from "./format.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { MoneyElement } from "./money-element.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "./panel.js";
import { setAttribute, setClass, setShown, setText } from "./update-element.js";

/** Receives the choices of a reader. */
export interface BotsTableListener {
  readonly onSelect: (id: string) => void;
  readonly onForget: (id: string) => void;
}

const COLUMNS = [
  { title: "bot", isText: true },
  { title: "state", isText: true },
  { title: "equity" },
  { title: "earned since start" },
  { title: "drawdown", isWide: true },
  { title: "positions", isText: true, isWide: true },
  { title: "last news", isText: true },
] as const satisfies readonly Column[];

/** All bots of this user on this machine, one of which the page shows below. */
export class BotsTable {
  readonly element: HTMLElement;
  readonly #count = html("span", "count");
  readonly #empty = html("p", "empty");
  readonly #box = scrollBox("Bots");
  readonly #list: KeyedList<BotRecord>;
  readonly #listener: BotsTableListener;
  #selected: string | undefined;
  #nowMs = 0;
  #isConnected = false;

  constructor(listener: BotsTableListener) {
    this.#listener = listener;
    const { element, head, body } = panel("Bots of this user on this machine", "bots", 2);
    this.element = element;
    head.append(this.#count);
    const { table, body: rows } = dataTable("Bots of this user on this machine", COLUMNS);
    table.classList.add("bots-table");
    this.#box.append(table);
    body.append(this.#box, this.#empty);
    this.#list = new KeyedList(
      rows,
      ({ entry }) => entry.id,
      (record) => this.#row(record.entry.id),
    );
  }

  /**
   * @param isConnected true while the cockpit answers
   * @param empty the sentence that stands here while there is no bot
   */
  update(
    bots: readonly BotRecord[],
    selected: string | undefined,
    nowMs: number,
    isConnected: boolean,
    empty: string,
  ): void {
    this.#selected = selected;
    this.#nowMs = nowMs;
    this.#isConnected = isConnected;
    // The view of an only bot says all that its row would.
    const [first, second] = bots;
    const isOnly = first?.frame !== undefined && second === undefined;
    setShown(this.element, !isOnly || first.goneAtMs !== undefined);
    setText(this.#count, bots.length === 0 ? "" : countText(bots.length, "bot"));
    setShown(this.#box, bots.length > 0);
    setShown(this.#empty, bots.length === 0);
    setText(this.#empty, empty);
    this.#list.update(bots);
  }

  #row(id: string): ListItem<BotRecord> {
    const { row, cells } = tableRow(COLUMNS);
    const [name, state, equity, earned, drawdown, positions, news] = cells;
    const select = html("button", "link");
    select.type = "button";
    select.addEventListener("click", () => this.#listener.onSelect(id));
    const account = html("small", "address");
    name.append(select, account);
    const activity = html("span", "activity");
    state.append(activity);
    const equityMoney = new MoneyElement(equity, false);
    const earnedMoney = new MoneyElement(earned, true);
    const drawdownMoney = new MoneyElement(drawdown, false);
    const newsText = html("span");
    const forget = html("button", "small", "Remove");
    forget.type = "button";
    forget.addEventListener("click", () => this.#listener.onForget(id));
    news.append(newsText, forget);
    return {
      element: row,
      update: (record) => {
        const { entry, frame, goneAtMs } = record;
        const status = frame?.status;
        setText(select, record.name);
        setAttribute(select, "aria-current", id === this.#selected ? "true" : undefined);
        setAttribute(select, "title", entry.config);
        setText(account, shortAddress(entry.account));
        setClass(row, "selected", id === this.#selected);
        const isOld = record.isOld(this.#nowMs) || !this.#isConnected;
        setClass(row, "old", isOld);
        setActivity(activity, botActivity(record, isOld));
        equityMoney.update(status?.equityQuote);
        earnedMoney.update(status?.earnedQuote);
        drawdownMoney.update(status?.drawdownQuote);
        setText(positions, positionsText(record));
        setText(newsText, newsTextFor(record, this.#nowMs, this.#isConnected));
        setAttribute(forget, "aria-label", `Remove ${record.name} from the page`);
        setShown(forget, goneAtMs !== undefined);
      },
    };
  }
}

function positionsText({ frame }: BotRecord): string {
  if (frame === undefined) return "–";
  const open = frame.status.openPositions.map(
    ({ positionBase, baseAsset, marketId }) =>
      `${decimalText(positionBase)} ${baseAsset ?? marketId}`,
  );
  return open.length === 0 ? "flat" : open.join(", ");
}

/** How old the news of a bot is, where that matters. */
export function newsTextFor(record: BotRecord, nowMs: number, isConnected: boolean): string {
  if (record.goneAtMs !== undefined) return `gone since ${clockText(record.goneAtMs)}`;
  if (!isConnected) return "not connected";
  const ageMs = record.ageMs(nowMs);
  if (ageMs === undefined) return record.entry.trouble ?? "waiting for news";
  if (!record.isOld(nowMs)) return "now";
  const { trouble } = record.entry;
  return `no news for ${durationText(ageMs)}${trouble === undefined ? "" : `: ${trouble}`}`;
}
