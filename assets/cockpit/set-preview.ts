import { html } from "../chart/html.js";
import { dataTable, scrollBox } from "./panel.js";
import { valueText } from "./parameter-values.js";

/** A parameter before and after a change. */
export interface ChangedValue {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The changed values in the answer to a `set` with `preview`. */
export function changedValues(data: unknown): readonly ChangedValue[] {
  const fields = isFields(data) ? data : {};
  const list = [fields.changes, fields.differences, fields.difference].find(Array.isArray) ?? [];
  return (list as readonly unknown[]).filter(isFields).map((change) => ({
    path: String(change.path ?? ""),
    before: valueText(change.before ?? change.from ?? change.running ?? "default"),
    after: valueText(change.after ?? change.to ?? change.value ?? ""),
  }));
}

/** Shows what a `set` would change, and what the bot would quote before and after. */
export function setPreviewElements(data: unknown): readonly HTMLElement[] {
  const elements: HTMLElement[] = [];
  const changes = changedValues(data);
  if (changes.length > 0) {
    const { table, body } = dataTable("Changes of parameters", [
      { title: "parameter", isText: true },
      { title: "now" },
      { title: "then" },
    ]);
    for (const { path, before, after } of changes) {
      const row = html("tr");
      const head = html("th", "text", path);
      head.scope = "row";
      row.append(head, html("td", "", before), html("td", "", after));
      body.append(row);
    }
    const box = scrollBox("Changes of parameters");
    box.append(table);
    elements.push(box);
  }
  for (const text of textsIn(data)) elements.push(html("pre", "explain", text));
  if (elements.length === 0) elements.push(html("p", "", "The bot names no difference."));
  return elements;
}

/** The texts of an answer that are meant for a person, such as the quotes before and after. */
function textsIn(data: unknown): readonly string[] {
  if (!isFields(data)) return [];
  return ["text", "before", "after", "quotes"].flatMap((name) => {
    const value = data[name];
    if (typeof value === "string") return [value];
    return value === undefined ? [] : [`${name}: ${JSON.stringify(value, null, 2)}`];
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
