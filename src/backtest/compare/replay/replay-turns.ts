import { NEVER } from "rxjs";
import { Bot } from "../../../bot/engine/bot.js";
import type { BotInput } from "../../../bot/engine/input.js";
import { decodeHeader, encodeJournal, type JournalHeader } from "../../../bot/journal/journal.js";
import type { FileLine } from "../../../bot/journal/journal-lines.js";
import { replayedHedgeVenues } from "../../../bot/journal/recorded-hedge-venues.js";
import { ReplayRuntime } from "../../../bot/journal/replay-runtime.js";
import { MemoryStateStore } from "../../../bot/state/state-dir.js";
import { FormatError } from "../../../core/errors.js";
import type { MarketId, Ms } from "../../../core/units.js";
import type { Intent } from "../../../strategies/intent.js";
import { type StrategyError, StrategyErrors } from "../../record/strategy-errors.js";
import type { Strategies } from "../../run/replay-options.js";
import { decodeRecordedTurn, type RecordedTurn } from "../../session/recorded-turns.js";
import type { RecordedIntent } from "../compare-intents.js";
import { HaltHistory, type HaltRecord } from "../halt-history.js";
import { type SessionMarketData, SessionReplayMarket } from "./session-replay-market.js";

/** The point at which the same inputs gave other intents. */
export interface IntentDifference {
  /** Counted from 1. */
  readonly turn: number;
  /** On the bot's clock. */
  readonly atMs: Ms;
  readonly why: string;
  /** As text; null where there was none. */
  readonly live: string | null;
  readonly replay: string | null;
}

/** The result of replaying the same inputs. */
export interface TurnReplayResult {
  readonly turns: number;
  readonly intents: number;
  /** Number of intents that were repeated in the same turn, byte for byte. */
  readonly equal: number;
  /** The first that was not. Nothing runs after it. */
  readonly firstDifference: IntentDifference | undefined;
  /** The first error of each market's strategy. */
  readonly strategyErrors: readonly StrategyError[];
  /** As far as it ran, from the bot's first view on. */
  readonly halts: readonly HaltRecord[];
}

/**
 * Feeds a fresh instance of the session's bot every input in the order and at the times of its
 * turns. Market data comes from the store's columns through the book of a backtest; everything else
 * comes as it was recorded. So the intents must be the same to the byte.
 * @param firstViewUs when the bot first saw a market that it decided on, microseconds of its clock.
 * @throws FormatError naming a line that is broken
 */
export async function replayTurns(
  lines: AsyncIterable<FileLine>,
  strategies: Strategies,
  data: readonly SessionMarketData[],
  intents: readonly RecordedIntent[],
  firstViewUs: number,
): Promise<TurnReplayResult> {
  let replay: TurnReplay | undefined;
  for await (const { number, text } of lines) {
    if (replay === undefined) {
      replay = new TurnReplay(decodeHeader(text), strategies, data, intents, firstViewUs);
      continue;
    }
    if (!replay.run(decodeRecordedTurn(text, number))) break;
  }
  if (replay === undefined)
    throw new FormatError("the file has no lines", {
      field: "line 1",
      expected: "the header of a recorded session",
    });
  return replay.result();
}

/** One bot driven by recorded turns. */
class TurnReplay {
  readonly #markets: ReadonlyMap<MarketId, SessionReplayMarket>;
  readonly #recorded: readonly RecordedIntent[];
  readonly #runtime: ReplayRuntime;
  readonly #bot: Bot;
  readonly #halts: HaltHistory;
  readonly #errors = new StrategyErrors();
  #turns = 0;
  #equal = 0;
  #ran = false;
  #wanted: Intent[] = [];
  #difference: IntentDifference | undefined;

  constructor(
    header: JournalHeader,
    strategies: Strategies,
    data: readonly SessionMarketData[],
    recorded: readonly RecordedIntent[],
    firstViewUs: number,
  ) {
    this.#markets = new Map(
      data.map((market) => [market.marketId, new SessionReplayMarket(market)]),
    );
    this.#recorded = recorded;
    this.#halts = new HaltHistory(
      header.stamp.monotonicMs + firstViewUs / 1000 - header.stamp.atMs,
    );
    this.#runtime = new ReplayRuntime(header.stamp);
    this.#bot = new Bot({
      config: header.config,
      accountAddress: header.account,
      rules: header.rules,
      strategies,
      venue: { events$: NEVER, submit: () => {}, resubscribe: () => {}, close: () => {} },
      runtime: this.#runtime,
      store: new MemoryStateStore(header.state),
      // The sending of requests from the outbox is an input.
      outbox: { enqueue: () => {} },
      listener: (notice) => {
        if (notice.kind === "intent") this.#wanted.push(notice.intent);
        this.#halts.onBotEvent(notice, this.#runtime.clock.monotonicMs());
        this.#errors.onBotEvent(notice, this.#runtime.clock.nowMs() * 1000);
      },
      keepsStatistics: false,
      bookFor: (marketId) => (this.#markets.get(marketId) as SessionReplayMarket).book,
      journal: {
        action: () => {},
        turn: () => {
          this.#ran = true;
        },
      },
      hedgeVenues: replayedHedgeVenues(header.hedgeVenues),
      madeAt: header.stamp,
      isReplay: true,
      dryRun: header.dryRun ?? false,
      isPaper: header.isPaper ?? false,
    });
  }

  /** Runs one turn. Returns false if its result differs from the recording. */
  run({ stamp, input, draws }: RecordedTurn): boolean {
    this.#turns += 1;
    this.#ran = false;
    this.#wanted = [];
    this.#runtime.begin(stamp, draws);
    const botInput = this.#inputOf(input);
    const why = typeof botInput === "string" ? botInput : this.#accept(botInput);
    this.#difference = this.#compare(stamp.atMs, why);
    return this.#difference === undefined;
  }

  result(): TurnReplayResult {
    const missing = this.#difference === undefined ? this.#recorded[this.#equal] : undefined;
    const firstDifference =
      missing === undefined
        ? this.#difference
        : {
            turn: missing.turn,
            atMs: Math.floor(missing.atUs / 1000),
            why: "the session recorded no input for this turn",
            live: textOf(missing),
            replay: null,
          };
    const halts = this.#halts.haltsUntil(this.#runtime.clock.monotonicMs());
    const { list: strategyErrors } = this.#errors;
    return {
      turns: this.#turns,
      intents: this.#recorded.length,
      equal: this.#equal,
      firstDifference,
      strategyErrors,
      halts,
    };
  }

  #inputOf(input: RecordedTurn["input"]): BotInput | string {
    if (input.kind !== "heard") return input;
    const event =
      this.#markets.get(input.marketId)?.nextEvent(input) ??
      `the store has no data of ${input.marketId}`;
    return typeof event === "string" ? event : { kind: "event", event };
  }

  /** Describes how the replay of a turn differs from its recording. */
  #accept(input: BotInput): string | undefined {
    try {
      this.#bot.accept(input);
    } catch (error) {
      return `the bot failed: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (!this.#ran)
      return input.kind === "timer"
        ? "the replayed bot set no such timer"
        : "the replayed bot had already stopped";
    return this.#runtime.difference;
  }

  #compare(atMs: Ms, why: string | undefined): IntentDifference | undefined {
    const turn = this.#turns;
    for (const intent of this.#wanted) {
      const live = this.#recorded[this.#equal];
      const [liveText, replayText] = [
        live?.turn === turn ? textOf(live) : null,
        encodeJournal(intent),
      ];
      if (liveText !== replayText)
        return {
          turn,
          atMs,
          why: liveText === null ? "live produced no new intent" : "the intents differ",
          live: liveText,
          replay: replayText,
        };
      this.#equal += 1;
    }
    const missed = this.#recorded[this.#equal];
    if (missed?.turn === turn)
      return {
        turn,
        atMs,
        why: why ?? "the replay produced no new intent",
        live: textOf(missed),
        replay: null,
      };
    return why === undefined ? undefined : { turn, atMs, why, live: null, replay: null };
  }
}

function textOf({ intent }: RecordedIntent): string {
  return encodeJournal(intent);
}
