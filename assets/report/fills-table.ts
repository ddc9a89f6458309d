import { exact } from "../chart/axis-text.js";
import { html } from "../chart/html.js";
import type { FillRow } from "./report-data.js";

const PAGE_ROWS = 25;
const TEXT_COLUMNS = new Set(["time", "heard", "market", "side", "role", "cause", "doubt"]);
/** The columns that the table leaves to fills.csv. */
const HIDDEN = new Set(["heard", "order"]);

/** The fills of a run: sorted by any column, page by page. */
export class FillsTable {
  readonly #columns: readonly { readonly name: string; readonly index: number }[];
  readonly #rows: FillRow[];
  readonly #body = html("tbody");
  readonly #heads = new Map<string, HTMLTableCellElement>();
  readonly #where = html("span", "where");
  readonly #buttons: Readonly<Record<"first" | "back" | "on" | "last", HTMLButtonElement>>;
  #page = 0;
  #sorted = "number";
  #sign: 1 | -1 = 1;

  constructor(host: HTMLElement, columns: readonly string[], rows: readonly FillRow[]) {
    const hasOneMarket = new Set(rows.map(({ market }) => market)).size < 2;
    this.#columns = columns
      .map((name, index) => ({ name, index }))
      .filter(({ name }) => !HIDDEN.has(name) && !(hasOneMarket && name === "market"));
    this.#rows = [...rows];
    const table = html("table", "fills");
    const caption = html("caption", "unseen", "Fills of the run");
    const head = html("tr");
    for (const { name } of this.#columns) {
      const cell = html("th", TEXT_COLUMNS.has(name) ? "text" : "");
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
    table.append(caption, thead, this.#body);
    const scroll = html("div", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Fills");
    scroll.append(table);
    this.#buttons = {
      first: pager("« First"),
      back: pager("‹ Back"),
      on: pager("Next ›"),
      last: pager("Last »"),
    };
    this.#buttons.first.addEventListener("click", () => this.#turn(0));
    this.#buttons.back.addEventListener("click", () => this.#turn(this.#page - 1));
    this.#buttons.on.addEventListener("click", () => this.#turn(this.#page + 1));
    this.#buttons.last.addEventListener("click", () => this.#turn(this.#pages - 1));
    const bar = html("div", "pager");
    this.#where.setAttribute("role", "status");
    bar.append(
      this.#buttons.first,
      this.#buttons.back,
      this.#where,
      this.#buttons.on,
      this.#buttons.last,
    );
    host.replaceChildren(scroll, bar);
    this.#turn(0);
  }

  get #pages(): number {
    return Math.max(1, Math.ceil(this.#rows.length / PAGE_ROWS));
  }

  #sort(name: string): void {
    this.#sign = this.#sorted === name ? (this.#sign === 1 ? -1 : 1) : 1;
    this.#sorted = name;
    const index = this.#columns.find((column) => column.name === name)?.index ?? 0;
    const order = (row: FillRow): string => row.fields[index] ?? "";
    this.#rows.sort((a, b) => {
      const [left, right] = [order(a), order(b)];
      const by = TEXT_COLUMNS.has(name)
        ? left < right
          ? -1
          : left > right
            ? 1
            : 0
        : Number(left) - Number(right);
      return this.#sign * by || Number(a.fields[0]) - Number(b.fields[0]);
    });
    this.#turn(0);
  }

  #turn(page: number): void {
    this.#page = Math.max(0, Math.min(this.#pages - 1, page));
    for (const [name, cell] of this.#heads) {
      if (name === this.#sorted)
        cell.setAttribute("aria-sort", this.#sign === 1 ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    }
    const from = this.#page * PAGE_ROWS;
    const shown = this.#rows.slice(from, from + PAGE_ROWS);
    this.#body.replaceChildren(...shown.map((row) => this.#row(row)));
    this.#where.textContent =
      this.#rows.length === 0
        ? "no fills"
        : `${from + 1} to ${from + shown.length} of ${this.#rows.length}`;
    for (const button of [this.#buttons.first, this.#buttons.back])
      button.disabled = this.#page === 0;
    for (const button of [this.#buttons.on, this.#buttons.last])
      button.disabled = this.#page === this.#pages - 1;
  }

  #row({ fields }: FillRow): HTMLTableRowElement {
    const row = html("tr");
    for (const { name, index } of this.#columns) {
      const text = fields[index] ?? "";
      const cell = html("td", TEXT_COLUMNS.has(name) ? "text" : "", cellText(name, text));
      if (name === "side") cell.classList.add(text === "BUY" ? "buy" : "sell");
      row.append(cell);
    }
    return row;
  }
}

function cellText(name: string, text: string): string {
  if (name === "time") return text.replace("T", " ").replace("Z", "");
  return TEXT_COLUMNS.has(name) ? text : exact(text);
}

function pager(text: string): HTMLButtonElement {
  const button = html("button", "", text);
  button.type = "button";
  return button;
}
