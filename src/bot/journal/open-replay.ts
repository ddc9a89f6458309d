import { dirname } from "node:path";
import { FormatError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { Bot } from "../engine/bot.js";
import type { TurnStamp } from "../engine/input.js";
import { loadStrategy } from "../strategy/load-strategy.js";
import { decodeHeader, decodeTurn, type JournalHeader, type JournalTurn } from "./journal.js";
import type { FileLine, JournalLines } from "./journal-lines.js";
import {
  type ChangedStrategy,
  JournalReplay,
  type ReplayDivergence,
  type ReplayedTurn,
  type ReplayResult,
} from "./journal-replay.js";

/** Parts of a replayed bot that its journal does not name. */
export interface ReplayParts {
  /** By market, in place of the strategies that the journal names. */
  readonly strategies?: ReadonlyMap<MarketId, BoundStrategy>;
  /** Changes the bot before its first turn, as the recorded one was changed. */
  readonly prepare?: (bot: Bot) => void;
}

/** Options of {@link openReplay}. */
export interface OpenReplayOptions {
  readonly parts?: ReplayParts | undefined;
  /**
   * True to keep the statistics of the run too: markouts, quoted time and distance. They change
   * nothing that the bot does.
   */
  readonly keepsStatistics?: boolean;
  /** Called before each turn runs, with its number and its instant. */
  readonly beforeTurn?: (turn: number, stamp: TurnStamp) => void;
}

/** A journal that is ready to be replayed turn by turn. */
export interface OpenReplay {
  readonly header: JournalHeader;
  /** The replayed bot, as it is after the newest turn. */
  readonly bot: Bot;
  /** The turns, run as they are read. They end with the first that differs from the journal. */
  readonly turns: AsyncGenerator<ReplayedTurn, void>;
  /** The difference at which the turns have ended, if any. */
  readonly divergence: ReplayDivergence | undefined;
  /** Result up to the newest turn. */
  result(): ReplayResult;
  /** Closes the journal's file, wherever the turns are. */
  close(): Promise<void>;
}

/**
 * Creates the bot of a journal again and loads its strategies again, for a caller that reads the
 * bot between the turns.
 * @throws FormatError naming the line if it is not a journal; ConfigError if a strategy can no
 * longer be loaded. The turns throw FormatError for a line that is corrupt before the last one.
 */
export async function openReplay(
  lines: JournalLines,
  { keepsStatistics = false, beforeTurn, parts = {} }: OpenReplayOptions = {},
): Promise<OpenReplay> {
  const reader = read(lines);
  const first = await reader.next();
  if (first.done === true)
    throw new FormatError("the journal is empty", {
      field: "line 1",
      expected: "a journal's first line",
    });
  const header = decodeHeader(first.value.text);
  const { strategies, changed: changedStrategies } = await loadJournalStrategies(header, parts);
  const replay = new JournalReplay(header, strategies, keepsStatistics);
  parts.prepare?.(replay.bot);
  let tornLine: number | undefined;
  return {
    header,
    bot: replay.bot,
    turns: run(),
    get divergence() {
      return replay.divergence;
    },
    result: () => ({ ...replay.result(), changedStrategies, tornLine }),
    close: async () => {
      await reader.return();
    },
  };

  async function* run(): AsyncGenerator<ReplayedTurn, void> {
    for await (const line of reader) {
      const turn = turnOf(line);
      if (turn === undefined) {
        tornLine = line.number;
        return;
      }
      beforeTurn?.(replay.bot.turns + 1, turn.stamp);
      yield replay.run(turn, line.number);
      if (replay.divergence !== undefined) return;
    }
  }
}

async function* read(lines: JournalLines): AsyncGenerator<FileLine, void> {
  yield* lines;
}

/** Undefined for a last line that was cut short. */
function turnOf({ text, number, whole }: FileLine): JournalTurn | undefined {
  try {
    return decodeTurn(text, number);
  } catch (error) {
    if (whole || !(error instanceof FormatError)) throw error;
    return undefined;
  }
}

/**
 * Loads the strategies of a journal again, and finds those that have changed since.
 * @throws ConfigError if one can no longer be loaded
 */
export async function loadJournalStrategies(
  { config, strategies: files }: JournalHeader,
  { strategies: given }: ReplayParts = {},
): Promise<{
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly changed: readonly ChangedStrategy[];
}> {
  const strategies = new Map<MarketId, BoundStrategy>();
  const changed: ChangedStrategy[] = [];
  for (const [marketId, { strategy, params }] of Object.entries(config.markets)) {
    if (strategy === undefined) continue;
    const ready = given?.get(marketId);
    if (ready !== undefined) {
      strategies.set(marketId, ready);
      continue;
    }
    const folder = dirname(config.path);
    const loaded = await loadStrategy(strategy, folder, `markets.${marketId}.strategy`);
    strategies.set(marketId, loaded.strategy.bind(params, { at: ["markets", marketId, "params"] }));
    if (files === undefined) continue;
    const { sha256: recorded, version: recordedVersion } = files[marketId] ?? {};
    const { name, sha256: found, version: foundVersion } = loaded;
    if (recorded === found && recordedVersion === foundVersion) continue;
    changed.push({
      marketId,
      name,
      recorded,
      found,
      ...(recordedVersion === undefined ? {} : { recordedVersion }),
      ...(foundVersion === undefined ? {} : { foundVersion }),
    });
  }
  return { strategies, changed };
}
