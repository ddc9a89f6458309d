import { findDifferentValues } from "../config/config-change.js";
import type { Bot } from "../engine/bot.js";
import type { JournalLines } from "../journal/journal-lines.js";
import type { ReplayedTurn, ReplayResult } from "../journal/journal-replay.js";
import { openReplay, type ReplayParts } from "../journal/open-replay.js";
import { buildBotStatus } from "../status/bot-status.js";
import { CausalChain } from "./causal-chain.js";
import {
  type Condition,
  fieldOf,
  holdsIn,
  listOperands,
  type Operand,
  operandName,
  readOperand,
} from "./condition.js";
import { parseCondition } from "./parse-condition.js";
import { type StatusDocument, type StatusValue, statusReader } from "./status-fields.js";
import { UNRECORDED_KEYS } from "./status-shape.js";
import type { TracedLink } from "./traced-link.js";
import { hasBegun, hasEnded, type TurnRange } from "./turn-range.js";
import { TurnTrace } from "./turn-trace.js";
import { type ValueRange, ValueRanges } from "./value-ranges.js";

/** The values of a field before a turn and after it; none while it is missing. */
export interface FieldChange {
  readonly name: string;
  readonly before: readonly StatusValue[];
  readonly after: readonly StatusValue[];
}

/** A turn that a search has found. */
export interface FoundTurn {
  readonly replayed: ReplayedTurn;
  /** True if the condition held before the first turn of the range already. */
  readonly heldBefore: boolean;
  /** The fields of the condition; without one, every value of the status that changed. */
  readonly fields: readonly FieldChange[];
  /** In the order in which they happened; those of the turn are among them. */
  readonly chain: readonly TracedLink[];
}

/** The result of a search. */
export interface JournalSearch {
  /** The bot after the last replayed turn, for its instruments. */
  readonly bot: Bot;
  readonly found: FoundTurn | undefined;
  /** Turns in which the condition was evaluated. */
  readonly searched: number;
  readonly ranges: readonly ValueRange[];
  readonly result: ReplayResult;
}

/** The subject of a search, and its range. */
export interface JournalSearchOptions extends TurnRange {
  /** Its text; undefined for the first turn of the range. */
  readonly when?: string | undefined;
  readonly parts?: ReplayParts | undefined;
}

/** Keys that tell nothing of a turn: they change in every one, or a journal does not have them. */
const NOT_SHOWN: ReadonlySet<unknown> = new Set(["turn", "atMs", ...UNRECORDED_KEYS]);

/**
 * Replays a journal up to the first turn after which a condition holds. It reads each turn, since a
 * condition may hold for a while only.
 * @throws ConfigError for a condition that cannot be read, before the replay; errors of
 * {@link openReplay}
 */
export async function searchJournal(
  lines: JournalLines,
  options: JournalSearchOptions,
): Promise<JournalSearch> {
  let before: StatusDocument | undefined;
  let read: (bot: Bot) => StatusDocument = (bot) => ({ ...buildBotStatus(bot) });
  const replay = await openReplay(lines, {
    parts: options.parts,
    keepsStatistics: usesStatistics(options.when),
    beforeTurn: (turn, { atMs }) => {
      if (before === undefined && hasBegun(options, turn, atMs)) before = read(replay.bot);
    },
  });
  try {
    const { when } = options;
    const condition =
      when === undefined
        ? undefined
        : parseCondition(when, Object.keys(replay.header.config.markets));
    const operands = condition === undefined ? [] : listOperands(condition);
    if (condition !== undefined) read = statusReader(operands.flatMap((one) => fieldOf(one) ?? []));
    const ranges = new ValueRanges(operands);
    const trace = new TurnTrace(replay.bot);
    let heldBefore: boolean | undefined;
    let searched = 0;
    let found: { turn: Omit<FoundTurn, "chain">; chain: CausalChain<TracedLink> } | undefined;
    for await (const replayed of replay.turns) {
      if (replay.divergence !== undefined) break;
      const { turn, stamp } = replayed;
      const links = trace.take(replayed);
      if (found !== undefined) {
        if (!found.chain.follow(links)) break;
        continue;
      }
      if (before === undefined) continue;
      if (hasEnded(options, turn, stamp.atMs)) break;
      const after = read(replay.bot);
      ranges.take(after, turn, stamp.atMs);
      searched += 1;
      heldBefore ??= condition !== undefined && holdsIn(condition, before);
      if (condition === undefined || holdsIn(condition, after)) {
        const fields = fieldChanges(condition, operands, before, after);
        found = { turn: { replayed, heldBefore, fields }, chain: new CausalChain(links) };
        if (!found.chain.isOpenAt(turn, stamp.atMs)) break;
      }
      before = after;
    }
    return {
      bot: replay.bot,
      found: found === undefined ? undefined : { ...found.turn, chain: found.chain.links },
      searched,
      ranges: ranges.list(),
      result: replay.result(),
    };
  } finally {
    await replay.close();
  }
}

/** True if a condition may read statistics: they cost time in each turn, and most need none. */
export function usesStatistics(when: string | undefined): boolean {
  return when === undefined || /quoting|markouts/.test(when);
}

function fieldChanges(
  condition: Condition | undefined,
  operands: readonly Operand[],
  before: StatusDocument,
  after: StatusDocument,
): readonly FieldChange[] {
  if (condition !== undefined)
    return operands.map((operand) => ({
      name: operandName(operand),
      before: readOperand(operand, before),
      after: readOperand(operand, after),
    }));
  return listChangedValues(before, after);
}

/** The values of the status that a turn changed, without its number and its instant. */
export function listChangedValues(
  before: StatusDocument,
  after: StatusDocument,
): readonly FieldChange[] {
  return findDifferentValues(before, after)
    .filter(({ path: [key] }) => !NOT_SHOWN.has(key))
    .map(({ path, before: was, after: is }) => ({
      name: path.join("."),
      before: texts(was),
      after: texts(is),
    }));
}

function texts(value: unknown): readonly StatusValue[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "string")
    return [value];
  return [JSON.stringify(value)];
}
