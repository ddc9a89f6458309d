import { HistoryError } from "../../history-errors.js";
import type { Mapping } from "../formats/mapping.js";
import type { Delimiter } from "./plain-csv.js";

const SHOWN = 200;
const NUMBER = /^[-+]?(\d+([.]\d*)?|[.]\d+)([eE][-+]?\d+)?$/;
const PLACE = /^(0|[1-9]\d*)$/;

/** True if a first line holds a number, as data do and headers seldom do. */
export function hasNumber(fields: readonly string[]): boolean {
  return fields.some((field) => NUMBER.test(field));
}

/**
 * The columns of a mapped CSV file, and whether its first line is a header. If a mapping names
 * columns by position, counted from 0, the positions become the file's column names, with or
 * without a header. A header whose names are such numbers is a header too.
 * @throws HistoryError naming a file without a header whose columns the mapping names
 */
export function mappedFields(
  fields: readonly string[],
  { columns: wanted }: Pick<Mapping, "columns">,
  file: string,
): { readonly columns: readonly string[]; readonly hasHeader: boolean } {
  const names = Object.values(wanted);
  const places = fields.map((_, at) => String(at));
  if (names.every((name) => PLACE.test(name))) {
    const isHeader =
      !hasNumber(fields) ||
      (places.length > 1 && places.every((place, at) => fields[at] === place));
    // A header that contains all these numbers means its own columns, such as levels 1 and 2 of a
    // book.
    const isByName = isHeader && names.every((name) => fields.includes(name));
    return { columns: isByName ? columnsOf(fields, file) : places, hasHeader: isHeader };
  }
  if (hasNumber(fields) && !names.some((name) => fields.includes(name)))
    throw new HistoryError(file, "has no header: its first line holds numbers", {
      value: fields.join(",").slice(0, SHOWN),
      expected: `columns by position, counted from 0, such as --columns time=0,price=1; this file has 0 to ${fields.length - 1}`,
    });
  return { columns: columnsOf(fields, file), hasHeader: true };
}

/**
 * True if a column of a mapping is the position, counted from 0, of a field in the first line of a
 * file without a header.
 */
export function isPlaceOf(column: string, fields: readonly string[]): boolean {
  return PLACE.test(column) && hasNumber(fields) && Number(column) < fields.length;
}

/**
 * The fields of a CSV file's first line, unquoted.
 * @throws HistoryError naming the file if a quote does not end in the line
 */
export function fieldsOfLine(text: string, file: string, delimiter: Delimiter): string[] {
  const fields: string[] = [];
  const quotedField = new RegExp(`^ *"((?:[^"]|"")*)" *(?=[${delimiter}]|$)`);
  const plainField = new RegExp(`^[^${delimiter}]*`);
  for (let at = 0; at <= text.length; ) {
    const quoted = quotedField.exec(text.slice(at));
    const plain = plainField.exec(text.slice(at))?.[0] ?? "";
    if (quoted === null && plain.includes('"'))
      throw new HistoryError(
        file,
        `has an unexpected quote in field ${fields.length + 1} of its first line`,
        {
          value: text.slice(0, SHOWN),
          expected:
            'names without quotes, or names quoted as a whole within one line, with "" for a quote inside',
        },
      );
    fields.push(quoted === null ? plain.trim() : (quoted[1] as string).replaceAll('""', '"'));
    at += (quoted?.[0] ?? plain).length + 1;
  }
  return fields;
}

/**
 * The columns of a header. A column without a name, as some programs write for row numbers, is
 * named by its position.
 * @throws HistoryError naming the file and a name that two columns share; the database ignores case
 */
export function columnsOf(fields: readonly string[], file: string): string[] {
  const seen = new Map<string, number>();
  return fields.map((field, at) => {
    const name = field === "" ? `column ${at + 1}` : field;
    const before = seen.get(name.toLowerCase());
    if (before !== undefined)
      throw new HistoryError(
        file,
        `has two columns with the same name: ${before + 1} and ${at + 1}`,
        {
          value: name,
          expected: "names that differ in more than upper and lower case",
        },
      );
    seen.set(name.toLowerCase(), at);
    return name;
  });
}
