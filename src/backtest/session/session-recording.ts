import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BotConfig } from "../../bot/config/config.js";
import type { Bot } from "../../bot/engine/bot.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import { encodeJournal, type JournalHeader, type TurnRecorder } from "../../bot/journal/journal.js";
import { JournalFile } from "../../bot/journal/journal-file.js";
import { listRuleChanges } from "../../bot/market/rule-changes.js";
import { maskProviderKeys } from "../../bot/run/chain-access.js";
import type { SessionBeginning, SessionListener } from "../../bot/run/session-listener.js";
import { ConfigError, RunError } from "../../core/errors.js";
import { replaceFile } from "../../core/files/atomic-file.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { Instrument, scaledToDecimal } from "../../core/instrument.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { MarketId } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { VenueEvent } from "../../exchange/venue.js";
import { hashFile } from "../../history/file-hash.js";
import { LocalStamps } from "../../history/record/local-stamps.js";
import { MarketStreamRecorder } from "../../history/record/market-stream-recorder.js";
import { MonotonicWallClock } from "../../history/record/monotonic-wall-clock.js";
import { ReferenceRecorders } from "../../history/record/reference-recorders.js";
import { HistoryStore } from "../../history/store/history-store.js";
import { playedReferences } from "../config/played-references.js";
import { TurnsWriter } from "./recorded-turns.js";
import { SESSION_FILES, type Session, sessionText } from "./session-file.js";

/** Options of a recording. */
export interface SessionRecordingOptions {
  /** Missing or empty. */
  readonly folder: string;
  readonly config: BotConfig;
  readonly mode: Session["mode"];
  readonly paper?: Session["paper"];
  /** Version of this package. */
  readonly version: string;
  readonly runtime: Runtime;
  /** Called once, when a write failed: the bot continues, the recording does not. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Each piece of turns is a gzip member of its own, so that a kill loses no other. A turn has about
 * 445 bytes, 50 when compressed; a piece costs the bot a quarter of a millisecond. A higher level
 * saves hardly any space, and the bot waits for it.
 */
const QUICK = 1;

/**
 * Records a whole session: each market's streams, orders and fills by a
 * {@link MarketStreamRecorder}, the reference prices that entered the bot, the intents with the
 * times of their decisions, and the state in which a replay begins. It writes `session.json` only
 * at a regular end, so what a kill leaves never looks complete.
 */
export class SessionRecording implements SessionListener {
  readonly #options: SessionRecordingOptions;
  readonly #beginning: SessionBeginning;
  readonly #recorders: ReadonlyMap<MarketId, MarketStreamRecorder>;
  readonly #references: ReferenceRecorders;
  readonly #intents: JournalFile;
  readonly #turnsFile: JournalFile;
  #turns: TurnsWriter | undefined;
  /** The rules as last read. */
  #rules: VenueRules;
  readonly #stamps: LocalStamps;
  readonly #startedUs: number;
  #start: Session["start"] = null;
  #transfersBefore = 0n;
  #count = 0;
  #failed: { readonly error: unknown } | undefined;
  #bot: Bot | undefined;
  #isOver = false;

  private constructor(
    options: SessionRecordingOptions,
    beginning: SessionBeginning,
    recorders: ReadonlyMap<MarketId, MarketStreamRecorder>,
    references: ReferenceRecorders,
  ) {
    this.#options = options;
    this.#beginning = beginning;
    this.#rules = beginning.rules;
    this.#recorders = recorders;
    this.#references = references;
    this.#stamps = new LocalStamps(new MonotonicWallClock(options.runtime.clock));
    this.#startedUs = this.#stamps.nowUs();
    const { folder, runtime } = options;
    this.#intents = new JournalFile(join(folder, SESSION_FILES.intents), runtime.clock);
    this.#turnsFile = new JournalFile(join(folder, SESSION_FILES.turns), runtime.clock, (lines) =>
      gzipSync(lines, { level: QUICK }),
    );
  }

  /**
   * Refuses an unsuitable folder before anything of a session has begun.
   * @throws ConfigError where it is not empty, or cannot be made
   */
  static claim(folder: string): void {
    try {
      makeFolder(folder);
      if (readdirSync(folder).length === 0) return;
    } catch (cause) {
      throw new ConfigError("cannot be written", {
        field: "--record",
        value: folder,
        expected: "a path in a writable folder",
        cause,
      });
    }
    const wrong = existsSync(join(folder, SESSION_FILES.unfinished))
      ? "holds a session that was not ended"
      : "is not empty";
    throw new ConfigError(wrong, {
      field: "--record",
      value: folder,
      expected: "an empty folder, or one that does not exist yet",
    });
  }

  /**
   * Begins a recording.
   * @throws RunError or HistoryError where nothing can be written
   */
  static async begin(
    options: SessionRecordingOptions,
    beginning: SessionBeginning,
  ): Promise<SessionRecording> {
    const { folder, config, runtime } = options;
    const { rules, account } = beginning;
    replaceFile(
      join(folder, SESSION_FILES.unfinished),
      `${JSON.stringify({ account, exchange: config.exchange.rest })}\n`,
    );
    const store = new HistoryStore(join(folder, SESSION_FILES.history));
    const recorders = new Map<MarketId, MarketStreamRecorder>();
    const begun: { recording?: SessionRecording } = {};
    const onFailed = (error: unknown): void => {
      if (begun.recording !== undefined) begun.recording.#fail(error);
    };
    for (const marketId of Object.keys(config.markets)) {
      const market = rules.markets[marketId];
      if (market === undefined)
        throw new RunError("has no rules", {
          field: `markets.${marketId}`,
          expected: "a market that the exchange lists",
        });
      const { tickSize, stepSize } = market;
      const instrument = new Instrument({
        marketId,
        tickSize,
        stepSize,
        creditDecimals: rules.creditDecimals,
        paperDecimals: rules.paperDecimals,
      });
      const source = `${config.exchange.rest} account ${account}`;
      recorders.set(
        marketId,
        await MarketStreamRecorder.open({
          store,
          instrument,
          source,
          runtime,
          sealsDays: false,
          onFailed,
        }),
      );
    }
    const { outside } = playedReferences(config, Object.keys(config.markets));
    const references = await ReferenceRecorders.open({
      store,
      sources: outside.map(({ source }) => source),
      runtime,
      sealsDays: false,
      onFailed,
    });
    begun.recording = new SessionRecording(options, beginning, recorders, references);
    return begun.recording;
  }

  createTurnRecorder(header: JournalHeader): TurnRecorder {
    const turns = new TurnsWriter(this.#turnsFile, header);
    this.#turns = turns;
    return {
      action: () => {},
      turn: (record) => {
        if (this.#isOver) return;
        this.#guarded(() => turns.turn(record));
        const { input } = record;
        // The bot's own inputs: a source may have sent more.
        if (input.kind === "reference") this.#references.record(input.update);
      },
    };
  }

  onVenueEvent(event: VenueEvent): void {
    this.#guarded(() => {
      for (const recorder of this.#recorders.values()) {
        const number = recorder.recordEvent(event);
        // A turn with this event stores only its number.
        if (number !== undefined) this.#turns?.registerStored(event, number);
      }
      if (
        event.type === "answer" &&
        event.outcome.result === "answered" &&
        event.outcome.ask === "rules"
      )
        this.#rulesRead(event.outcome.data);
    });
  }

  /** A replay uses the rules of the session's beginning throughout. */
  #rulesRead(now: VenueRules): void {
    for (const [marketId, recorder] of this.#recorders) {
      const [before, after] = [this.#rules.markets[marketId], now.markets[marketId]];
      const changes =
        before === undefined || after === undefined ? [] : listRuleChanges(before, after);
      if (changes.length > 0)
        recorder.addFinding(
          `the market's rules changed, but a replay uses those of the start: ${changes.join("; ")}`,
        );
    }
    this.#rules = now;
  }

  onBotEvent(notice: BotEvent, bot: Bot): void {
    this.#bot = bot;
    if (notice.kind === "dispatched") {
      const { action } = notice;
      const level =
        action.kind === "place" ? bot.context.account.orders.get(action.hash)?.level : undefined;
      this.#guarded(() => {
        for (const recorder of this.#recorders.values()) recorder.recordAction(action, level);
      });
    } else if (notice.kind === "intent") {
      this.#guarded(() => {
        if (this.#start === null) {
          this.#start = this.#startOf(bot);
          this.#transfersBefore = bot.context.account.transferred;
        }
        this.#count += 1;
        const turn = (this.#turns?.count ?? 0) + 1;
        this.#intents.write(
          encodeJournal({ atUs: this.#stamps.nowUs(), turn, intent: notice.intent }),
        );
      });
    }
  }

  /**
   * Ends the recording: seals all files, then writes its name.
   * @throws RunError when something of it could not be written, HistoryError as a recorder's close
   * does; it then stays unnamed
   */
  async close(): Promise<Session> {
    const endedUs = this.#stamps.nowUs();
    await this.abandon();
    const { folder, config, mode, version, paper } = this.#options;
    if (this.#failed !== undefined) {
      throw new RunError("the recording of the session is incomplete", {
        field: "--record",
        value: folder,
        expected: "a writable disk with free space",
        cause: this.#failed.error,
      });
    }
    const { rules, account } = this.#beginning;
    const session: Session = {
      version,
      mode,
      exchange: config.exchange.rest,
      account,
      startedUs: this.#startedUs,
      endedUs,
      rules,
      config: maskProviderKeys(config),
      paper,
      start: this.#start,
      end: this.#endOf(),
      intents: { count: this.#count, sha256: await hashFile(this.#intents.path) },
      turns: { count: this.#turns?.count ?? 0, sha256: await hashFile(this.#turnsFile.path) },
    };
    replaceFile(join(folder, SESSION_FILES.session), sessionText(session));
    rmSync(join(folder, SESSION_FILES.unfinished));
    return session;
  }

  /**
   * Ends the recording without its name: the bot failed, or never began. Does nothing if it was
   * ended already.
   */
  async abandon(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const file of [this.#intents, this.#turnsFile]) this.#closeFile(file);
    const thrown: unknown[] = [];
    for (const recorder of [...this.#recorders.values(), this.#references])
      await recorder.close().catch((error: unknown) => thrown.push(error));
    // An earlier failure has been reported, and throws again here.
    if (this.#failed === undefined && thrown.length > 0) throw thrown[0];
  }

  /** Also after a failure: a file that stays open keeps its timer. */
  #closeFile(file: JournalFile): void {
    try {
      file.close();
    } catch (error) {
      this.#fail(error);
    }
  }

  #startOf(bot: Bot): Session["start"] {
    const { account, rules } = bot.context;
    return {
      equityQuote: scaledToDecimal(account.startEquity ?? 0n, rules.creditDecimals),
      positionsBase: positionsOf(bot),
    };
  }

  #endOf(): Session["end"] {
    if (this.#bot === undefined) return { positionsBase: {}, profitQuote: {}, transfersQuote: "0" };
    const { account } = this.#bot.context;
    const { decimals, ...parts } = account.profit();
    const transfersQuote = scaledToDecimal(
      account.transferred - this.#transfersBefore,
      this.#beginning.rules.creditDecimals,
    );
    const profitQuote = Object.fromEntries(
      Object.entries(parts).map(([name, value]) => [name, scaledToDecimal(value, decimals)]),
    );
    return { positionsBase: positionsOf(this.#bot), profitQuote, transfersQuote };
  }

  #guarded(write: () => void): void {
    if (this.#failed !== undefined) return;
    try {
      write();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Reported once. */
  #fail(error: unknown): void {
    if (this.#failed !== undefined) return;
    this.#failed = { error };
    this.#options.onFailed(error);
  }
}

function positionsOf(bot: Bot): Record<string, string> {
  const { account, traders } = bot.context;
  return Object.fromEntries(
    [...traders].map(([id, trader]) => [
      id,
      trader.instrument.formatAmount(account.positionLots(id)),
    ]),
  );
}
