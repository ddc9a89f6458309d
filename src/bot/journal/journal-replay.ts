import type { MarketId } from "../../core/units.js";
import type { Action } from "../../exchange/venue.js";
import type { HedgeAction } from "../../hedge/hedge-venue.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { BotPhase } from "../engine/context.js";
import type { BotInput, TurnStamp } from "../engine/input.js";
import {
  encodeJournal,
  type JournalHeader,
  type JournalTurn,
  type RecordedHedgeAction,
  type TurnRecorder,
} from "./journal.js";
import { replayBotOptions } from "./replay-bot-options.js";
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

/** A bot that a journal drives. */
export class JournalReplay implements TurnRecorder {
  readonly bot: Bot;
  divergence: ReplayDivergence | undefined;
  readonly #header: JournalHeader;
  readonly #runtime: ReplayRuntime;
  #turns = 0;
  #actionCount = 0;
  #broke: string | undefined;
  #lastMonotonicMs: number;
  #actions: Action[] = [];
  #hedgeActions: RecordedHedgeAction[] = [];
  #notices: BotEvent[] = [];
  #ran = false;

  constructor(
    header: JournalHeader,
    strategies: ReadonlyMap<MarketId, BoundStrategy>,
    keepsStatistics: boolean,
  ) {
    this.#header = header;
    this.#runtime = new ReplayRuntime(header.stamp);
    this.#lastMonotonicMs = header.stamp.monotonicMs;
    this.bot = new Bot({
      ...replayBotOptions(header, strategies),
      runtime: this.#runtime,
      // When the outbox sends an item is an input of the journal.
      outbox: { enqueue: () => {} },
      listener: (notice) => this.#notices.push(notice),
      journal: this,
      keepsStatistics,
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
      this.bot.accept(turn.input);
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
      phase: this.bot.phase,
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
            `phase ${this.bot.phase}`,
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
