import { html } from "../chart/html.js";
import type { Frame } from "./frame.js";
import { parameterFields, typedValue } from "./parameter-values.js";

/** A form of parameters, and what was changed in it. */
export interface ParameterForm {
  readonly element: HTMLElement;
  readonly changes: () => readonly { readonly path: string; readonly value: unknown }[];
}

/** A form of the running parameters of a market, and of one more that has its default. */
export function parameterForm({ status, markets }: Frame, marketId: string): ParameterForm {
  const element = html("div", "parameters");
  const fields = parameterFields(marketId, markets[marketId]?.params ?? {});
  const inputs = fields.map((field) => {
    const difference = status.differsFromFile.find(({ path }) => path === field.path);
    const label = html("label", "field");
    const input = html("input");
    input.value = field.running;
    input.spellcheck = false;
    input.autocomplete = "off";
    label.append(html("span", "", field.name), input);
    if (difference !== undefined)
      label.append(html("small", "", `the file has ${difference.file}`));
    element.append(label);
    return { field, input };
  });
  const other = html("fieldset", "other");
  const name = html("input");
  const value = html("input");
  name.placeholder = "halfSpreadBps";
  name.autocapitalize = "off";
  for (const input of [name, value]) {
    input.spellcheck = false;
    input.autocomplete = "off";
  }
  const nameLabel = html("label", "field");
  nameLabel.append(html("span", "", "name"), name);
  const valueLabel = html("label", "field");
  valueLabel.append(html("span", "", "value"), value);
  other.append(html("legend", "", "Another parameter"), nameLabel, valueLabel);
  element.append(other);
  return {
    element,
    changes: () => {
      const changed = inputs
        .filter(({ field, input }) => input.value.trim() !== field.running)
        .map(({ field, input }) => ({ path: field.path, value: typedValue(input.value) }));
      const path = name.value.trim();
      if (path === "" || value.value.trim() === "") return changed;
      return [
        ...changed,
        {
          path: path.includes(".") ? path : `markets.${marketId}.params.${path}`,
          value: typedValue(value.value),
        },
      ];
    },
  };
}
