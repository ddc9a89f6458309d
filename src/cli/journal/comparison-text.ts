import type {
  JournalComparison,
  PartDifference,
  TurnDifference,
} from "../../bot/bisect/compare-journals.js";
import { clockText } from "../../bot/bisect/notice-lines.js";
import { replayNotes } from "../../bot/bisect/replay-notes.js";
import type { DifferentValue } from "../../bot/config/config-change.js";
import { formatCount } from "../../core/format-count.js";
import type { Ms } from "../../core/units.js";
import { table } from "../process/output.js";
import { cutToRow } from "./search-text.js";

/** Most values of one part of a turn. */
const MOST_VALUES = 8;

/** Formats the comparison of two runs for the terminal: values of the first run, then the other. */
export function formatComparison(
  { settings, compared, differences, results }: JournalComparison,
  names: readonly [string, string],
): string {
  const notes = results.flatMap((result, index) =>
    replayNotes(result).map((line) => `${names[index]}: ${line}\n`),
  );
  const [first] = differences;
  const turns = formatCount(compared, "turn");
  return [
    ...notes,
    ...(settings.length === 0 ? [] : ["settings\n", table(settings.map(valueRow))]),
    first === undefined
      ? `equal in ${turns}: inputs, intents, actions and status\n`
      : `first difference in turn ${first.turn}\n`,
    ...differences.map(turnText),
  ].join("");
}

function turnText({ turn, atMs: [one, other], parts }: TurnDifference): string {
  const when = `turn ${turn} at ${timeText(one)} | ${timeText(other)}`;
  if (parts.length === 0) return `\n${when}: equal\n`;
  return [`\n${when}\n`, ...parts.map(partText)].join("");
}

function partText({ part, values }: PartDifference): string {
  const more = values.length - MOST_VALUES;
  return [
    `${part}\n`,
    table(values.slice(0, MOST_VALUES).map(valueRow)),
    more > 0 ? `  and ${formatCount(more, "more value")}: --json has all\n` : "",
  ].join("");
}

function valueRow({ path, before, after }: DifferentValue): readonly string[] {
  return [`  ${path.join(".")}`, cutToRow(`${shown(before)} | ${shown(after)}`)];
}

function shown(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

function timeText(atMs: Ms | undefined): string {
  return atMs === undefined ? "the run has ended" : clockText(atMs);
}
