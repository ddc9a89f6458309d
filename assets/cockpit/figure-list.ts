import { html } from "../chart/html.js";
import { MoneyElement } from "./money-element.js";
import { setClass, setText } from "./update-element.js";

/** One figure with its name, unit and a note below. */
export class Figure {
  readonly element = html("div", "figure");
  readonly #unit = html("span", "unit");
  readonly #value = html("span", "value");
  readonly #note = html("span", "note");
  readonly #money: MoneyElement | undefined;

  /** @param kind `money` for a decimal of the bot, `profit` with its sign, `text` for anything */
  constructor(name: string, kind: "money" | "profit" | "text") {
    const term = html("dt");
    // Beside the value the unit would move with each digit.
    term.append(html("span", "name", name), " ", this.#unit);
    const description = html("dd");
    if (kind !== "text") this.#money = new MoneyElement(this.#value, kind === "profit");
    description.append(this.#value, this.#note);
    this.element.append(term, description);
  }

  /** @param value null or undefined if it is not known. */
  update(value: string | null | undefined, unit = "", note = ""): void {
    if (this.#money !== undefined) this.#money.update(value);
    else setText(this.#value, value ?? "–");
    setText(this.#unit, value == null ? "" : unit);
    setText(this.#note, note);
  }

  /** Marks a figure that a person should look at; the note says why. */
  warn(isWarned: boolean): void {
    setClass(this.element, "warned", isWarned);
  }
}

/** Figures beside each other. */
export function figureList(className: string, ...figures: readonly Figure[]): HTMLElement {
  const list = html("dl", `figures ${className}`.trim());
  list.append(...figures.map(({ element }) => element));
  return list;
}
