import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Action } from "../../exchange/venue.js";
import type { HedgeAction } from "../../hedge/hedge-venue.js";
import type { BotConfig } from "../config/config.js";
import type { BotCommand, BotInput, TurnStamp } from "../engine/input.js";
import type { TurnRecord } from "../engine/turn-queue.js";
import type { RecordedHedgeVenue } from "./recorded-hedge-venues.js";

/** The journal's format; a reader refuses any other. */
export const JOURNAL_VERSION = 1;

/**
 * First line of a journal: the state that a run began with, enough to begin it again. Holds no key.
 */
export interface JournalHeader {
  readonly journal: typeof JOURNAL_VERSION;
  readonly account: Hex;
  readonly config: BotConfig;
  readonly rules: VenueRules;
  /** When the bot was created: its state was read at this instant. */
  readonly stamp: TurnStamp;
  /** True for a run that sent only queries. */
  readonly dryRun?: boolean;
  /** True for a run whose orders were filled on paper: no book contains them. */
  readonly isPaper?: boolean;
  /** The hedge venues as the run had read them, by name; absent without any. */
  readonly hedgeVenues?: Readonly<Record<string, RecordedHedgeVenue>>;
  /** The strategy files and packages of the run, by market; without built-in ones. */
  readonly strategies?: Readonly<Record<MarketId, StrategyFile>>;
  /** Of a journal that was sliced from another one; absent of the journal of a run. */
  readonly slicedFrom?: SliceOrigin;
  /** The state directory's files as the bot found them. */
  readonly state: Readonly<Record<string, string>>;
}

/** The journal of which another one is a slice. */
export interface SliceOrigin {
  /** Its path as it was given. */
  readonly journal: string;
  /** The condition that the slice still shows. */
  readonly when: string;
  /** Turns up to the first one after which the condition held. */
  readonly turns: number;
}

/** The strategy file or package that traded a market. */
export interface StrategyFile {
  /** Absolute path, or `npm:NAME`. */
  readonly name: string;
  /** Of the file and the user's own files that it imports; of a package its own files. */
  readonly sha256: string;
  /** Of a package. */
  readonly version?: string;
}

/** Every further line: one turn, with the actions that it sent, as they were before signing. */
export interface JournalTurn {
  readonly stamp: TurnStamp;
  readonly input: BotInput;
  readonly draws: readonly (number | bigint)[];
  readonly actions: readonly Action[];
  /** Actions to hedge venues; absent if there are none. */
  readonly hedgeActions?: readonly RecordedHedgeAction[];
  /** The exception of the turn, which ended the bot: only ever in a journal's last line. */
  readonly broke?: string;
}

/** An action of a turn to a hedge venue. */
export interface RecordedHedgeAction {
  readonly venue: string;
  readonly action: HedgeAction;
}

/** Receives every turn and the actions that it sent. */
export interface TurnRecorder {
  /** An action of the turn in progress. */
  action(action: Action): void;
  /** An action of the turn in progress to a hedge venue. */
  hedgeAction?(venue: string, action: HedgeAction): void;
  /** The turn in progress has ended. */
  turn(record: TurnRecord): void;
}

/** Passes every turn to several recorders, one after the other; undefined if there are none. */
export function combineRecorders(recorders: readonly TurnRecorder[]): TurnRecorder | undefined {
  if (recorders.length <= 1) return recorders[0];
  return {
    action: (action) => {
      for (const recorder of recorders) recorder.action(action);
    },
    hedgeAction: (venue, action) => {
      for (const recorder of recorders) recorder.hedgeAction?.(venue, action);
    },
    turn: (record) => {
      for (const recorder of recorders) recorder.turn(record);
    },
  };
}

/** Destination of journal lines. */
export interface JournalSink {
  write(line: string): void;
}

/** Writes the turns of a run as lines of JSON (docs/ideas/design.md#one-event-at-a-time). */
export class JournalWriter implements TurnRecorder {
  readonly #sink: JournalSink;
  #actions: Action[] = [];
  #hedgeActions: RecordedHedgeAction[] = [];

  constructor(sink: JournalSink, header: JournalHeader) {
    this.#sink = sink;
    sink.write(encodeJournal(header));
  }

  action(action: Action): void {
    this.#actions.push(action);
  }

  hedgeAction(venue: string, action: HedgeAction): void {
    this.#hedgeActions.push({ venue, action });
  }

  turn(record: TurnRecord): void {
    const { stamp, input, draws, broke } = record;
    const turn: JournalTurn = {
      stamp,
      input,
      draws,
      actions: this.#actions,
      ...(this.#hedgeActions.length === 0 ? {} : { hedgeActions: this.#hedgeActions }),
      ...(broke === undefined ? {} : { broke }),
    };
    this.#actions = [];
    this.#hedgeActions = [];
    this.#sink.write(encodeJournal(turn));
  }
}

/**
 * One line of JSON, of a journal or of a recording beside one. A bigint is `{"$n":"digits"}`, a
 * number that JSON does not have `{"$f":"NaN"}`.
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
 * @throws FormatError if it is not a journal of this version.
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
 * @throws FormatError naming the line if it is corrupt.
 */
export function decodeTurn(line: string, lineNumber: number): JournalTurn {
  const value = decodeLine(line, lineNumber) as Partial<JournalTurn>;
  if (
    !isStamp(value.stamp) ||
    !isInput(value.input) ||
    !Array.isArray(value.draws) ||
    !Array.isArray(value.actions) ||
    !(value.hedgeActions === undefined || Array.isArray(value.hedgeActions))
  ) {
    throw new FormatError("not a journal turn", {
      field: `line ${lineNumber}`,
      expected: "stamp, input, draws and actions",
    });
  }
  // Left out, it would make the replay differ at some later turn, without the reason.
  if (value.input.kind === "command" && !Object.hasOwn(COMMANDS, value.input.command.command)) {
    throw new FormatError("has a command that this version of the program does not know", {
      field: `line ${lineNumber}`,
      value: value.input.command.command,
      expected: "the version that wrote the journal, or a newer one",
    });
  }
  return value as JournalTurn;
}

const COMMANDS: Readonly<Record<BotCommand["command"], true>> = {
  start: true,
  stop: true,
  halt: true,
  resume: true,
  release: true,
  flatten: true,
  configure: true,
  inherit: true,
  disinherit: true,
  reserve: true,
  asked: true,
};

/**
 * Reads a line written by {@link encodeJournal}. @throws FormatError naming the line if it is
 * corrupt
 */
export function decodeLine(line: string, lineNumber: number): object {
  try {
    const value: unknown = JSON.parse(line, (_key, held: unknown) => untagged(held));
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    // The line itself is not shown: a file that is not a journal may hold a key.
    throw new FormatError("corrupt journal line", {
      field: `line ${lineNumber}`,
      expected: "one JSON object",
      cause,
    });
  }
  throw new FormatError("corrupt journal line", {
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
      (file) =>
        isObject(file) &&
        typeof file.name === "string" &&
        typeof file.sha256 === "string" &&
        (file.version === undefined || typeof file.version === "string"),
    )
  );
}

/** True for an input that a journal can have: a `wake` is one of a backtest, which writes none. */
function isInput(held: unknown): held is BotInput {
  if (!isObject(held)) return false;
  if (held.kind === "event") return isObject(held.event) && typeof held.event.type === "string";
  if (held.kind === "timer") return typeof held.id === "number";
  if (held.kind === "leave") return typeof held.key === "string";
  if (held.kind === "reference")
    return isObject(held.update) && typeof held.update.source === "string";
  if (held.kind === "hedge")
    return (
      typeof held.venue === "string" && isObject(held.event) && typeof held.event.type === "string"
    );
  if (held.kind === "strategy") return typeof held.marketId === "string" && isObject(held.signal);
  return (
    held.kind === "command" && isObject(held.command) && typeof held.command.command === "string"
  );
}
