import { dirname } from "node:path";
import { NEVER } from "rxjs";
import { FormatError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { Action, Venue } from "../../exchange/venue.js";
import type { HedgeAction } from "../../hedge/hedge-venue.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { BotPhase } from "../engine/context.js";
import type { BotInput, TurnStamp } from "../engine/input.js";
import { MemoryStateStore } from "../state/state-dir.js";
import { loadStrategy } from "../strategy/load-strategy.js";
import {
  decodeHeader,
  decodeTurn,
  encodeJournal,
  type JournalHeader,
  type JournalTurn,
  type RecordedHedgeAction,
  type TurnRecorder,
} from "./journal.js";
import { type FileLine, readFileLines } from "./journal-lines.js";
import { replayedHedgeVenues } from "./recorded-hedge-venues.js";
import { ReplayRuntime } from "./replay-runtime.js";

/** One turn, run again. */
export interface ReplayedTurn {
  /** Counted from 1. */
  readonly turn: number;
  /** Of the journal's file, counted from 1; the header is the first. */
  readonly line: number;
  readonly stamp: TurnStamp;
  readonly input: BotInput;
  /**
   * The events that the bot emitted in the turn: intents with their reasons, halts, blocked plans,
   * the fate of orders.
   */
  readonly notices: readonly BotEvent[];
  /** The actions that it sent now: as recorded, unless this turn is the divergence. */
  readonly actions: readonly Action[];
}

/** The first difference between a replay and its journal. */
export interface ReplayDivergence {
  readonly turn: number;
  readonly line: number;
  readonly input: BotInput;
  readonly why: string;
  /** The journal's value, as journal text or in words. */
  readonly expected: string;
  readonly actual: string;
}

/** A strategy file that differs from the recorded one. */
export interface ChangedStrategy {
  readonly marketId: MarketId;
  readonly name: string;
  /** SHA-256 of its text and of its imports, then and now; undefined for a built-in. */
  readonly recorded: string | undefined;
  readonly found: string | undefined;
  /** Versions of a package, then and now; absent for a file and a built-in. */
  readonly recordedVersion?: string;
  readonly foundVersion?: string;
}

/** Result of a replay. */
export interface ReplayResult {
  readonly header: JournalHeader;
  /** Turns that ran as recorded, without the divergent one. */
  readonly turns: number;
  /** Actions of those turns: every one was repeated to the byte. */
  readonly actions: number;
  /**
   * Strategy files that have changed since the journal was recorded: the replay runs another
   * strategy.
   */
  readonly changedStrategies: readonly ChangedStrategy[];
  /** The first divergence; the replay ends there. */
  readonly divergence: ReplayDivergence | undefined;
  /** The journal's last line, if the end of its process cut it short; it is not replayed. */
  readonly tornLine: number | undefined;
  /** The exception of the last turn, then and now. */
  readonly broke: string | undefined;
  /** Phase of the bot when the journal ended: `stopped` after a clean shutdown. */
  readonly phase: BotPhase;
  /** Virtual time from the bot's creation to its last turn. */
  readonly spanMs: number;
}

/** Callbacks of a replay. */
export interface JournalReplayOptions {
  readonly onTurn?: (turn: ReplayedTurn) => void;
}

/**
 * Replays a journal (docs/ideas/design.md#one-event-at-a-time). The bot is created again from the
 * first line, and its strategies are loaded again. Each turn gets its recorded instant and draws,
 * and its actions before signing are compared with the journal byte for byte. It needs no key,
 * sends nothing, and does not wait for time to pass.
 * @throws ConfigError if there is no such file, RunError if it cannot be read; FormatError naming
 * the line if it is not a journal, has another version, or is corrupt before its last line;
 * ConfigError if a strategy can no longer be loaded.
 */
export async function replayJournal(
  path: string,
  options: JournalReplayOptions = {},
): Promise<ReplayResult> {
  return replayLines(readFileLines(path), options);
}

/** Replays journal lines from any source. */
export async function replayLines(
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  options: JournalReplayOptions = {},
): Promise<ReplayResult> {
  let replay: JournalReplay | undefined;
  let changedStrategies: readonly ChangedStrategy[] = [];
  let tornLine: number | undefined;
  for await (const line of lines) {
    if (replay === undefined) {
      const header = decodeHeader(line.text);
      const { strategies, changed } = await strategiesOf(header);
      changedStrategies = changed;
      replay = new JournalReplay(header, strategies);
      continue;
    }
    const turn = turnOf(line);
    if (turn === undefined) {
      tornLine = line.number;
      break;
    }
    const replayed = replay.run(turn, line.number);
    options.onTurn?.(replayed);
    if (replay.divergence !== undefined) break;
  }
  if (replay === undefined)
    throw new FormatError("the journal is empty", {
      field: "line 1",
      expected: "a journal's first line",
    });
  return { ...replay.result(), changedStrategies, tornLine };
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

async function strategiesOf({ config, strategies: files }: JournalHeader) {
  const strategies = new Map<MarketId, BoundStrategy>();
  const changed: ChangedStrategy[] = [];
  for (const [marketId, { strategy, params }] of Object.entries(config.markets)) {
    if (strategy === undefined) continue;
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

/** A bot that a journal drives. */
class JournalReplay implements TurnRecorder {
  divergence: ReplayDivergence | undefined;
  readonly #header: JournalHeader;
  readonly #runtime: ReplayRuntime;
  readonly #bot: Bot;
  #turns = 0;
  #actionCount = 0;
  #broke: string | undefined;
  #lastMonotonicMs: number;
  #actions: Action[] = [];
  #hedgeActions: RecordedHedgeAction[] = [];
  #notices: BotEvent[] = [];
  #ran = false;

  constructor(header: JournalHeader, strategies: ReadonlyMap<MarketId, BoundStrategy>) {
    this.#header = header;
    this.#runtime = new ReplayRuntime(header.stamp);
    this.#lastMonotonicMs = header.stamp.monotonicMs;
    this.#bot = new Bot({
      config: header.config,
      accountAddress: header.account,
      rules: header.rules,
      strategies,
      venue: silentVenue(),
      runtime: this.#runtime,
      store: new MemoryStateStore(header.state),
      // When the outbox sends an item is an input of the journal.
      outbox: { enqueue: () => {} },
      listener: (notice) => this.#notices.push(notice),
      hedgeVenues: replayedHedgeVenues(header.hedgeVenues),
      journal: this,
      madeAt: header.stamp,
      isReplay: true,
      // The recorded run kept statistics: a replay without them proves that they change nothing.
      keepsStatistics: false,
      dryRun: header.dryRun ?? false,
      isPaper: header.isPaper ?? false,
    });
  }

  action(action: Action): void {
    this.#actions.push(action);
  }

  hedgeAction(venue: string, action: HedgeAction): void {
    this.#hedgeActions.push({ venue, action });
  }

  turn(): void {
    this.#ran = true;
  }

  run(turn: JournalTurn, line: number): ReplayedTurn {
    this.#actions = [];
    this.#hedgeActions = [];
    this.#notices = [];
    this.#ran = false;
    this.#runtime.begin(turn.stamp, turn.draws);
    let broke: string | undefined;
    try {
      this.#bot.accept(turn.input);
    } catch (error) {
      broke = error instanceof Error ? error.message : String(error);
    }
    const replayed = {
      turn: this.#turns + 1,
      line,
      stamp: turn.stamp,
      input: turn.input,
      notices: this.#notices,
      actions: this.#actions,
    };
    this.divergence = this.#difference(turn, replayed, broke);
    if (this.divergence === undefined) {
      this.#broke = broke;
      this.#turns++;
      this.#actionCount += this.#actions.length;
      this.#lastMonotonicMs = turn.stamp.monotonicMs;
    }
    return replayed;
  }

  result(): Omit<ReplayResult, "tornLine" | "changedStrategies"> {
    return {
      header: this.#header,
      turns: this.#turns,
      actions: this.#actionCount,
      divergence: this.divergence,
      broke: this.#broke,
      phase: this.#bot.phase,
      spanMs: this.#lastMonotonicMs - this.#header.stamp.monotonicMs,
    };
  }

  #difference(
    turn: JournalTurn,
    { turn: number, line, input, actions }: ReplayedTurn,
    broke: string | undefined,
  ): ReplayDivergence | undefined {
    const differ = (why: string, expected: string, actual: string) => ({
      turn: number,
      line,
      input,
      why,
      expected,
      actual,
    });
    const recorded = encodeJournal(turn.actions);
    if (broke !== turn.broke)
      return differ("the bot failed", turn.broke ?? recorded, broke ?? "it did not fail");
    if (!this.#ran) {
      return input.kind === "timer"
        ? differ("the replayed bot set no such timer", `timer ${input.id}`, "none")
        : differ(
            "the replayed bot had already stopped",
            encodeJournal(input),
            `phase ${this.#bot.phase}`,
          );
    }
    const again = encodeJournal(actions);
    if (again !== recorded) return differ("the dispatched actions differ", recorded, again);
    const hedged = encodeJournal(turn.hedgeActions ?? []);
    const hedgedAgain = encodeJournal(this.#hedgeActions);
    if (hedgedAgain !== hedged)
      return differ("the actions at hedge venues differ", hedged, hedgedAgain);
    const draws = this.#runtime.difference;
    return draws === undefined
      ? undefined
      : differ("the number of random draws differs", `${turn.draws.length} draws`, draws);
  }
}

/** Responses come from the journal. */
function silentVenue(): Venue {
  return { events$: NEVER, submit: () => {}, resubscribe: () => {}, close: () => {} };
}
