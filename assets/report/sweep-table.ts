import { exact } from "../chart/axis-text.js";
import { html } from "../chart/html.js";
import type { SweepRow } from "./sweep-data.js";

const PAGE_ROWS = 50;

interface Column {
  readonly name: string;
  /** Of its cells. */
  readonly className?: string;
  readonly of: (row: SweepRow) => string | number | boolean;
}

/** The points of a sweep: sorted by any column, page by page; choosing a row reports it. */
export class SweepTable {
  readonly #columns: readonly Column[];
  readonly #all: readonly SweepRow[];
  readonly #body = html("tbody");
  readonly #heads = new Map<string, HTMLTableCellElement>();
  readonly #where = html("span", "where");
  readonly #back = pager("‹ Back");
  readonly #on = pager("Next ›");
  readonly #onChoose: (index: number) => void;
  #shown: SweepRow[];
  #sorted = "rank";
  #sign: 1 | -1 = 1;
  #page = 0;
  #chosen = -1;

  constructor(host: HTMLElement, rows: readonly SweepRow[], onChoose: (index: number) => void) {
    this.#all = rows;
    this.#shown = [...rows];
    this.#onChoose = onChoose;
    const [first] = rows;
    const isAnyDoubtful = rows.some(({ suspectMark }) => suspectMark !== "");
    this.#columns = [
      { name: "rank", of: ({ rank }) => rank },
      { name: "point", of: ({ index }) => index },
      ...Object.keys(first?.values ?? {}).map(
        (name): Column => ({ name, of: ({ values }) => values[name] ?? "" }),
      ),
      ...(rows.some(({ ended }) => ended !== "")
        ? [{ name: "ended early", of: ({ ended }: SweepRow) => ended }]
        : []),
      ...(isAnyDoubtful
        ? [
            {
              name: "warnings",
              className: "doubtful",
              of: ({ suspectMark }: SweepRow) => suspectMark,
            },
          ]
        : []),
      ...Object.keys(first?.figures ?? {}).map(
        (name): Column => ({ name, of: ({ figures }) => figures[name] ?? "" }),
      ),
      ...(isAnyDoubtful
        ? [
            {
              name: "reasons",
              className: "text long",
              of: ({ suspectReasons }: SweepRow) => suspectReasons,
            },
          ]
        : []),
    ];
    const table = html("table", "fills");
    const head = html("tr");
    for (const { name } of this.#columns) {
      const cell = html("th");
      cell.scope = "col";
      const button = html("button", "sort", name);
      button.type = "button";
      button.addEventListener("click", () => this.#sort(name));
      cell.append(button);
      this.#heads.set(name, cell);
      head.append(cell);
    }
    const thead = html("thead");
    thead.append(head);
    table.append(html("caption", "unseen", "Points of the sweep"), thead, this.#body);
    const scroll = html("div", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Points");
    scroll.append(table);
    this.#where.setAttribute("role", "status");
    this.#back.addEventListener("click", () => this.#turn(this.#page - 1));
    this.#on.addEventListener("click", () => this.#turn(this.#page + 1));
    const bar = html("div", "pager");
    bar.append(this.#back, this.#where, this.#on);
    host.replaceChildren(scroll, bar);
    this.#turn(0);
  }

  /** Shows only the points that pass. */
  filter(passes: (row: SweepRow) => boolean): void {
    this.#shown = this.#all.filter(passes);
    this.#order();
    this.#turn(0);
  }

  /** Marks a point's row, where it is in sight. */
  choose(index: number): void {
    this.#chosen = index;
    for (const row of this.#body.rows)
      row.classList.toggle("chosen", row.dataset.index === String(index));
  }

  #sort(name: string): void {
    this.#sign = this.#sorted === name ? (this.#sign === 1 ? -1 : 1) : 1;
    this.#sorted = name;
    this.#order();
    this.#turn(0);
  }

  #order(): void {
    const column = this.#columns.find(({ name }) => name === this.#sorted) as Column;
    this.#shown.sort(
      (a, b) => this.#sign * compared(column.of(a), column.of(b)) || a.rank - b.rank,
    );
  }

  #turn(page: number): void {
    const pages = Math.max(1, Math.ceil(this.#shown.length / PAGE_ROWS));
    this.#page = Math.max(0, Math.min(pages - 1, page));
    for (const [name, cell] of this.#heads) {
      if (name === this.#sorted)
        cell.setAttribute("aria-sort", this.#sign === 1 ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    }
    const from = this.#page * PAGE_ROWS;
    const rows = this.#shown.slice(from, from + PAGE_ROWS);
    this.#body.replaceChildren(...rows.map((row) => this.#row(row)));
    this.#where.textContent =
      rows.length === 0
        ? "no points"
        : `${from + 1} to ${from + rows.length} of ${this.#shown.length}`;
    this.#back.disabled = this.#page === 0;
    this.#on.disabled = this.#page === pages - 1;
  }

  #row(of: SweepRow): HTMLTableRowElement {
    const row = html("tr", of.index === this.#chosen ? "chosen" : "");
    row.dataset.index = String(of.index);
    row.tabIndex = 0;
    row.addEventListener("click", () => this.#onChoose(of.index));
    row.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") this.#onChoose(of.index);
    });
    for (const column of this.#columns) {
      const text = String(column.of(of));
      row.append(
        html(
          "td",
          column.className ?? "",
          text === "" || Number.isNaN(Number(text)) ? text : exact(text),
        ),
      );
    }
    return row;
  }
}

/** Numbers by size, texts by letters, missing values at the end. */
function compared(a: string | number | boolean, b: string | number | boolean): number {
  if (a === "none" || b === "none") return Number(a === "none") - Number(b === "none");
  const [left, right] = [Number(a), Number(b)];
  return Number.isNaN(left) || Number.isNaN(right)
    ? String(a).localeCompare(String(b))
    : left - right;
}

function pager(text: string): HTMLButtonElement {
  const button = html("button", "", text);
  button.type = "button";
  return button;
}
