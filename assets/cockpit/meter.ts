import { html } from "../chart/html.js";
import { setClass, setLength, setText } from "./update-element.js";

/** A share as a bar, with its figure and a note. */
export class Meter {
  readonly element = html("div", "meter");
  readonly #fill = html("span");
  readonly #figure = html("b");
  readonly #note = html("small");

  constructor(name: string) {
    // The figure beside it says the same.
    const gauge = html("span", "gauge");
    gauge.setAttribute("aria-hidden", "true");
    gauge.append(this.#fill);
    this.element.append(html("span", "name", name), gauge, this.#figure, this.#note);
  }

  /** @param share from 0 to 1 */
  update(share: number, figure: string, note: string, isBad = false): void {
    setLength(this.#fill, share);
    setText(this.#figure, figure);
    setText(this.#note, note);
    setClass(this.element, "bad", isBad);
  }
}
