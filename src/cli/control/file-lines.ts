import type { BotStatus } from "../../bot/status/bot-status.js";
import { formatCount } from "../../core/format-count.js";
import { alignedTable } from "./aligned-table.js";
import { oneLine } from "./one-line.js";

/** Most values that are shown; `--json` has all. */
const MOST_VALUES = 6;
const CHARACTERS = 60;

/**
 * Lists the running values that are not those of the file; empty if there are none. A status of
 * another version says nothing about it.
 */
export function fileLines({
  differsFromFile,
  fileProblem,
}: Partial<Pick<BotStatus, "differsFromFile" | "fileProblem">>): string {
  if (fileProblem !== undefined)
    return `the file cannot be compared: ${oneLine(fileProblem, 160)}\n`;
  if (differsFromFile === undefined || differsFromFile.length === 0) return "";
  const shown = differsFromFile.slice(0, MOST_VALUES);
  const more = differsFromFile.length - shown.length;
  const value = (text: string): string => (text === "" ? "none" : oneLine(text, CHARACTERS));
  return `${alignedTable([
    { heading: "differs from the file", cells: shown.map(({ path }) => path) },
    { heading: "running", cells: shown.map(({ running }) => value(running)) },
    { heading: "file", cells: shown.map(({ file }) => value(file)) },
  ])}${more > 0 ? `${formatCount(more, "more value")}: --json lists all\n` : ""}`;
}
