import type {
  DifferencesAnswer,
  JournalSummary,
  TurnAnswer,
} from "../../src/viewer/viewer-answers.js";
import { html } from "../chart/html.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "../cockpit/panel.js";
import { setShown, setText } from "../cockpit/update-element.js";

const COLUMNS = [
  { title: "part", isText: true },
  { title: "value", isText: true },
  { title: "first run", isText: true },
  { title: "other run", isText: true },
] as const satisfies readonly Column[];

/** Where two runs differ: the settings, the shown turn, and a list of the turns from it on. */
export class DifferencesPanel {
  readonly element: HTMLElement;
  readonly #summary = html("span", "count");
  readonly #rows: HTMLTableSectionElement;
  readonly #equal = html("p", "empty", "The runs are equal in this turn.");
  readonly #list = html("ol", "differing-turns");
  readonly #onTurn: (turn: number) => void;

  /** @param buttons to the next and the previous difference */
  constructor(onTurn: (turn: number) => void, buttons: HTMLElement) {
    this.#onTurn = onTurn;
    const { element, head, body } = panel("Where the runs differ", "differences", 2);
    this.element = element;
    head.append(this.#summary, buttons);
    const { table, body: rows } = dataTable("Values in which the runs differ", COLUMNS);
    this.#rows = rows;
    const box = scrollBox("Values in which the runs differ", "tall");
    box.append(table, this.#equal);
    const turns = scrollBox("Turns from here on in which the runs differ");
    turns.append(this.#list);
    body.append(box, html("h4", "", "Turns from here on in which they differ"), turns);
  }

  update({ settings, differing }: JournalSummary, { parts }: TurnAnswer): void {
    setText(this.#summary, `${differing} turns differ, and ${settings.length} settings`);
    setShown(this.#equal, parts.length === 0);
    const lines = [
      ...parts.flatMap(({ part, values }) => values.map((value) => [part, value] as const)),
      ...settings.map((value) => ["setting", value] as const),
    ];
    this.#rows.replaceChildren(
      ...lines.map(([part, { path, before, after }]) => {
        const { row, cells } = tableRow(COLUMNS);
        const texts = [part, path.join("."), jsonOf(before), jsonOf(after)];
        for (const [index, cell] of cells.entries()) cell.textContent = texts[index] ?? "";
        return row;
      }),
    );
  }

  /** Lists the turns that differ. */
  list({ turns, more }: DifferencesAnswer): void {
    this.#list.replaceChildren(
      ...turns.map(({ turn, parts }) => {
        const item = html("li");
        const link = html("button", "link", `turn ${turn}`);
        link.type = "button";
        link.addEventListener("click", () => this.#onTurn(turn));
        item.append(link, ` ${parts.length === 0 ? "one run has ended" : parts.join(", ")}`);
        return item;
      }),
      ...(more === 0 ? [] : [html("li", "hint", `and ${more} more`)]),
    );
  }
}

function jsonOf(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}
