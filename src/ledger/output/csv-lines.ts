import type { AccountEntry } from "../account-entry.js";
import { ENTRY_COLUMNS } from "./entry-columns.js";

/** A cell that a spreadsheet would read as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * The lines of a CSV file (RFC 4180), the names of the columns first. A text that a spreadsheet
 * would take for a formula begins with an apostrophe; numbers are never changed.
 */
export function* csvLines(
  entries: Iterable<AccountEntry>,
  paperDecimals: number,
): Generator<string, void> {
  yield `${ENTRY_COLUMNS.map(({ name }) => name).join(",")}\n`;
  for (const entry of entries) {
    const cells = ENTRY_COLUMNS.map(({ type, text }) => {
      const cell = text(entry, paperDecimals);
      return type === "VARCHAR" ? textCell(cell) : cell;
    });
    yield `${cells.join(",")}\n`;
  }
}

/** A text as a cell of a CSV file, which no spreadsheet runs as a formula. A plain number stays. */
export function textCell(text: string): string {
  const isFormula = FORMULA.test(text) && !PLAIN_NUMBER.test(text);
  const safe = isFormula ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
