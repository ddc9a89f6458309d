import { html } from "../chart/html.js";

/** A field with its buttons: the first one is also that of the Enter key. */
export class FieldForm {
  readonly element = html("form", "field-form");
  readonly field = html("input");

  /** @param actions by the names of their buttons; a name that begins with a sign has it apart */
  constructor(
    label: string,
    placeholder: string,
    actions: Readonly<Record<string, (text: string) => void>>,
  ) {
    const name = html("label");
    name.append(html("span", "", label), this.field);
    this.field.type = "text";
    this.field.placeholder = placeholder;
    this.field.spellcheck = false;
    this.field.autocomplete = "off";
    this.element.append(name);
    for (const [index, [text, act]] of Object.entries(actions).entries()) {
      const button = html("button", "", text);
      button.type = index === 0 ? "submit" : "button";
      if (index > 0) button.addEventListener("click", () => act(this.field.value.trim()));
      this.element.append(button);
    }
    const [first] = Object.values(actions);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      first?.(this.field.value.trim());
    });
  }
}
