import type { Ms } from "../../core/units.js";
import { type DifferentValue, findDifferentValues } from "../config/config-change.js";
import { toRunningValues } from "../config/running-values.js";
import { encodeJournal, type JournalHeader } from "../journal/journal.js";
import type { JournalLines } from "../journal/journal-lines.js";
import type { ReplayedTurn, ReplayResult } from "../journal/journal-replay.js";
import { type OpenReplay, openReplay } from "../journal/open-replay.js";
import { type BotStatus, buildBotStatus } from "../status/bot-status.js";
import type { StatusDocument } from "./status-fields.js";
import { UNRECORDED_KEYS } from "./status-shape.js";
import { hasBegun, hasEnded, type TurnRange } from "./turn-range.js";

/** The parts of a turn that are compared. */
export type TurnPart = "input" | "intents" | "actions" | "status";

/** One part of a turn in which two runs differ. */
export interface PartDifference {
  readonly part: TurnPart;
  /** Paths within the part; `before` is of the first run, `after` of the other. */
  readonly values: readonly DifferentValue[];
}

/** A turn in which two runs differ. */
export interface TurnDifference {
  readonly turn: number;
  /** Wall clock of the turn in each run; undefined for a run that has ended. */
  readonly atMs: readonly [Ms | undefined, Ms | undefined];
  readonly parts: readonly PartDifference[];
}

/** Result of a comparison of two runs. */
export interface JournalComparison {
  /** Values that the runs began with, where they differ: account, strategies, trading values. */
  readonly settings: readonly DifferentValue[];
  /** Turns that both runs have, in the range, up to the last one that was compared. */
  readonly compared: number;
  /** From the first difference on, as many turns as were asked for. */
  readonly differences: readonly TurnDifference[];
  readonly results: readonly [ReplayResult, ReplayResult];
}

/** A turn of one of two runs, and the status after it. */
export interface ComparedTurn {
  readonly replayed: ReplayedTurn;
  readonly status: StatusDocument;
}

/** Where two runs are compared. */
export interface JournalComparisonOptions extends TurnRange {
  /** Most turns that are returned, the first difference included. */
  readonly mostTurns: number;
}

/** Keys of the status that are of the run, not of what it did, and those that no journal has. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  "config",
  "account",
  "atMs",
  "startedAtMs",
  ...UNRECORDED_KEYS,
]);

/**
 * Replays two journals side by side and finds the first turn in which they differ: in the input,
 * the intents, the actions or the status after it. The clock of the turns is not compared.
 * @throws errors of {@link openReplay}
 */
export async function compareJournals(
  first: JournalLines,
  other: JournalLines,
  options: JournalComparisonOptions,
): Promise<JournalComparison> {
  const one = await openReplay(first);
  const two = await openReplay(other).catch(async (error: unknown) => {
    await one.close();
    throw error;
  });
  const differences: TurnDifference[] = [];
  let compared = 0;
  try {
    while (differences.length < options.mostTurns) {
      const turns = [await nextTurn(one), await nextTurn(two)] as const;
      const [turn] = turns.filter((found) => found !== undefined);
      if (turn === undefined || one.divergence !== undefined || two.divergence !== undefined) break;
      if (hasEnded(options, turn.turn, turn.stamp.atMs)) break;
      if (!hasBegun(options, turn.turn, turn.stamp.atMs)) continue;
      if (turns[0] !== undefined && turns[1] !== undefined) compared += 1;
      const parts = compareTurns(
        turns[0] && { replayed: turns[0], status: { ...buildBotStatus(one.bot) } },
        turns[1] && { replayed: turns[1], status: { ...buildBotStatus(two.bot) } },
      );
      if (parts.length > 0 || differences.length > 0)
        differences.push({
          turn: turn.turn,
          atMs: [turns[0]?.stamp.atMs, turns[1]?.stamp.atMs],
          parts,
        });
    }
  } finally {
    await one.close();
    await two.close();
  }
  return {
    settings: findDifferentSettings(one.header, two.header),
    compared,
    differences,
    results: [one.result(), two.result()],
  };
}

async function nextTurn(replay: OpenReplay): Promise<ReplayedTurn | undefined> {
  const { value } = await replay.turns.next();
  return value ?? undefined;
}

/** Values that two runs began with, where they differ: account, strategies, trading values. */
export function findDifferentSettings(
  one: JournalHeader,
  other: JournalHeader,
): readonly DifferentValue[] {
  return findDifferentValues(settingsOf(one), settingsOf(other));
}

/** The settings that decide what a run does; addresses of venues, which may hold keys, are none. */
function settingsOf({ account, config, strategies = {} }: JournalHeader): unknown {
  const { markets, ...values } = toRunningValues(config);
  return {
    account,
    ...values,
    markets: Object.fromEntries(
      Object.entries(markets).map(([marketId, market]) => [
        marketId,
        {
          ...market,
          strategy: config.markets[marketId]?.strategy,
          strategySha256: strategies[marketId]?.sha256,
        },
      ]),
    ),
  };
}

/**
 * The parts in which a turn of two runs differs; none if it is equal.
 * @param one undefined for a run that has ended
 */
export function compareTurns(
  one: ComparedTurn | undefined,
  two: ComparedTurn | undefined,
): readonly PartDifference[] {
  if (one === undefined || two === undefined)
    return [{ part: "input", values: differentTexts(one?.replayed.input, two?.replayed.input) }];
  const parts: readonly (readonly [TurnPart, unknown, unknown])[] = [
    ["input", one.replayed.input, two.replayed.input],
    ["intents", intentsOf(one.replayed), intentsOf(two.replayed)],
    ["actions", one.replayed.actions, two.replayed.actions],
    ["status", comparedStatus(one.status), comparedStatus(two.status)],
  ];
  return parts.flatMap(([part, before, after]) => {
    const values = differentTexts(before, after);
    return values.length === 0 ? [] : [{ part, values }];
  });
}

/** The differences of two values as a journal would have them. */
function differentTexts(before: unknown, after: unknown): readonly DifferentValue[] {
  const [one, other] = [textOf(before), textOf(after)];
  return one === other ? [] : findDifferentValues(JSON.parse(one), JSON.parse(other));
}

function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? encodeJournal(value) : "null";
}

function intentsOf({ notices }: ReplayedTurn): unknown {
  return notices.flatMap((notice) => (notice.kind === "intent" ? [notice.intent] : []));
}

/** Statistics follow from the rest, and a replay need not keep them. */
function comparedStatus({ markets, ...status }: StatusDocument): unknown {
  const kept = Object.entries(status).filter(([key]) => !NOT_COMPARED.has(key));
  const withoutStatistics = Object.entries(markets as BotStatus["markets"]).map(
    ([marketId, { quoting: _, markouts: __, ...market }]) => [marketId, market] as const,
  );
  return { ...Object.fromEntries(kept), markets: Object.fromEntries(withoutStatistics) };
}
