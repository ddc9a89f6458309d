import type { LowHigh, TimelineAnswer } from "../../src/viewer/viewer-answers.js";
import { html } from "../chart/html.js";
import { setAttribute, setShown, setText } from "../cockpit/update-element.js";
import { timeText } from "./turn-text.js";

const SVG = "http://www.w3.org/2000/svg";
/** Height of a track in its own units; its width is its number of intervals. */
const HEIGHT = 40;
/** Turns that a page key moves by, as a share of the shown ones. */
const PAGE_SHARE = 0.05;

const LEGEND =
  "Red ground: halted. Amber ground: a stream was down. Strokes: purchases below the middle, sales above it, turns that differ at the top.";

/** A run from left to right: position, equity, halts, outages, fills and differences. */
export class Timeline {
  readonly element = html("section", "timeline panel");
  readonly #onTurn: (turn: number) => void;
  readonly #slider = html("div", "tracks");
  readonly #cursor = html("div", "cursor");
  readonly #marks: Track;
  readonly #equity: Track;
  readonly #positions: ReadonlyMap<string, Track>;
  readonly #ends = html("p", "ends hint");
  #answer: TimelineAnswer | undefined;
  #turn = 1;

  /** @param onTurn called when the reader moves to a turn */
  constructor(label: string, markets: readonly string[], onTurn: (turn: number) => void) {
    this.#onTurn = onTurn;
    this.element.setAttribute("aria-label", label);
    this.#marks = new Track("halts, fills");
    this.#equity = new Track("equity");
    this.#positions = new Map(markets.map((market) => [market, new Track(`position ${market}`)]));
    setAttribute(this.#slider, "role", "slider");
    setAttribute(this.#slider, "aria-label", `Turn of ${label}`);
    this.#slider.tabIndex = 0;
    const tracks = [...this.#positions.values(), this.#equity, this.#marks];
    this.#slider.append(...tracks.map(({ element }) => element), this.#cursor);
    this.#slider.addEventListener("keydown", (event) => this.#onKey(event));
    this.#slider.addEventListener("pointerdown", (event) => {
      this.#slider.setPointerCapture(event.pointerId);
      this.#goTo(event);
    });
    this.#slider.addEventListener("pointermove", (event) => {
      if (this.#slider.hasPointerCapture(event.pointerId)) this.#goTo(event);
    });
    this.element.append(this.#slider, this.#ends, html("p", "hint", LEGEND));
  }

  /** Draws a range of the run. */
  draw(answer: TimelineAnswer): void {
    this.#answer = answer;
    for (const [market, track] of this.#positions) track.line(answer.positionBase[market], true);
    this.#equity.line(answer.equityQuote, false);
    this.#marks.marks(answer);
    setText(
      this.#ends,
      `turn ${answer.fromTurn} at ${timeText(answer.fromMs)} to turn ${answer.toTurn} at ${timeText(answer.toMs)}`,
    );
    this.show(this.#turn);
  }

  /** Moves the cursor. */
  show(turn: number): void {
    this.#turn = turn;
    const answer = this.#answer;
    if (answer === undefined) return;
    const { turns, fromTurn, toTurn, fromMs, toMs, halts } = answer;
    const at = turns.findIndex((last) => last >= turn);
    const isShown = turn >= fromTurn && turn <= toTurn;
    setShown(this.#cursor, isShown);
    setAttribute(this.#slider, "aria-valuemin", String(fromTurn));
    setAttribute(this.#slider, "aria-valuemax", String(toTurn));
    setAttribute(this.#slider, "aria-valuenow", String(Math.min(toTurn, Math.max(fromTurn, turn))));
    const atMs = fromMs + ((at + 0.5) / turns.length) * (toMs - fromMs);
    const halted = halts[at] ?? "";
    setAttribute(
      this.#slider,
      "aria-valuetext",
      `turn ${turn}${isShown ? `, about ${timeText(Math.round(atMs))}${halted === "" ? "" : `, halted: ${halted}`}` : ", beyond the shown turns"}`,
    );
    if (!isShown) return;
    const before = turns[at - 1] ?? fromTurn - 1;
    const share = (turn - before) / Math.max(1, (turns[at] ?? turn) - before);
    this.#cursor.style.left = `${(100 * (at + Math.min(1, share))) / turns.length}%`;
  }

  #goTo({ clientX }: PointerEvent): void {
    const answer = this.#answer;
    if (answer === undefined) return;
    const { left, width } = this.#slider.getBoundingClientRect();
    const { turns, fromTurn } = answer;
    const place = Math.min(0.999_999, Math.max(0, (clientX - left) / width)) * turns.length;
    const at = Math.floor(place);
    const before = turns[at - 1] ?? fromTurn;
    const last = turns[at] ?? before;
    this.#onTurn(Math.round(before + (place - at) * (last - before)));
  }

  #onKey(event: KeyboardEvent): void {
    const answer = this.#answer;
    if (answer === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { fromTurn, toTurn } = answer;
    const page = Math.max(1, Math.round(PAGE_SHARE * (toTurn - fromTurn)));
    const turns: Readonly<Record<string, number>> = {
      ArrowLeft: this.#turn - 1,
      ArrowDown: this.#turn - 1,
      ArrowRight: this.#turn + 1,
      ArrowUp: this.#turn + 1,
      PageDown: this.#turn - page,
      PageUp: this.#turn + page,
      Home: fromTurn,
      End: toTurn,
    };
    const turn = turns[event.key];
    if (turn === undefined) return;
    event.preventDefault();
    this.#onTurn(Math.min(toTurn, Math.max(fromTurn, turn)));
  }
}

/** One row of the time line. */
class Track {
  readonly element = html("div", "track");
  readonly #svg = document.createElementNS(SVG, "svg");
  readonly #range = html("span", "track-range");

  constructor(name: string) {
    this.#svg.setAttribute("preserveAspectRatio", "none");
    this.#svg.setAttribute("aria-hidden", "true");
    this.element.append(html("span", "track-name", name), this.#range, this.#svg);
  }

  /** Draws a value from its lowest to its highest in each interval. */
  line(values: LowHigh | undefined, hasZero: boolean): void {
    const { low = [], high = [] } = values ?? {};
    const known = [...low, ...high].filter((value) => value !== null);
    this.#svg.replaceChildren();
    this.#size(low.length);
    if (known.length === 0) {
      setText(this.#range, "not known");
      return;
    }
    const least = Math.min(...known, ...(hasZero ? [0] : []));
    const most = Math.max(...known, ...(hasZero ? [0] : []));
    const y = (value: number): number =>
      most === least ? HEIGHT / 2 : HEIGHT - 3 - ((HEIGHT - 6) * (value - least)) / (most - least);
    if (hasZero) this.#path(`M0 ${y(0)}H${low.length}`, "zero");
    let path = "";
    let isDrawn = false;
    for (const [at, lowest] of low.entries()) {
      const highest = high[at];
      if (lowest === null || highest == null) {
        isDrawn = false;
        continue;
      }
      path += `${isDrawn ? "L" : "M"}${at} ${y(lowest).toFixed(1)}V${y(highest).toFixed(1)}H${at + 1}`;
      isDrawn = true;
    }
    this.#path(path, "value");
    setText(this.#range, least === most ? String(most) : `${least} to ${most}`);
  }

  /** Draws halts and outages as bars, fills and differences as strokes. */
  marks({ halts, outages, buys, sells, differing }: TimelineAnswer): void {
    this.#svg.replaceChildren();
    this.#size(halts.length);
    const bars = (isOn: readonly boolean[], top: number, height: number): string =>
      isOn.map((on, at) => (on ? `M${at} ${top}h1v${height}h-1z` : "")).join("");
    const has = (counts: readonly number[]): readonly boolean[] => counts.map((count) => count > 0);
    this.#path(
      bars(
        halts.map((text) => text !== ""),
        0,
        HEIGHT,
      ),
      "halt",
    );
    this.#path(bars(outages, 0, HEIGHT), "outage");
    this.#path(bars(has(buys), HEIGHT / 2, HEIGHT / 2 - 4), "buys");
    this.#path(bars(has(sells), 4, HEIGHT / 2 - 4), "sells");
    this.#path(bars(has(differing), 0, 4), "differing");
    const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
    setText(this.#range, `${sum(buys)} buys, ${sum(sells)} sells`);
  }

  #size(width: number): void {
    this.#svg.setAttribute("viewBox", `0 0 ${Math.max(1, width)} ${HEIGHT}`);
  }

  #path(d: string, className: string): void {
    if (d === "") return;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    path.setAttribute("class", className);
    this.#svg.append(path);
  }
}
