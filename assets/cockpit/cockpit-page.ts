import { html } from "../chart/html.js";
import { Announcer } from "./announcer.js";
import type { BotRecord } from "./bot-record.js";
import { BotRecords } from "./bot-records.js";
import { BotView } from "./bot-view.js";
import { BotsTable } from "./bots-table.js";
import { changesToSay } from "./changes-to-say.js";
import { cockpitClient } from "./cockpit-client.js";
import { CommandDialog } from "./command-dialog.js";
import type { ServerEvent } from "./event-reader.js";
import type { BotEntry, Frame } from "./frame.js";
import { isFrame } from "./is-frame.js";
import type { ConnectionState } from "./live-connection.js";
import { setAttribute, setClass, setShown, setText } from "./update-element.js";

/** Charts are drawn no oftener: a frame changes one pixel of them. */
const DRAW_EVERY_MS = 1_000;
const AGE_EVERY_MS = 500;
const OTHER_VERSION = "its frames are of another version than this page: restart it";

interface SentFrame {
  readonly id: string;
  readonly frame: Frame;
  /** How long the server has had it: a page that connects gets the last one. */
  readonly ageMs?: number;
}

/** The page as a whole: all bots, and the one that its reader has chosen. */
export class CockpitPage {
  readonly #bots = new BotRecords();
  readonly #dialog = new CommandDialog(cockpitClient);
  readonly #announcer: Announcer;
  readonly #table: BotsTable;
  readonly #state: HTMLElement;
  readonly #trouble = html("p", "trouble");
  readonly #host = html("div");
  #connection: ConnectionState = { kind: "connecting" };
  #view: BotView | undefined;
  #chosen: { readonly bot?: string; readonly market?: string } = {};
  #isListed = false;
  #isScheduled = false;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #drawnFrame: Frame | undefined;
  #isDrawn = false;

  /**
   * @param main where the page goes
   * @param state shows how the page is connected
   * @param region the live region of screen readers
   */
  constructor(main: HTMLElement, state: HTMLElement, region: HTMLElement) {
    this.#state = state;
    this.#announcer = new Announcer(region);
    this.#table = new BotsTable({
      onSelect: (id) => {
        location.hash = `bot=${encodeURIComponent(id)}`;
      },
      onForget: (id) => {
        this.#bots.forget(id);
        this.#schedule();
      },
    });
    this.#trouble.setAttribute("role", "alert");
    this.#trouble.hidden = true;
    main.replaceChildren(this.#trouble, this.#table.element, this.#host);
    document.body.append(this.#dialog.element);
    addEventListener("hashchange", () => this.#choose());
    this.#choose();
    setInterval(() => this.#showAges(), AGE_EVERY_MS);
  }

  /** Takes an event of the server. */
  receive({ name, data }: ServerEvent): void {
    const value: unknown = JSON.parse(data);
    if (name === "bots") {
      this.#isListed = true;
      for (const record of this.#bots.list(value as readonly BotEntry[], Date.now()))
        this.#sayGone(record);
    } else if (name === "frame") {
      const { id, frame, ageMs = 0 } = value as SentFrame;
      if (!isFrame(frame)) {
        this.#bots.refuse(id, OTHER_VERSION);
        this.#schedule();
        return;
      }
      const before = this.#bots.get(id)?.frame;
      const { name: bot } = this.#bots.receive(id, frame, performance.now() - ageMs);
      for (const text of changesToSay(bot, before, frame)) this.#announcer.say(text);
    } else if (name === "gone") {
      const { id } = value as { readonly id: string };
      const lost = this.#bots.lose(id, Date.now());
      if (lost !== undefined) this.#sayGone(lost);
    }
    this.#schedule();
  }

  /** Takes a change of the connection. */
  connect(state: ConnectionState): void {
    this.#connection = state;
    this.#showConnection();
    this.#showAges();
    this.#schedule();
  }

  /** Takes the bot and the market of the address; another fragment changes neither. */
  #choose(): void {
    const address = new URLSearchParams(location.hash.slice(1));
    const [bot, market] = [address.get("bot"), address.get("market")];
    if (bot !== null) this.#chosen = { bot, ...(market === null ? {} : { market }) };
    this.#render();
  }

  #sayGone({ name }: BotRecord): void {
    this.#announcer.say(`The bot ${name} is gone.`);
  }

  /** Several frames between two pictures of the screen are shown as one. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#render();
    });
  }

  #render(): void {
    const nowMs = performance.now();
    const { all } = this.#bots;
    const record = this.#bots.get(this.#chosen.bot) ?? firstOf(all);
    this.#table.update(all, record?.entry.id, nowMs, this.#isConnected, this.#emptyText());
    const frame = record?.frame;
    if (this.#view !== undefined && this.#view.botId !== record?.entry.id) {
      this.#view.dispose();
      this.#view = undefined;
    }
    if (record === undefined || frame === undefined) return;
    // Another bot that starts must not take the place of the one that is being read.
    if (this.#chosen.bot === undefined) this.#chosen = { bot: record.entry.id };
    if (this.#view === undefined) {
      this.#view = new BotView(record, frame, this.#dialog);
      this.#host.append(this.#view.element);
      this.#drawnAtMs = Number.NEGATIVE_INFINITY;
    }
    this.#view.chooseMarket(this.#chosen.market);
    this.#view.update(frame);
    if (frame !== this.#drawnFrame) this.#isDrawn = false;
    this.#drawnFrame = frame;
    this.#view.showAge(nowMs, this.#isConnected);
    this.#draw(nowMs);
    const title = `${record.name} · Marketwright`;
    if (document.title !== title) document.title = title;
  }

  /** The last frame before a silence is drawn by the timer of the ages. */
  #draw(nowMs: number): void {
    if (this.#isDrawn || nowMs - this.#drawnAtMs < DRAW_EVERY_MS) return;
    this.#drawnAtMs = nowMs;
    this.#isDrawn = true;
    this.#view?.draw();
  }

  #showAges(): void {
    const nowMs = performance.now();
    this.#draw(nowMs);
    if (this.#bots.all.some((record) => record.isOld(nowMs))) this.#schedule();
    this.#view?.showAge(nowMs, this.#isConnected);
    if (this.#connection.kind === "broken") this.#showConnection();
  }

  get #isConnected(): boolean {
    return this.#connection.kind === "live";
  }

  #emptyText(): string {
    if (this.#connection.kind === "over") return "Without a session the page shows no bot.";
    return this.#isListed
      ? "No bot of this user is running. Start one: marketwright run FILE, or npm start."
      : "Waiting for the list of bots …";
  }

  #showConnection(): void {
    const state = this.#connection;
    const words = {
      connecting: "connecting",
      live: "live",
      broken: "no connection",
      over: "ended",
    };
    const signs = { connecting: "◐", live: "●", broken: "■", over: "■" };
    setText(this.#state, `${signs[state.kind]} ${words[state.kind]}`);
    for (const kind of Object.keys(words)) setClass(this.#state, `is-${kind}`, kind === state.kind);
    setAttribute(this.#state, "data-state", state.kind);
    const isTroubled = state.kind === "broken" || state.kind === "over";
    // While it tries again the sentence stays: it would come and go otherwise.
    if (state.kind !== "connecting") setShown(this.#trouble, isTroubled);
    if (!isTroubled) return;
    const retry =
      state.kind === "broken"
        ? ` The page tries again in ${Math.max(0, Math.ceil((state.retryAtMs - performance.now()) / 1000))} s.`
        : "";
    setText(this.#trouble, `■ ${state.why}${retry}`);
  }
}

function firstOf(bots: BotRecords["all"]) {
  return bots.find(({ goneAtMs }) => goneAtMs === undefined) ?? bots[0];
}
