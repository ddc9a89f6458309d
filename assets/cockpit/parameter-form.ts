import { html } from "../chart/html.js";
import type { Frame } from "./frame.js";
import { fullPath, type ParameterField, parameterFields, typedValue } from "./parameter-values.js";

/** A form of values, and what was changed in it. */
export interface ParameterForm {
  readonly element: HTMLElement;
  readonly changes: () => readonly { readonly path: string; readonly value: unknown }[];
  /** True if the values are to be written to the file, too. */
  readonly isSaved: () => boolean;
}

/**
 * A form of the running parameters of a market, and of one more value.
 * @param marketId undefined for a value of the whole bot
 */
export function parameterForm(frame: Frame, marketId: string | undefined): ParameterForm {
  const element = html("div", "value-form");
  const fields = marketId === undefined ? [] : runningFields(frame, marketId);
  const other = otherValue(marketId);
  const save = html("input");
  save.type = "checkbox";
  const saveLabel = html("label", "save");
  saveLabel.append(save, "Save to the file: a restart keeps the values");
  const list = html("div", "parameters");
  list.append(...fields.map(({ label }) => label), other.element);
  element.append(list, saveLabel);
  return {
    element,
    changes: () => [
      ...fields
        .filter(({ field, input }) => input.value.trim() !== field.running)
        .map(({ field: { path }, input }) => ({ path, value: typedValue(path, input.value) })),
      ...other.changes(),
    ],
    isSaved: () => save.checked,
  };
}

interface RunningField {
  readonly field: ParameterField;
  readonly label: HTMLElement;
  readonly input: HTMLInputElement;
}

function runningFields({ status, markets }: Frame, marketId: string): readonly RunningField[] {
  return parameterFields(marketId, markets[marketId]?.params ?? {}).map((field) => {
    const difference = status.differsFromFile.find(({ path }) => path === field.path);
    const { label, input } = textField(field.name);
    input.value = field.running;
    if (difference !== undefined)
      label.append(html("small", "", `the file has ${difference.file || "none"}`));
    return { field, label, input };
  });
}

function otherValue(marketId: string | undefined) {
  const element = html("fieldset", "other");
  const name = textField("name");
  const value = textField("value");
  name.input.placeholder = marketId === undefined ? "risk.maxDrawdownQuote" : "halfSpreadBps";
  name.input.autocapitalize = "off";
  element.append(
    html("legend", "", marketId === undefined ? "A value" : "Another parameter"),
    name.label,
    value.label,
    html(
      "small",
      "",
      marketId === undefined
        ? "Keys joined by dots, as in the file. A list is JSON; null removes the key."
        : "Or a limit, such as limits.maxPositionBase. null removes the key.",
    ),
  );
  return {
    element,
    changes: () => {
      const typed = name.input.value.trim();
      if (typed === "" || value.input.value.trim() === "") return [];
      const path = fullPath(typed, marketId);
      return [{ path, value: typedValue(path, value.input.value) }];
    },
  };
}

function textField(name: string) {
  const label = html("label", "field");
  const input = html("input");
  input.spellcheck = false;
  input.autocomplete = "off";
  label.append(html("span", "", name), input);
  return { label, input };
}
