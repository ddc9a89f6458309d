import { html } from "../chart/html.js";
import { decimalText, signedText, signOf } from "./format.js";
import { setSign, setText } from "./update-element.js";

/** Decimals in full ink; those behind them are fainter and complete the amount. */
const STRONG_DECIMALS = 2;

/** An amount with every digit that the bot sent. */
export class MoneyElement {
  readonly element: HTMLElement;
  readonly #isSigned: boolean;
  readonly #strong = html("span");
  readonly #rest = html("span", "digits");

  /** @param isSigned shows a plus and the colours of gain and loss. */
  constructor(element: HTMLElement, isSigned: boolean) {
    this.element = element;
    this.#isSigned = isSigned;
    element.classList.add("money");
    element.append(this.#strong, this.#rest);
  }

  update(decimal: string | null | undefined): void {
    const text = this.#isSigned ? signedText(decimal) : decimalText(decimal);
    const point = text.indexOf(".");
    const end = point < 0 ? text.length : point + 1 + STRONG_DECIMALS;
    setText(this.#strong, text.slice(0, end));
    setText(this.#rest, text.slice(end));
    if (this.#isSigned) setSign(this.element, decimal == null ? 0 : signOf(decimal));
  }
}
