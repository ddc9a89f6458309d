import type { TurnAnswer } from "../../src/viewer/viewer-answers.js";
import { html } from "../chart/html.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "../cockpit/panel.js";
import { setShown, setText } from "../cockpit/update-element.js";

type Change = NonNullable<TurnAnswer["runs"][number]>["changes"][number];

const COLUMNS = [
  { title: "value", isText: true },
  { title: "before", isText: true },
  { title: "after", isText: true },
] as const satisfies readonly Column[];

/** The values of the status that a turn changed. */
export class ChangesPanel {
  readonly element: HTMLElement;
  readonly #count = html("span", "count");
  readonly #rows: HTMLTableSectionElement;
  readonly #none = html("p", "empty", "The turn changed no value of the status.");

  constructor() {
    const { element, head, body } = panel("Changed values of the status", "changes");
    this.element = element;
    head.append(this.#count);
    const { table, body: rows } = dataTable("Values of the status before and after", COLUMNS);
    this.#rows = rows;
    const box = scrollBox("Changed values of the status", "tall");
    box.append(table, this.#none);
    body.append(box);
  }

  update(changes: readonly Change[]): void {
    setText(this.#count, String(changes.length));
    setShown(this.#none, changes.length === 0);
    this.#rows.replaceChildren(
      ...changes.map(({ name, before, after }) => {
        const { row, cells } = tableRow(COLUMNS);
        cells[0].textContent = name;
        cells[1].textContent = valuesText(before);
        cells[2].textContent = valuesText(after);
        return row;
      }),
    );
  }
}

function valuesText(values: Change["before"]): string {
  return values.length === 0 ? "missing" : values.map(String).join(", ");
}
