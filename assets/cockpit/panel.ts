import { html } from "../chart/html.js";

let made = 0;

/** A part of the page with a heading, which is a landmark by that heading. */
export interface Panel {
  readonly element: HTMLElement;
  readonly head: HTMLElement;
  readonly body: HTMLElement;
}

/** Makes a panel. @param className its place in the grid */
export function panel(title: string, className: string, level: 2 | 3 = 3): Panel {
  const element = html("section", `panel ${className}`);
  const heading = html(`h${level}`, "", title);
  heading.id = `panel-${++made}`;
  element.setAttribute("aria-labelledby", heading.id);
  const head = html("div", "panel-head");
  head.append(heading);
  const body = html("div", "panel-body");
  element.append(head, body);
  return { element, head, body };
}

/** A box that scrolls by itself and that the keyboard can reach. */
export function scrollBox(label: string, className = ""): HTMLElement {
  const box = html("div", `scroll ${className}`.trim());
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  return box;
}

/** The column of a table. */
export interface Column {
  readonly title: string;
  /** Texts are aligned left, figures right. */
  readonly isText?: boolean;
  /** Left out where the screen is narrow. */
  readonly isWide?: boolean;
}

/** A table with a caption for screen readers and a head. */
export function dataTable(
  caption: string,
  columns: readonly Column[],
): { readonly table: HTMLTableElement; readonly body: HTMLTableSectionElement } {
  const table = html("table");
  table.append(html("caption", "unseen", caption));
  const row = html("tr");
  for (const column of columns) {
    const cell = html("th", cellClass(column), column.title);
    cell.scope = "col";
    row.append(cell);
  }
  const head = html("thead");
  head.append(row);
  const body = html("tbody");
  table.append(head, body);
  return { table, body };
}

/** A cell for each column of a table. */
export type Cells<Columns extends readonly Column[]> = {
  readonly [At in keyof Columns]: HTMLTableCellElement;
};

/** A row with a cell for each column; the first is the row's head. */
export function tableRow<const Columns extends readonly Column[]>(
  columns: Columns,
): { readonly row: HTMLTableRowElement; readonly cells: Cells<Columns> } {
  const row = html("tr");
  const cells = columns.map((column, index) => {
    const cell = html(index === 0 ? "th" : "td", cellClass(column));
    if (index === 0) cell.scope = "row";
    return cell;
  });
  row.append(...cells);
  return { row, cells: cells as unknown as Cells<Columns> };
}

function cellClass({ isText = false, isWide = false }: Column): string {
  return [...(isText ? ["text"] : []), ...(isWide ? ["wide"] : [])].join(" ");
}
