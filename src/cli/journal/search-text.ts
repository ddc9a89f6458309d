import type { RunGrids } from "../../bot/bisect/describe-input.js";
import { describeLink } from "../../bot/bisect/describe-link.js";
import { clockText } from "../../bot/bisect/notice-lines.js";
import { replayNotes } from "../../bot/bisect/replay-notes.js";
import type { FieldChange, FoundTurn, JournalSearch } from "../../bot/bisect/search-journal.js";
import type { StatusValue } from "../../bot/bisect/status-fields.js";
import type { ReachedValue, ValueRange } from "../../bot/bisect/value-ranges.js";
import { formatCount } from "../../core/format-count.js";
import { instantText } from "../../history/day.js";
import { table } from "../process/output.js";

/** Most rows of a chain, and of the values of a turn, so that both fit on one screen. */
const MOST_LINKS = 40;
const MOST_VALUES = 20;
/** Longest text of one row. */
const MOST_CHARACTERS = 110;

/** Formats the result of a search for the terminal. @param when the condition, if there is one */
export function formatSearch(
  { found, searched, ranges, result }: JournalSearch,
  when: string | undefined,
  grids: RunGrids,
): string {
  const lines = replayNotes(result).map((line) => `${line}\n`);
  if (found !== undefined) return [...lines, ...foundLines(found, when, grids)].join("");
  const turns = formatCount(searched, "turn");
  lines.push(
    when === undefined
      ? "there is no such turn\n"
      : `never in ${turns} of ${result.header.config.path}: ${when}\n`,
    table(ranges.map(rangeRow)),
  );
  return lines.join("");
}

function foundLines(
  { replayed, heldBefore, fields, chain }: FoundTurn,
  when: string | undefined,
  grids: RunGrids,
): string[] {
  const { turn, line, stamp } = replayed;
  const at = `turn ${turn} (line ${line}) at ${instantText(stamp.atMs)}`;
  const held = heldBefore ? "; it held before this turn already" : "";
  const rows = chain.slice(0, MOST_LINKS).map((link) => {
    const { step, text } = describeLink(link, grids);
    const mark = link.turn === turn ? ">" : " ";
    return [`${mark} ${link.turn}`, clockText(link.atMs), step, cutToRow(text)];
  });
  return [
    when === undefined ? `${at}\n` : `${at}: ${when}${held}\n`,
    "\n",
    table(fields.slice(0, MOST_VALUES).map(fieldRow)),
    moreLine(fields.length - MOST_VALUES, "value"),
    "\n",
    table(rows),
    moreLine(chain.length - MOST_LINKS, "row"),
  ];
}

function fieldRow({ name, before, after }: FieldChange): readonly string[] {
  return [name, `${valuesText(before)} -> ${valuesText(after)}`];
}

function rangeRow({ name, lowest, highest, last }: ValueRange): readonly string[] {
  if (last === undefined) return [name, "was missing in every turn"];
  if (lowest === undefined || highest === undefined)
    return [name, `last ${JSON.stringify(last.value)} ${reachedText(last)}`];
  return [
    name,
    `lowest ${lowest.value} ${reachedText(lowest)}`,
    `highest ${highest.value} ${reachedText(highest)}`,
  ];
}

function reachedText({ turn, atMs }: ReachedValue): string {
  return `in turn ${turn} at ${clockText(atMs)}`;
}

function valuesText(values: readonly StatusValue[]): string {
  return values.length === 0 ? "missing" : cutToRow(values.map(String).join(", "));
}

function moreLine(count: number, noun: string): string {
  return count > 0 ? `and ${formatCount(count, `more ${noun}`)}: --json has all\n` : "";
}

/** Shortens a text to one row. */
export function cutToRow(text: string): string {
  const row = text.replaceAll(/\s+/g, " ");
  return row.length <= MOST_CHARACTERS ? row : `${row.slice(0, MOST_CHARACTERS - 3)}...`;
}
