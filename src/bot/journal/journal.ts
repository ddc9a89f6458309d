import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Action } from "../../exchange/venue.js";
import type { BotConfig } from "../config/config.js";
import type { BotInput, TurnStamp } from "../engine/input.js";
import type { TurnRecord } from "../engine/turn-queue.js";

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
  /** True of a run that sent nothing but questions. */
  readonly dryRun?: boolean;
  /** True of a run whose orders were filled on paper: no book has them. */
  readonly isPaper?: boolean;
  /** The strategy files of the run, by market; built-in ones are not among them. */
  readonly strategies?: Readonly<Record<MarketId, StrategyFile>>;
  /** The state directory's files as the bot found them. */
  readonly state: Readonly<Record<string, string>>;
}

/** Which strategy file a market was traded by. */
export interface StrategyFile {
  /** Absolute. */
  readonly name: string;
  /** Of the file and the user's own files that it imports. */
  readonly sha256: string;
}

/**
 * Every further line: one turn, with the actions that it dispatched, as they were before signing.
 */
export interface JournalTurn {
  readonly stamp: TurnStamp;
  readonly input: BotInput;
  readonly draws: readonly (number | bigint)[];
  readonly actions: readonly Action[];
  /** What the turn threw, which ended the bot: only ever in a journal's last line. */
  readonly broke?: string;
}

/** Hears what every turn was made of and dispatched. */
export interface TurnRecorder {
  /** An action of the turn that is under way. */
  action(action: Action): void;
  /** The turn that was under way has ended. */
  turn(record: TurnRecord): void;
}

/** Tells several of every turn, each in its turn; undefined where there is none to tell. */
export function combineRecorders(recorders: readonly TurnRecorder[]): TurnRecorder | undefined {
  if (recorders.length <= 1) return recorders[0];
  return {
    action: (action) => {
      for (const recorder of recorders) recorder.action(action);
    },
    turn: (record) => {
      for (const recorder of recorders) recorder.turn(record);
    },
  };
}

/** Where journal lines go. */
export interface JournalSink {
  write(line: string): void;
}

/** Writes the turns of a run as lines of JSON (docs/ideas/design.md#one-event-at-a-time). */
export class JournalWriter implements TurnRecorder {
  readonly #sink: JournalSink;
  #actions: Action[] = [];

  constructor(sink: JournalSink, header: JournalHeader) {
    this.#sink = sink;
    sink.write(encodeJournal(header));
  }

  action(action: Action): void {
    this.#actions.push(action);
  }

  turn(record: TurnRecord): void {
    const { stamp, input, draws, broke } = record;
    const turn: JournalTurn = {
      stamp,
      input,
      draws,
      actions: this.#actions,
      ...(broke === undefined ? {} : { broke }),
    };
    this.#actions = [];
    this.#sink.write(encodeJournal(turn));
  }
}

/**
 * One line of JSON in which a bigint is `{"$n":"digits"}`, and a number that JSON does not know
 * `{"$f":"NaN"}`: of a journal, or of a recording beside one.
 */
export function encodeJournal(value: object): string {
  return JSON.stringify(value, (_key, held: unknown) => {
    if (typeof held === "bigint") return { $n: held.toString() };
    if (typeof held === "number" && (!Number.isFinite(held) || Object.is(held, -0)))
      return { $f: Object.is(held, -0) ? "-0" : String(held) };
    return held;
  });
}

/**
 * Reads a journal's first line.
 * @throws FormatError when it is no journal of this version.
 */
export function decodeHeader(line: string): JournalHeader {
  const value = decodeLine(line, 1) as Partial<JournalHeader>;
  if (value.journal !== JOURNAL_VERSION) {
    throw new FormatError("not a journal of this version", {
      field: "line 1",
      value: value.journal,
      expected: `journal ${JOURNAL_VERSION}`,
    });
  }
  if (
    !isObject(value.config) ||
    !isObject(value.config.markets) ||
    !isObject(value.rules) ||
    typeof value.account !== "string" ||
    !isStamp(value.stamp) ||
    !isObject(value.state) ||
    Object.values(value.state).some((text) => typeof text !== "string") ||
    !areStrategies(value.strategies)
  ) {
    throw new FormatError("not the first line of a journal", {
      field: "line 1",
      expected: "account, config, rules, stamp and state",
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
  if (
    !isStamp(value.stamp) ||
    !isInput(value.input) ||
    !Array.isArray(value.draws) ||
    !Array.isArray(value.actions)
  ) {
    throw new FormatError("not a journal turn", {
      field: `line ${lineNumber}`,
      expected: "stamp, input, draws and actions",
    });
  }
  return value as JournalTurn;
}

/** Reads what {@link encodeJournal} wrote. @throws FormatError naming the line when it is broken */
export function decodeLine(line: string, lineNumber: number): object {
  try {
    const value: unknown = JSON.parse(line, (_key, held: unknown) => untagged(held));
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    // The line itself is not shown: a file that is no journal may be one that holds a key.
    throw new FormatError("broken journal line", {
      field: `line ${lineNumber}`,
      expected: "one JSON object",
      cause,
    });
  }
  throw new FormatError("broken journal line", {
    field: `line ${lineNumber}`,
    expected: "one JSON object",
  });
}

function untagged(held: unknown): unknown {
  if (!isObject(held)) return held;
  if ("$n" in held && typeof held.$n === "string") return BigInt(held.$n);
  if ("$f" in held && typeof held.$f === "string") return Number(held.$f);
  return held;
}

function isObject(held: unknown): held is Readonly<Record<string, unknown>> {
  return typeof held === "object" && held !== null;
}

function isStamp(held: unknown): held is TurnStamp {
  return isObject(held) && typeof held.atMs === "number" && typeof held.monotonicMs === "number";
}

function areStrategies(held: unknown): boolean {
  if (held === undefined) return true;
  return (
    isObject(held) &&
    Object.values(held).every(
      (file) => isObject(file) && typeof file.name === "string" && typeof file.sha256 === "string",
    )
  );
}

function isInput(held: unknown): held is BotInput {
  if (!isObject(held)) return false;
  if (held.kind === "event") return isObject(held.event) && typeof held.event.type === "string";
  if (held.kind === "timer") return typeof held.id === "number";
  if (held.kind === "leave") return typeof held.key === "string";
  if (held.kind === "strategy") return typeof held.marketId === "string" && isObject(held.signal);
  return (
    held.kind === "command" && isObject(held.command) && typeof held.command.command === "string"
  );
}
