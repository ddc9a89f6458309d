import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { replayNotes } from "../../../bot/bisect/replay-notes.js";
import { readFileLines } from "../../../bot/journal/journal-lines.js";
import { type JournalSlice, shrinkJournal } from "../../../bot/shrink/shrink-journal.js";
import { ConfigError, RunError } from "../../../core/errors.js";
import { formatCount } from "../../../core/format-count.js";
import type { CliContext } from "../../cli-context.js";
import { readJournal } from "../../journal/read-journal.js";
import { ReportedFailure } from "../../process/exit.js";
import { jsonText } from "../../process/output.js";

/** Options of `marketwright bisect --shrink`. */
export interface ShrinkJournalCommandOptions {
  readonly when: string;
  /** Path of the slice, a new file. */
  readonly shrink: string;
  readonly shrinkRuns?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Replays of candidates without `--shrink-runs`. */
const DEFAULT_RUNS = 300;
const MOST_RUNS = 100_000;

/**
 * Shrinks a journal to the turns that a condition needs, and writes them as a journal of their own.
 * @throws ReportedFailure if the condition never held; ConfigError for a path that exists; RunError
 * if the slice cannot be written
 */
export async function shrinkJournalCommand(
  context: CliContext,
  journal: string,
  { when, shrink: out, shrinkRuns, json = false }: ShrinkJournalCommandOptions,
): Promise<void> {
  if (existsSync(out)) throw existsError(out);
  requireFolder(out);
  const maxRuns = parseRuns(shrinkRuns);
  const { slice, result } = await readJournal("journal", journal, () =>
    shrinkJournal(() => readFileLines(journal), { when, journal, maxRuns }),
  );
  const notes = replayNotes(result);
  if (slice === undefined) {
    const never = `never: ${when}; bisect --when without --shrink shows how near it came`;
    context.stdout.write(
      json ? jsonText({ journal, when, found: false, notes }, 2) : [...notes, never, ""].join("\n"),
    );
    throw new ReportedFailure();
  }
  writeSlice(out, slice);
  const { lines: _, ...sizes } = slice;
  context.stdout.write(
    json
      ? jsonText({ journal, when, found: true, slice: out, ...sizes, notes }, 2)
      : [...notes, formatSlice(slice, when, out)].join("\n"),
  );
}

function formatSlice(slice: JournalSlice, when: string, out: string): string {
  const size = (turns: number, characters: number): string =>
    `${formatCount(turns, "turn")}, ${formatCount(characters, "character")}`;
  const limit = slice.isComplete
    ? ""
    : ", which is the limit of --shrink-runs: more may make it smaller";
  return [
    `turn ${slice.foundTurn}: ${when}\n`,
    `prefix  ${size(slice.prefixTurns, slice.prefixCharacters)}\n`,
    `slice   ${size(slice.sliceTurns, slice.sliceCharacters)}\n`,
    `${formatCount(slice.runs, "replay")}${limit}\n`,
    `written: ${out}\n`,
  ].join("");
}

/** Like a journal, a slice is readable by its owner alone. */
function writeSlice(out: string, { lines }: JournalSlice): void {
  try {
    writeFileSync(out, `${lines.join("\n")}\n`, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    if (code === "EEXIST") throw existsError(out);
    throw new RunError(`cannot write the slice (${code})`, {
      field: "--shrink",
      value: out,
      expected: "a new file in a folder that this user may write",
      cause,
    });
  }
}

/** Before the search, which may take minutes. */
function requireFolder(out: string): void {
  const folder = dirname(resolve(out));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ConfigError("is in a folder that does not exist", {
      field: "--shrink",
      value: out,
      expected: "a new file in a folder that exists",
    });
}

function existsError(out: string): ConfigError {
  return new ConfigError("already exists", {
    field: "--shrink",
    value: out,
    expected: "the path of a new file: nothing is written over",
  });
}

function parseRuns(text: string | undefined): number {
  if (text === undefined) return DEFAULT_RUNS;
  const runs = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (runs >= 1 && runs <= MOST_RUNS) return runs;
  throw new ConfigError("is not a number of replays", {
    field: "--shrink-runs",
    value: text,
    expected: `1 to ${MOST_RUNS}`,
  });
}
