import { RunError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { fieldOf, holdsIn, listOperands } from "../bisect/condition.js";
import { parseCondition } from "../bisect/parse-condition.js";
import { searchJournal, usesStatistics } from "../bisect/search-journal.js";
import { type StatusDocument, statusReader } from "../bisect/status-fields.js";
import type { BotInput } from "../engine/input.js";
import { decodeHeader, decodeTurn, type JournalHeader } from "../journal/journal.js";
import type { FileLine, JournalLines } from "../journal/journal-lines.js";
import type { ReplayResult } from "../journal/journal-replay.js";
import { loadJournalStrategies, type ReplayParts } from "../journal/open-replay.js";
import { replayLines } from "../journal/replay-journal.js";
import { minimiseList } from "./minimise-list.js";
import { type CreatedIds, type NumberedTurn, SlicedReplay } from "./sliced-replay.js";

/** The condition of a slice, and the limit of its search. */
export interface ShrinkJournalOptions {
  /** The condition that the result still shows. */
  readonly when: string;
  /** The journal's name, for the head of the slice. */
  readonly journal: string;
  /** Replays of candidates at most. */
  readonly maxRuns: number;
  readonly parts?: ReplayParts | undefined;
}

/** A journal made small. */
export interface JournalSlice {
  /** Lines of a journal of its own, without line feeds. */
  readonly lines: readonly string[];
  /** Turns and characters of the replayed turns, of the prefix and of the slice. */
  readonly prefixTurns: number;
  readonly sliceTurns: number;
  readonly prefixCharacters: number;
  readonly sliceCharacters: number;
  /** The turn of the original after which the condition first held. */
  readonly foundTurn: number;
  readonly runs: number;
  /** False if the limit of replays ended the search: more may make the slice smaller. */
  readonly isComplete: boolean;
}

/** The result of a search for a slice. */
export interface JournalShrink {
  /** Undefined if the condition never held. */
  readonly slice: JournalSlice | undefined;
  /** The replay of the journal, up to the turn that was found. */
  readonly result: ReplayResult;
}

/** Most turns of a prefix: all of them are held in memory. */
const MOST_TURNS = 500_000;

/**
 * Shrinks a journal to the turns that a condition needs: the prefix up to the first turn after
 * which it holds, then the fewest inputs whose replay through the real bot makes it true in the
 * last turn. Whole groups of inputs are left out first, such as the frames of one market.
 * @param lines opens the journal anew; it is read twice
 * @throws ConfigError for a condition that cannot be read; FormatError for a corrupt journal;
 * RunError if the prefix is too long, or its replay does not repeat the condition
 */
export async function shrinkJournal(
  lines: () => JournalLines,
  options: ShrinkJournalOptions,
): Promise<JournalShrink> {
  const { found, result } = await searchJournal(lines(), options);
  if (found === undefined) return { slice: undefined, result };
  const { line, turn } = found.replayed;
  if (turn > MOST_TURNS)
    throw new RunError("is too far into the journal to be sliced", {
      field: "turn",
      value: String(turn),
      expected: `at most ${MOST_TURNS}: every turn is held in memory`,
    });
  const prefix = await readPrefix(lines(), line);
  const { strategies } = await loadJournalStrategies(prefix.header, options.parts);
  const header: JournalHeader = {
    ...prefix.header,
    slicedFrom: { journal: options.journal, when: options.when, turns: turn },
  };
  const shrinker = new JournalShrinker(header, strategies, options, prefix.turns);
  await shrinker.shrink();
  const sliced = shrinker.lines;
  await checkSlice(sliced, options);
  return {
    result,
    slice: {
      lines: sliced,
      prefixTurns: prefix.turns.length,
      sliceTurns: sliced.length - 1,
      prefixCharacters: prefix.characters,
      sliceCharacters: sliced.slice(1).reduce((sum, one) => sum + one.length + 1, 0),
      foundTurn: turn,
      runs: shrinker.runs,
      isComplete: shrinker.runs < options.maxRuns,
    },
  };
}

interface JournalPrefix {
  readonly header: JournalHeader;
  readonly turns: readonly NumberedTurn[];
  /** Of its turns, with their line feeds. */
  readonly characters: number;
}

async function readPrefix(lines: JournalLines, lastLine: number): Promise<JournalPrefix> {
  let header: JournalHeader | undefined;
  const turns: NumberedTurn[] = [];
  let characters = 0;
  for await (const { text, number } of lines) {
    if (header === undefined) header = decodeHeader(text);
    else {
      turns.push({ number: turns.length + 1, turn: decodeTurn(text, number) });
      characters += text.length + 1;
    }
    if (number >= lastLine) break;
  }
  return { header: header as JournalHeader, turns, characters };
}

class JournalShrinker {
  runs = 0;
  lines: readonly string[] = [];
  readonly #header: JournalHeader;
  readonly #strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly #options: ShrinkJournalOptions;
  readonly #read: (bot: SlicedReplay["bot"]) => StatusDocument;
  readonly #holds: (document: StatusDocument) => boolean;
  readonly #earlier: readonly NumberedTurn[];
  readonly #last: NumberedTurn;
  #original: CreatedIds | undefined;
  #heldBefore = false;

  constructor(
    header: JournalHeader,
    strategies: ReadonlyMap<MarketId, BoundStrategy>,
    options: ShrinkJournalOptions,
    turns: readonly NumberedTurn[],
  ) {
    this.#header = header;
    this.#strategies = strategies;
    this.#options = options;
    const condition = parseCondition(options.when, Object.keys(header.config.markets));
    this.#read = statusReader(listOperands(condition).flatMap((one) => fieldOf(one) ?? []));
    this.#holds = (document) => holdsIn(condition, document);
    this.#earlier = turns.slice(0, -1);
    this.#last = turns.at(-1) as NumberedTurn;
  }

  async shrink(): Promise<void> {
    const whole = this.#replay(this.#earlier);
    if (!whole.holds)
      throw new RunError("the replayed prefix does not repeat it", {
        field: "--when",
        value: this.#options.when,
        expected: "a condition that a second replay finds too",
      });
    this.#heldBefore = whole.heldBefore;
    this.#original = whole.replay.created;
    this.lines = whole.replay.lines;
    const groups = new Map<string, NumberedTurn[]>();
    for (const one of this.#earlier) {
      const name = groupName(one.turn.input);
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [one]);
      else group.push(one);
    }
    const kept = await minimiseList([...groups.values()], async (some) =>
      this.#try(some.flat().sort((one, other) => one.number - other.number)),
    );
    const turns = kept.flat().sort((one, other) => one.number - other.number);
    await minimiseList(turns, async (some) => this.#try(some));
  }

  /** Replays a candidate, and keeps it if the condition becomes true in its last turn as before. */
  #try(earlier: readonly NumberedTurn[]): boolean {
    if (this.runs >= this.#options.maxRuns) return false;
    this.runs += 1;
    const { replay, heldBefore, holds } = this.#replay(earlier);
    if (!holds || heldBefore !== this.#heldBefore) return false;
    this.lines = replay.lines;
    return true;
  }

  #replay(earlier: readonly NumberedTurn[]): {
    readonly replay: SlicedReplay;
    readonly heldBefore: boolean;
    readonly holds: boolean;
  } {
    const { when } = this.#options;
    const replay = new SlicedReplay(
      this.#header,
      this.#strategies,
      usesStatistics(when),
      this.#original,
    );
    this.#options.parts?.prepare?.(replay.bot);
    for (const turn of earlier) {
      replay.run(turn);
      // An exception in the middle is none that the journal had.
      if (replay.broke !== undefined) return { replay, heldBefore: false, holds: false };
    }
    const heldBefore = this.#holds(this.#read(replay.bot));
    replay.run(this.#last);
    const isBroken = replay.broke !== this.#last.turn.broke;
    return { replay, heldBefore, holds: !isBroken && this.#holds(this.#read(replay.bot)) };
  }
}

/** Inputs that are left out together first. */
function groupName(input: BotInput): string {
  switch (input.kind) {
    case "event": {
      const { event } = input;
      if ("marketId" in event) return `${event.type} ${event.marketId}`;
      return event.type === "stream" ? `stream ${event.stream}` : event.type;
    }
    case "reference":
      return `reference ${input.update.source}`;
    case "hedge":
      return `hedge ${input.venue} ${input.event.type}`;
    case "strategy":
      return `strategy ${input.marketId}`;
    case "command":
      return `command ${input.command.command}`;
    default:
      return input.kind;
  }
}

/** A slice must be a journal like any other: it replays without a difference, and is searchable. */
async function checkSlice(
  lines: readonly string[],
  { when, parts }: ShrinkJournalOptions,
): Promise<void> {
  const numbered = lines.map((text, at): FileLine => ({ number: at + 1, text, whole: true }));
  const { divergence } = await replayLines(numbered, { parts });
  const { found } = await searchJournal(numbered, { when, parts });
  if (divergence !== undefined || found === undefined)
    throw new RunError("the slice does not replay as it was recorded", {
      field: "--shrink",
      value: divergence === undefined ? when : `turn ${divergence.turn}: ${divergence.why}`,
      expected: "a slice that shows the condition; please report this",
    });
}
