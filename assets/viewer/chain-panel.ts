import type { TurnAnswer } from "../../src/viewer/viewer-answers.js";
import { html } from "../chart/html.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "../cockpit/panel.js";
import { timeText } from "./turn-text.js";

type ChainLine = NonNullable<TurnAnswer["runs"][number]>["chain"][number];

const COLUMNS = [
  { title: "turn" },
  { title: "time", isText: true, isWide: true },
  { title: "step", isText: true },
  { title: "what", isText: true },
] as const satisfies readonly Column[];

/** The causes of a turn, its own links, and what followed; each other turn can be gone to. */
export class ChainPanel {
  readonly element: HTMLElement;
  readonly #onTurn: (turn: number) => void;
  readonly #rows: HTMLTableSectionElement;

  constructor(onTurn: (turn: number) => void) {
    this.#onTurn = onTurn;
    const { element, body } = panel("What led to it, what it did, what became of it", "chain");
    this.element = element;
    const { table, body: rows } = dataTable("The causal chain of the turn", COLUMNS);
    this.#rows = rows;
    const box = scrollBox("The causal chain of the turn", "tall");
    box.append(table);
    body.append(box);
  }

  update(turn: number, chain: readonly ChainLine[]): void {
    this.#rows.replaceChildren(...chain.map((line) => this.#row(line, line.turn === turn)));
  }

  #row(line: ChainLine, isShown: boolean): HTMLTableRowElement {
    const { row, cells } = tableRow(COLUMNS);
    const [turn, time, step, what] = cells;
    if (isShown) {
      row.className = "selected";
      turn.textContent = `▸ ${line.turn}`;
    } else {
      const link = html("button", "link", String(line.turn));
      link.type = "button";
      link.setAttribute("aria-label", `Go to turn ${line.turn}`);
      link.addEventListener("click", () => this.#onTurn(line.turn));
      turn.append(link);
    }
    time.textContent = timeText(line.atMs);
    step.textContent = line.step;
    what.textContent = line.text;
    return row;
  }
}
