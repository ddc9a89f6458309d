import { exact } from "../chart/axis-text.js";
import { html } from "../chart/html.js";
import type { SweepRow } from "./sweep-data.js";

/** One upright axis, with the place of a point on it from 0 at its foot to 1. */
export interface ParallelAxis {
  readonly name: string;
  readonly shareOf: (row: SweepRow) => number | undefined;
  /** Texts on it, by share. */
  readonly ticks: readonly { readonly share: number; readonly text: string }[];
}

const HEIGHT = 380;
const TOP = 34;
const FOOT = 14;
const SIDE = 70;
/** Of the first axis's texts: longer ones lose their middle. */
const MOST_LEFT = 160;
/** An axis's texts begin so far from it, and take so much a letter. */
const [TEXT_OFF, LETTER] = [8, 7.5];
/**
 * Between two axes, so that their texts do not meet: the plot scrolls in itself where the page is
 * narrow.
 */
const LEAST_GAP = 120;

/** Every point as a line through its values. Axes keep what passes a stretch of them. */
export class ParallelPlot {
  readonly #rows: readonly SweepRow[];
  readonly #lines = new Map<number, SVGPathElement>();
  readonly #kept = new Map<ParallelAxis, readonly [number, number]>();
  readonly #root: SVGSVGElement;
  readonly #tip = html("div", "tip");
  readonly #onFilter: (passes: (row: SweepRow) => boolean) => void;

  constructor(
    host: HTMLElement,
    axes: readonly ParallelAxis[],
    rows: readonly SweepRow[],
    {
      onFilter,
      onChoose,
    }: {
      readonly onFilter: (passes: (row: SweepRow) => boolean) => void;
      readonly onChoose: (index: number) => void;
    },
  ) {
    this.#rows = rows;
    this.#onFilter = onFilter;
    const left = Math.min(MOST_LEFT, sideOf(axes[0]));
    const right = sideOf(axes.at(-1));
    const width = Math.max(host.clientWidth, left + right + LEAST_GAP * (axes.length - 1));
    const gap = (width - left - right) / Math.max(1, axes.length - 1);
    const title = host.dataset.title ?? "";
    this.#root = svg("svg", {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      width,
      height: HEIGHT,
      role: "img",
      "aria-label": `${title}: ${rows.length} points`,
    });
    const xOf = (at: number): number => (axes.length === 1 ? width / 2 : left + at * gap);
    // Of thousands each line says little: where many lie on each other has to show.
    const body = svg("g", {
      style: `--shown: ${Math.max(0.2, Math.min(0.6, 6 / Math.sqrt(rows.length))).toFixed(2)}`,
    });
    // The best last, on top.
    for (const row of [...rows].reverse()) {
      const path = axes
        .map((axis, at) => ({ x: xOf(at), share: axis.shareOf(row) }))
        .filter(({ share }) => share !== undefined);
      const line = svg("path", {
        class: `point${row.suspectMark === "" ? "" : " doubtful"}`,
        d: path
          .map(
            ({ x, share }, at) =>
              `${at === 0 ? "M" : "L"}${x.toFixed(1)},${yOf(share as number).toFixed(1)}`,
          )
          .join(""),
        style: `--tone: ${colourOf(row, rows.length)}`,
      });
      line.addEventListener("pointerenter", (event) => this.#show(row, event, host));
      line.addEventListener("pointerleave", () => this.#hide());
      line.addEventListener("click", () => onChoose(row.index));
      this.#lines.set(row.index, line);
      body.append(line);
    }
    this.#root.append(body);
    for (const [at, axis] of axes.entries()) {
      const isLast = at === axes.length - 1;
      const room = isLast ? right : at === 0 ? left : gap;
      this.#root.append(this.#axis(axis, xOf(at), isLast, Math.floor((room - TEXT_OFF) / LETTER)));
    }
    const scroll = html("div", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", title);
    scroll.append(this.#root);
    this.#tip.hidden = true;
    host.replaceChildren(scroll, this.#tip);
  }

  /** Marks a point's line. */
  choose(index: number): void {
    for (const [at, line] of this.#lines) {
      line.classList.toggle("chosen", at === index);
      if (at === index) line.parentNode?.append(line);
    }
  }

  #axis(axis: ParallelAxis, x: number, isLast: boolean, mostLetters: number): SVGGElement {
    const group = svg("g");
    group.append(svg("line", { class: "axis", x1: x, x2: x, y1: TOP, y2: HEIGHT - FOOT }));
    group.append(
      titled(
        label(shortened(axis.name), { class: "axis-name", x, y: 16, "text-anchor": "middle" }),
        axis.name,
      ),
    );
    for (const { share, text } of axis.ticks) {
      const [off, anchor] = isLast ? [TEXT_OFF, "start"] : [-TEXT_OFF, "end"];
      group.append(
        titled(
          label(fitted(text, mostLetters), {
            class: "axis-text",
            x: x + off,
            y: yOf(share) + 4,
            "text-anchor": anchor,
          }),
          text,
        ),
      );
    }
    const brush = svg("rect", { class: "brush", x: x - 7, width: 14, y: 0, height: 0 });
    const hit = svg("rect", {
      class: "axis-hit",
      x: x - 12,
      width: 24,
      y: TOP - 8,
      height: HEIGHT - TOP - FOOT + 16,
    });
    group.append(brush, hit);
    let fromShare: number | undefined;
    const shareAt = (event: PointerEvent): number => {
      const box = this.#root.getBoundingClientRect();
      return shareOfY(((event.clientY - box.top) * HEIGHT) / box.height);
    };
    const draw = (low: number, high: number): void => {
      brush.setAttribute("y", String(yOf(high)));
      brush.setAttribute("height", String(yOf(low) - yOf(high)));
    };
    hit.addEventListener("pointerdown", (event) => {
      hit.setPointerCapture(event.pointerId);
      fromShare = shareAt(event);
    });
    hit.addEventListener("pointermove", (event) => {
      if (fromShare === undefined) return;
      const to = shareAt(event);
      draw(Math.min(fromShare, to), Math.max(fromShare, to));
    });
    hit.addEventListener("pointerup", (event) => {
      if (fromShare === undefined) return;
      const to = shareAt(event);
      const [low, high] = [Math.min(fromShare, to), Math.max(fromShare, to)];
      fromShare = undefined;
      if (high - low < CLICK_SHARE) {
        draw(0, 0);
        this.#kept.delete(axis);
      } else this.#kept.set(axis, [low, high]);
      this.#filter();
    });
    return group;
  }

  #filter(): void {
    const passes = (row: SweepRow): boolean =>
      [...this.#kept].every(([axis, [low, high]]) => {
        const share = axis.shareOf(row);
        return share !== undefined && share >= low && share <= high;
      });
    for (const row of this.#rows) this.#lines.get(row.index)?.classList.toggle("out", !passes(row));
    this.#onFilter(passes);
  }

  #show(row: SweepRow, event: PointerEvent, host: HTMLElement): void {
    const lines = [
      ...Object.entries(row.values).map(([name, value]) => `${name}: ${value}`),
      ...(row.suspectMark === "" ? [] : [`warnings: ${row.suspectMark}`]),
    ];
    const objective =
      row.objective === undefined ? "none" : exact(String(Number(row.objective.toPrecision(8))));
    this.#tip.replaceChildren(
      html("div", "when", `point ${row.index}, rank ${row.rank}: ${objective}`),
      ...lines.map((text) => html("div", "row", text)),
    );
    this.#tip.hidden = false;
    const box = host.getBoundingClientRect();
    const left = Math.min(
      event.clientX - box.left + 14,
      Math.max(0, box.width - this.#tip.offsetWidth - 4),
    );
    this.#tip.style.left = `${left}px`;
    this.#tip.style.top = `${Math.max(0, event.clientY - box.top - this.#tip.offsetHeight - 10)}px`;
  }

  #hide(): void {
    this.#tip.hidden = true;
  }
}

/** Of an axis's name: what fits between two of them at their nearest. */
const MOST_LETTERS = 16;

/** A shorter drag is a click. */
const CLICK_SHARE = 0.01;

/** The room that an axis at an edge needs for its texts. */
function sideOf(axis: ParallelAxis | undefined): number {
  return Math.max(
    SIDE,
    TEXT_OFF + LETTER * Math.max(0, ...(axis?.ticks ?? []).map(({ text }) => text.length)),
  );
}

/** A shortened text that shows in full when pointed at. */
function titled(text: SVGElement, whole: string): SVGElement {
  const title = svg("title");
  title.textContent = whole;
  text.append(title);
  return text;
}

/** Shortens a text to the room that there is, in the middle: similar names differ at either end. */
function fitted(text: string, most: number): string {
  const end = Math.floor((most - 1) / 2);
  return text.length <= most
    ? text
    : `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

function yOf(share: number): number {
  return HEIGHT - FOOT - share * (HEIGHT - TOP - FOOT);
}

function shareOfY(y: number): number {
  return Math.min(1, Math.max(0, (HEIGHT - FOOT - y) / (HEIGHT - TOP - FOOT)));
}

function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>> = {},
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

function label(
  text: string,
  attributes: Readonly<Record<string, string | number>>,
): SVGTextElement {
  const element = svg("text", attributes);
  element.textContent = text;
  return element;
}

/** From the best rank's green to the worst one's red. */
function colourOf({ rank, objective }: SweepRow, count: number): string {
  if (objective === undefined) return "var(--slate)";
  const share = count === 1 ? 100 : Math.round(100 * (1 - (rank - 1) / (count - 1)));
  return `color-mix(in oklab, var(--up-fill) ${share}%, var(--down-fill))`;
}

/**
 * The end of a path says more than its beginning: as many of its last keys as there is room for
 * between two axes.
 */
function shortened(name: string): string {
  const keys = name.split(".");
  let text = keys.pop() as string;
  for (
    let key = keys.pop();
    key !== undefined && key.length + text.length < MOST_LETTERS;
    key = keys.pop()
  )
    text = `${key}.${text}`;
  return text.length <= MOST_LETTERS ? text : `…${text.slice(1 - MOST_LETTERS)}`;
}
