import { printable } from "../../monitoring/screen/screen-text.js";

/** Longest reason in a line; `--json` has the whole text. */
const MOST_CHARACTERS = 80;

/** Shortens a text to one line that is safe for a terminal. */
export function oneLine(text: string, most = MOST_CHARACTERS): string {
  const line = printable(text).replaceAll(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
