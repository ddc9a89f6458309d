import type { BotStatus, DifferentFromFile } from "./frame.js";
import { KeyedList } from "./keyed-list.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "./panel.js";
import { setShown, setText } from "./update-element.js";

const COLUMNS = [
  { title: "value", isText: true },
  { title: "running" },
  { title: "in the file" },
] as const satisfies readonly Column[];

/** How the running values differ from the bot's file; hidden while they do not. */
export class DifferencesPanel {
  readonly element: HTMLElement;
  readonly #list: KeyedList<DifferentFromFile>;

  constructor() {
    const { element, body } = panel("Running values that differ from the file", "differences");
    this.element = element;
    const { table, body: rows } = dataTable("Running values that differ from the file", COLUMNS);
    const box = scrollBox("Running values that differ from the file");
    box.append(table);
    body.append(box);
    this.#list = new KeyedList(
      rows,
      ({ path }) => path,
      () => {
        const { row, cells } = tableRow(COLUMNS);
        const [path, running, file] = cells;
        return {
          element: row,
          update: (difference) => {
            setText(path, difference.path);
            setText(running, difference.running);
            setText(file, difference.file);
          },
        };
      },
    );
  }

  update({ differsFromFile }: BotStatus): void {
    setShown(this.element, differsFromFile.length > 0);
    this.#list.update(differsFromFile);
  }
}
