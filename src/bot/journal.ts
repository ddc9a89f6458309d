import { FormatError } from "../core/errors.js";
import type { Hex } from "../core/units.js";
import type { VenueRules } from "../exchange/records.js";
import type { Action } from "../exchange/venue.js";
import type { BotConfig } from "./config.js";
import type { BotInput, TurnStamp } from "./input.js";
import type { TurnRecord } from "./turn-queue.js";

/** The journal's format; a reader refuses any other. */
export const JOURNAL_VERSION = 1;

/** First line of a journal: what a run began with, enough to begin it again. Holds no key. */
export interface JournalHeader {
  readonly journal: typeof JOURNAL_VERSION;
  readonly account: Hex;
  readonly config: BotConfig;
  readonly rules: VenueRules;
  /** When the bot was made: its state was read against this instant. */
  readonly stamp: TurnStamp;
  /** The state directory's files as the bot found them. */
  readonly state: Readonly<Record<string, string>>;
}

/** Every further line: one turn, with the actions that it dispatched, as they were before signing. */
export interface JournalTurn {
  readonly stamp: TurnStamp;
  readonly input: BotInput;
  readonly draws: readonly (number | bigint)[];
  readonly actions: readonly Action[];
}

/** Where journal lines go. */
export interface JournalSink {
  write(line: string): void;
}

/** Writes the turns of a run as lines of JSON (design, rule 2). */
export class JournalWriter {
  readonly #sink: JournalSink;
  #actions: Action[] = [];

  constructor(sink: JournalSink, header: JournalHeader) {
    this.#sink = sink;
    sink.write(encodeJournal(header));
  }

  /** Notes an action of the turn that is under way. */
  action(action: Action): void {
    this.#actions.push(action);
  }

  /** Ends the turn that is under way. */
  turn(record: TurnRecord): void {
    const turn: JournalTurn = { stamp: record.stamp, input: record.input, draws: record.draws, actions: this.#actions };
    this.#actions = [];
    this.#sink.write(encodeJournal(turn));
  }
}

/** One journal line: JSON in which a bigint is `{"$n":"digits"}`. */
export function encodeJournal(value: JournalHeader | JournalTurn | readonly Action[]): string {
  return JSON.stringify(value, (_key, held: unknown) => (typeof held === "bigint" ? { $n: held.toString() } : held));
}

/**
 * Reads a journal's first line.
 * @throws FormatError when it is no journal of this version.
 */
export function decodeHeader(line: string): JournalHeader {
  const value = decodeLine(line, 1) as Partial<JournalHeader>;
  if (value.journal !== JOURNAL_VERSION || value.config === undefined || value.rules === undefined || value.account === undefined) {
    throw new FormatError("not a journal of this version", {
      field: "line 1",
      value: value.journal,
      expected: `journal ${JOURNAL_VERSION}`,
    });
  }
  return value as JournalHeader;
}

/**
 * Reads one turn of a journal.
 * @throws FormatError naming the line when it is broken.
 */
export function decodeTurn(line: string, lineNumber: number): JournalTurn {
  const value = decodeLine(line, lineNumber) as Partial<JournalTurn>;
  if (value.stamp === undefined || value.input === undefined || value.draws === undefined || value.actions === undefined) {
    throw new FormatError("not a journal turn", { field: `line ${lineNumber}`, value: line, expected: "stamp, input, draws and actions" });
  }
  return value as JournalTurn;
}

function decodeLine(line: string, lineNumber: number): object {
  try {
    const value: unknown = JSON.parse(line, (_key, held: unknown) => (isTaggedInteger(held) ? BigInt(held.$n) : held));
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    throw new FormatError("broken journal line", { field: `line ${lineNumber}`, value: line, expected: "one JSON object", cause });
  }
  throw new FormatError("broken journal line", { field: `line ${lineNumber}`, value: line, expected: "one JSON object" });
}

function isTaggedInteger(held: unknown): held is { $n: string } {
  return typeof held === "object" && held !== null && "$n" in held && typeof held.$n === "string";
}
