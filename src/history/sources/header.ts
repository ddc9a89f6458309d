import { HistoryError } from "../history-errors.js";
import type { Delimiter } from "./plain-csv.js";

const SHOWN = 200;

/** The fields of a CSV file's first line, quoted ones as what they quote. @throws HistoryError naming the file where a quote does not end in it */
export function fieldsOfLine(text: string, file: string, delimiter: Delimiter): string[] {
  const fields: string[] = [];
  const quotedField = new RegExp(`^ *"((?:[^"]|"")*)" *(?=[${delimiter}]|$)`);
  const plainField = new RegExp(`^[^${delimiter}]*`);
  for (let at = 0; at <= text.length; ) {
    const quoted = quotedField.exec(text.slice(at));
    const plain = plainField.exec(text.slice(at))?.[0] ?? "";
    if (quoted === null && plain.includes('"'))
      throw new HistoryError(file, `has a first line with a quote that is not understood in field ${fields.length + 1}`, {
        value: text.slice(0, SHOWN),
        expected: 'names without quotes, or each quoted as a whole on one line, with "" for a quote within',
      });
    fields.push(quoted === null ? plain.trim() : (quoted[1] as string).replaceAll('""', '"'));
    at += (quoted?.[0] ?? plain).length + 1;
  }
  return fields;
}

/**
 * The columns of a header: one without a name, as some programs write for the number of a row, gets its place for one.
 * @throws HistoryError naming the file and a name that two columns have, for the database whatever their letters' case
 */
export function columnsOf(fields: readonly string[], file: string): string[] {
  const seen = new Map<string, number>();
  return fields.map((field, at) => {
    const name = field === "" ? `column ${at + 1}` : field;
    const before = seen.get(name.toLowerCase());
    if (before !== undefined)
      throw new HistoryError(file, `has two columns of one name: ${before + 1} and ${at + 1}`, {
        value: name,
        expected: "names that differ in more than the case of their letters",
      });
    seen.set(name.toLowerCase(), at);
    return name;
  });
}
