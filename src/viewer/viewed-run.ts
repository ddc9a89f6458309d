import { statSync } from "node:fs";
import type { ComparedTurn, PartDifference } from "../bot/bisect/compare-journals.js";
import type { RunGrids } from "../bot/bisect/describe-input.js";
import { describeLink } from "../bot/bisect/describe-link.js";
import { replayNotes } from "../bot/bisect/replay-notes.js";
import { listChangedValues } from "../bot/bisect/search-journal.js";
import type { TracedLink } from "../bot/bisect/traced-link.js";
import { TurnTrace } from "../bot/bisect/turn-trace.js";
import type { JournalHeader } from "../bot/journal/journal.js";
import { type FileLine, readFileLines } from "../bot/journal/journal-lines.js";
import type { ReplayedTurn } from "../bot/journal/journal-replay.js";
import { type OpenReplay, openReplay } from "../bot/journal/open-replay.js";
import { buildBotStatus } from "../bot/status/bot-status.js";
import { buildFrameBook } from "../bot/status/frame.js";
import { FormatError } from "../core/errors.js";
import type { MarketId, Ms } from "../core/units.js";
import { KeptLinks } from "./kept-links.js";
import { RunTimeline, type TimelineSample } from "./run-timeline.js";
import { listStateChanges } from "./state-changes.js";
import { TurnStore } from "./turn-store.js";
import type { ShownIntent, ShownState, ShownTurn, ViewedRunSummary } from "./viewer-answers.js";

/** A turn that has just been replayed, and its links. */
export interface ReadTurn {
  readonly replayed: ReplayedTurn;
  readonly links: readonly TracedLink[];
}

/** A turn and the bot after it. */
export interface ReadState extends ReadTurn, ComparedTurn {
  readonly state: ShownState;
}

/** How much of a journal's file has been read, in characters. */
interface ReadProgress {
  size: number;
  read: number;
}

/**
 * One journal. It is replayed once, from its first turn on; then each kept turn can be read in any
 * order.
 */
export class ViewedRun {
  readonly store = new TurnStore();
  readonly timeline: RunTimeline;
  readonly #journal: string;
  readonly #replay: OpenReplay;
  readonly #progress: ReadProgress;
  readonly #markets: readonly MarketId[];
  readonly #grids: RunGrids;
  readonly #trace: TurnTrace;
  readonly #links: KeptLinks;
  readonly #intents = new Map<MarketId, ShownIntent>();
  #before: ShownState | undefined;
  #newestHalts = "";
  #failure: string | undefined;
  #isOver = false;

  private constructor(journal: string, replay: OpenReplay, progress: ReadProgress) {
    this.#journal = journal;
    this.#replay = replay;
    this.#progress = progress;
    this.#markets = Object.keys(replay.header.config.markets);
    const { traders, rules } = replay.bot.context;
    this.#grids = {
      instrument: (marketId) => traders.get(marketId)?.instrument,
      creditDecimals: rules.creditDecimals,
    };
    this.timeline = new RunTimeline(this.#markets);
    this.#trace = new TurnTrace(replay.bot);
    this.#links = new KeptLinks(this.store, this.#grids);
  }

  /**
   * Opens a journal.
   * @param isKept true if a turn that is about to run will be kept
   * @throws errors of {@link openReplay}
   */
  static async open(
    journal: string,
    isKept: (turn: number, atMs: Ms) => boolean,
  ): Promise<ViewedRun> {
    const progress = { size: 0, read: 0 };
    const replay = await openReplay(countedLines(journal, progress), {
      keepsStatistics: true,
      beforeTurn: (turn, { atMs }) => {
        if (run.#before === undefined && isKept(turn, atMs)) run.#before = run.#state();
      },
    });
    progress.size = statSync(journal).size;
    const run = new ViewedRun(journal, replay, progress);
    return run;
  }

  get header(): JournalHeader {
    return this.#replay.header;
  }

  /**
   * Replays the next turn. Undefined at the end of the journal, at a difference from it, and at a
   * line that cannot be read; the summary says which.
   */
  async next(): Promise<ReadTurn | undefined> {
    if (this.#isOver) return undefined;
    const replayed = await this.#nextTurn();
    if (replayed === undefined || this.#replay.divergence !== undefined) {
      this.#isOver = true;
      return undefined;
    }
    const links = this.#trace.take(replayed);
    for (const link of links)
      if (link.subject.step === "intent")
        this.#intents.set(link.subject.intent.marketId, {
          turn: link.turn,
          atMs: link.atMs,
          text: describeLink(link, this.#grids).text,
        });
    return { replayed, links };
  }

  /** The bot after the turn that has just been read. */
  read(turn: ReadTurn): ReadState {
    const state = this.#state();
    return { ...turn, state, status: { ...state.status } };
  }

  /** Keeps the turn that has just been read. @param parts where the other run differs in it */
  keep({ replayed, links, state }: ReadState, parts: readonly PartDifference[]): void {
    const { turn, line, stamp } = replayed;
    const before = this.#before ?? state;
    const kept = {
      line,
      atMs: stamp.atMs,
      links: this.#links.keep(links),
      parts,
      changes: listStateChanges(before, state),
    };
    this.store.add(turn, kept, before);
    this.timeline.add(turn, { ...this.#sample(state, links), isDifferent: parts.length > 0 });
    this.#before = state;
  }

  /** A turn as the page shows it; null for one that is not kept. */
  show(turn: number): ShownTurn | null {
    if (!this.store.has(turn)) return null;
    const { line, atMs } = this.store.events(turn);
    const { before, after } = this.store.states(turn);
    return {
      turn,
      line,
      atMs,
      state: after,
      changes: listChangedValues({ ...before.status }, { ...after.status }),
      chain: this.#links.chain(turn),
    };
  }

  summary(): ViewedRunSummary {
    const { config, account } = this.header;
    const { size, read } = this.#progress;
    return {
      journal: this.#journal,
      config: config.path,
      account,
      markets: this.#markets,
      firstTurn: this.store.firstTurn,
      lastTurn: this.store.lastTurn,
      keptBytes: this.store.bytes,
      readFraction: this.#isOver ? 1 : Math.min(1, read / Math.max(1, size)),
      notes: [
        ...replayNotes(this.#replay.result()),
        ...(this.#failure === undefined ? [] : [this.#failure]),
      ],
    };
  }

  /** Ends the replay, wherever it is, and closes the journal's file. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#replay.close();
  }

  async #nextTurn(): Promise<ReplayedTurn | undefined> {
    try {
      const { value } = await this.#replay.turns.next();
      return value ?? undefined;
    } catch (cause) {
      // The turns before a corrupt line are shown all the same.
      if (!(cause instanceof FormatError)) throw cause;
      this.#failure = `the journal cannot be read further: ${cause.message}`;
      return undefined;
    }
  }

  #state(): ShownState {
    const { bot } = this.#replay;
    return {
      status: buildBotStatus(bot),
      books: Object.fromEntries(
        bot.context.traderList.map((trader) => [trader.marketId, buildFrameBook(bot, trader)]),
      ),
      intents: Object.fromEntries(this.#intents),
    };
  }

  #sample(
    { status }: ShownState,
    links: readonly TracedLink[],
  ): Omit<TimelineSample, "isDifferent"> {
    const { atMs, equityQuote, activeHalts, streams, markets } = status;
    const halts = activeHalts
      .map(({ name, marketId }) => `${marketId ?? "all markets"}: ${name}`)
      .join(", ");
    // Equal texts are kept once.
    if (halts !== this.#newestHalts) this.#newestHalts = halts;
    const fills = links.flatMap(({ subject }) => (subject.step === "fill" ? [subject.trade] : []));
    return {
      atMs,
      equityQuote: Number(equityQuote ?? Number.NaN),
      positionBase: this.#markets.map((marketId) =>
        Number(markets[marketId]?.positionBase ?? Number.NaN),
      ),
      buys: fills.filter(({ side }) => side === "BUY").length,
      sells: fills.filter(({ side }) => side === "SELL").length,
      halts: this.#newestHalts,
      isDown: streams.some(({ state }) => state === "down"),
    };
  }
}

async function* countedLines(journal: string, progress: ReadProgress): AsyncGenerator<FileLine> {
  for await (const line of readFileLines(journal)) {
    progress.read += line.text.length + 1;
    yield line;
  }
}
