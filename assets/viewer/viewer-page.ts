import type { JournalSummary, TurnAnswer } from "../../src/viewer/viewer-answers.js";
import { html } from "../chart/html.js";
import { setAttribute, setClass, setShown, setText } from "../cockpit/update-element.js";
import { DifferencesPanel } from "./differences-panel.js";
import { FieldForm } from "./field-form.js";
import { RunView } from "./run-view.js";
import { Timeline } from "./timeline.js";
import { typedTime } from "./turn-text.js";
import { viewerClient as client } from "./viewer-client.js";

const READ_EVERY_MS = 1_000;
/** Intervals of a time line: at most one per pixel of a narrow screen is lost. */
const INTERVALS = 800;

/** The page of a journal: its time lines, and the turn that the reader has chosen. */
export class ViewerPage {
  readonly #main: HTMLElement;
  readonly #reading: HTMLElement;
  readonly #trouble = html("p", "trouble");
  readonly #notes = html("ul", "notes");
  readonly #answer = html("p", "hint answer");
  readonly #markets = html("nav", "markets");
  readonly #turnForm: FieldForm;
  readonly #zoom: readonly [FieldForm, FieldForm];
  #summary: JournalSummary | undefined;
  #timelines: readonly Timeline[] = [];
  #runs: readonly RunView[] = [];
  #differences: DifferencesPanel | undefined;
  #range: { readonly from?: number; readonly to?: number } = {};
  #market = "";
  #turn = 0;
  #shown: TurnAnswer | undefined;
  #isLoading = false;

  /** @param reading shows how much of the journal has been read */
  constructor(main: HTMLElement, reading: HTMLElement) {
    this.#main = main;
    this.#reading = reading;
    this.#trouble.setAttribute("role", "alert");
    this.#trouble.hidden = true;
    this.#answer.setAttribute("role", "status");
    this.#markets.setAttribute("aria-label", "Markets");
    this.#turnForm = new FieldForm("Turn or UTC time", "1200 or 09:30:00", {
      Go: (text) => this.#try(async () => this.#goTo(await this.#turnOf(text))),
      "‹ Previous turn": () => this.#goTo(this.#turn - 1),
      "Next turn ›": () => this.#goTo(this.#turn + 1),
    });
    this.#zoom = [
      new FieldForm("From", "first turn", { Zoom: () => this.#try(() => this.#zoomTo()) }),
      new FieldForm("To", "last turn", {
        Zoom: () => this.#try(() => this.#zoomTo()),
        "Whole run": () => this.#try(() => this.#zoomOut()),
      }),
    ];
    main.replaceChildren(this.#trouble);
  }

  /** Shows the journal until the page is closed. */
  async run(): Promise<void> {
    await this.#try(() => this.#read());
  }

  /** Says why there is nothing to show. */
  fail(why: string): void {
    setText(this.#trouble, `■ ${why}`);
    setShown(this.#trouble, true);
    if (this.#summary === undefined) setText(this.#reading, "■ ended");
  }

  async #read(): Promise<void> {
    for (let pause = 0; ; pause = READ_EVERY_MS) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const summary = await client.journal();
      if (this.#summary === undefined) this.#build(summary);
      this.#summary = summary;
      this.#showReading(summary);
      const [run] = summary.runs;
      if (run?.firstTurn !== undefined) await this.#drawTimelines();
      await this.#begin(summary);
      if (summary.isRead) return;
    }
  }

  /** Shows the first turn as soon as it has been read; another one if it does not exist. */
  async #begin({ startTurn, isRead, runs }: JournalSummary): Promise<void> {
    if (this.#shown !== undefined) return this.#reload();
    const linked = Number(new URLSearchParams(location.hash.slice(1)).get("turn") ?? 0);
    const wanted = linked || startTurn || 0;
    const last = Math.max(0, ...runs.map(({ lastTurn = 0 }) => lastTurn));
    const first = runs[0]?.firstTurn ?? 0;
    if (wanted > 0 && wanted <= last && wanted >= first) return this.#goTo(wanted);
    if (!isRead) return;
    if (last === 0)
      return this.fail("The journal has no turn to show, or none between --from and --to.");
    this.fail(
      `Turn ${wanted} does not exist: there are turns ${first} to ${last}. This is the last one.`,
    );
    this.#goTo(last);
  }

  #build(summary: JournalSummary): void {
    const go = (turn: number): void => this.#goTo(turn);
    this.#market = summary.runs[0]?.markets[0] ?? "";
    this.#timelines = summary.runs.map(
      ({ journal, markets }) => new Timeline(journal, markets, go),
    );
    this.#runs = summary.runs.map((run) => new RunView(run, go));
    const title = html("h1", "", summary.runs.map(({ journal }) => journal).join(" and "));
    const bar = html("div", "bar");
    bar.append(this.#turnForm.element, ...this.#zoom.map(({ element }) => element));
    const condition = new FieldForm("Condition", "abs(position.btcusdc) > 0.4", {
      "First turn": (text) => this.#try(() => this.#search(text, "first")),
      "‹ Previous change": (text) => this.#try(() => this.#search(text, "previous")),
      "Next change ›": (text) => this.#try(() => this.#search(text, "next")),
    });
    condition.element.classList.add("condition");
    const runs = html("div", summary.runs.length > 1 ? "runs two" : "runs");
    runs.append(...this.#runs.map(({ element }) => element));
    if (summary.runs.length > 1) this.#differences = new DifferencesPanel(go, this.#stepper());
    this.#main.replaceChildren(
      this.#trouble,
      title,
      this.#notes,
      ...this.#timelines.map(({ element }) => element),
      bar,
      condition.element,
      this.#answer,
      ...(this.#differences === undefined ? [] : [this.#differences.element]),
      this.#markets,
      runs,
    );
    this.#showMarkets(summary);
    document.title = `${summary.runs[0]?.journal} · Marketwright`;
  }

  #stepper(): HTMLElement {
    const host = html("span", "controls");
    for (const [text, goal] of [
      ["‹ Previous difference", "previous"],
      ["Next difference ›", "next"],
    ] as const) {
      const button = html("button", "", text);
      button.type = "button";
      button.addEventListener("click", () =>
        this.#try(async () => {
          const { turn } = await client.difference(this.#turn, goal);
          if (turn === null) this.#say(`There is no ${goal} turn in which the runs differ.`);
          else this.#goTo(turn);
        }),
      );
      host.append(button);
    }
    return host;
  }

  /** The newest turn asked for is shown last, however many were asked for meanwhile. */
  #goTo(turn: number): void {
    const { runs = [] } = this.#summary ?? {};
    const last = Math.max(1, ...runs.map(({ lastTurn = 1 }) => lastTurn));
    this.#turn = Math.min(last, Math.max(runs[0]?.firstTurn ?? 1, turn));
    for (const timeline of this.#timelines) timeline.show(this.#turn);
    if (!this.#isLoading) void this.#try(() => this.#load());
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      while (this.#shown?.turn !== this.#turn) {
        this.#shown = await client.turn(this.#turn);
        this.#show();
      }
    } finally {
      this.#isLoading = false;
    }
    if (this.#differences !== undefined)
      this.#differences.list(await client.differences(this.#turn));
  }

  /** More turns have been read: what became of the shown one may be known now. */
  async #reload(): Promise<void> {
    if (this.#isLoading) return;
    this.#shown = undefined;
    await this.#load();
  }

  #show(): void {
    const [shown, summary] = [this.#shown, this.#summary];
    if (shown === undefined || summary === undefined) return;
    for (const [index, view] of this.#runs.entries()) {
      const run = summary.runs[index];
      if (run !== undefined) view.update(run, shown.turn, shown.runs[index] ?? null, this.#market);
    }
    this.#differences?.update(summary, shown);
    history.replaceState(null, "", `#turn=${shown.turn}`);
    if (document.activeElement !== this.#turnForm.field)
      this.#turnForm.field.value = String(shown.turn);
  }

  async #drawTimelines(): Promise<void> {
    const runs = this.#summary?.runs ?? [];
    for (const [index, timeline] of this.#timelines.entries()) {
      const { firstTurn, lastTurn } = runs[index] ?? {};
      if (firstTurn === undefined || lastTurn === undefined) continue;
      const { from = firstTurn, to = lastTurn } = this.#range;
      timeline.draw(await client.timeline(index, from, to, INTERVALS));
    }
  }

  async #zoomTo(): Promise<void> {
    const [from, to] = this.#zoom.map(({ field }) => field.value.trim());
    const range = {
      ...(from ? { from: await this.#turnOf(from) } : {}),
      ...(to ? { to: await this.#turnOf(to) } : {}),
    };
    if ((range.from ?? 0) > (range.to ?? Number.POSITIVE_INFINITY))
      throw new Error(`From, turn ${range.from}, is after To, turn ${range.to}: exchange them.`);
    this.#range = range;
    await this.#drawTimelines();
  }

  async #zoomOut(): Promise<void> {
    for (const { field } of this.#zoom) field.value = "";
    this.#range = {};
    await this.#drawTimelines();
  }

  async #turnOf(text: string): Promise<number> {
    const atMs = this.#shown?.runs.find((run) => run !== null)?.atMs ?? 0;
    const time = typedTime(text, atMs);
    if (time !== undefined) return (await client.turnAt(time)).turn;
    const { turn } = await client.turn(Number(text));
    return turn;
  }

  async #search(when: string, goal: "first" | "next" | "previous"): Promise<void> {
    this.#say("Searching …");
    const { turn, holds, searched, ranges } = await client.search(when, goal, this.#turn);
    const reached = ranges.map(({ name, lowest, highest }) =>
      lowest === undefined || highest === undefined
        ? ""
        : ` ${name} was from ${lowest.value} in turn ${lowest.turn} to ${highest.value} in turn ${highest.turn}.`,
    );
    if (turn === null) {
      const what = goal === "first" ? "It never holds" : `Its truth has no ${goal} change`;
      this.#say(`${what} in the ${searched} turns that were searched.${reached.join("")}`);
      return;
    }
    this.#goTo(turn);
    this.#say(`Turn ${turn}: it ${holds ? "holds" : "no longer holds"} from here on.`);
  }

  #say(text: string): void {
    setText(this.#answer, text);
  }

  #showReading({ runs, isRead }: JournalSummary): void {
    const share = Math.min(...runs.map(({ readFraction }) => readFraction));
    const last = Math.max(0, ...runs.map(({ lastTurn = 0 }) => lastTurn));
    setText(
      this.#reading,
      isRead ? `● ${last} turns` : `◐ reading, ${Math.floor(100 * share)} %, ${last} turns`,
    );
    setClass(this.#reading, "is-live", isRead);
    setClass(this.#reading, "is-connecting", !isRead);
    setAttribute(this.#reading, "data-state", isRead ? "read" : "reading");
    const notes = runs.flatMap(({ journal, notes: of }) => of.map((note) => `${journal}: ${note}`));
    setShown(this.#notes, notes.length > 0);
    this.#notes.replaceChildren(...notes.map((note) => html("li", "stale", note)));
  }

  #showMarkets({ runs }: JournalSummary): void {
    const markets = [...new Set(runs.flatMap((run) => run.markets))];
    setShown(this.#markets, markets.length > 1);
    const list = html("ul");
    for (const marketId of markets) {
      const button = html("button", "", marketId);
      button.type = "button";
      setAttribute(button, "aria-pressed", String(marketId === this.#market));
      button.addEventListener("click", () => {
        this.#market = marketId;
        for (const other of list.querySelectorAll("button"))
          setAttribute(other, "aria-pressed", String(other === button));
        this.#show();
      });
      const item = html("li");
      item.append(button);
      list.append(item);
    }
    this.#markets.replaceChildren(list);
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (this.#summary !== undefined && !this.#isStartTrouble()) setShown(this.#trouble, false);
    } catch (cause) {
      this.fail(cause instanceof Error ? cause.message : String(cause));
    }
  }

  /** True while the page says that the turn which was asked for does not exist. */
  #isStartTrouble(): boolean {
    return this.#trouble.textContent?.includes("does not exist: there are turns") === true;
  }
}
