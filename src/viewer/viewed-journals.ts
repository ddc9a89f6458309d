import {
  compareTurns,
  findDifferentSettings,
  type PartDifference,
} from "../bot/bisect/compare-journals.js";
import { parseCondition } from "../bot/bisect/parse-condition.js";
import { hasBegun, hasEnded, type TurnRange } from "../bot/bisect/turn-range.js";
import { ConfigError } from "../core/errors.js";
import type { Clock } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import { instantText } from "../history/day.js";
import { ConditionHistory, type SearchGoal } from "./condition-history.js";
import { ViewedRun } from "./viewed-run.js";
import type {
  DifferencesAnswer,
  DifferingTurn,
  JournalSummary,
  SearchAnswer,
  TimelineAnswer,
  TurnAnswer,
} from "./viewer-answers.js";

/** Longest time in which requests wait for the reading. */
const SLICE_MS: Ms = 20;
/** Most memory of kept turns, compressed: about a million turns of a bot with two markets. */
const MOST_KEPT_BYTES = 512 * 2 ** 20;
/** Conditions whose truth is remembered. */
const MOST_CONDITIONS = 8;
/** Differing turns in one answer. */
const MOST_DIFFERENCES = 200;

/** Options of {@link ViewedJournals.open}. */
export interface ViewedJournalsOptions extends TurnRange {
  readonly journal: string;
  /** A run to compare with. */
  readonly against?: string | undefined;
  /** The turn that is shown first; the first kept one by default. */
  readonly turn?: number | undefined;
  readonly clock: Clock;
  /** Most memory of kept turns, in bytes; 512 MiB by default. */
  readonly mostKeptBytes?: number;
}

/** A run, and maybe a second one that it is compared with, as a page reads them. */
export class ViewedJournals {
  readonly #options: ViewedJournalsOptions;
  #runs: readonly ViewedRun[] = [];
  #conditions: ReadonlyMap<string, ConditionHistory> = new Map();
  readonly #differing: DifferingTurn[] = [];
  #sliceEndMs: number;
  #hasBegun = false;
  #isRead = false;
  #isClosed = false;
  #note: string | undefined;

  private constructor(options: ViewedJournalsOptions) {
    this.#options = options;
    this.#sliceEndMs = options.clock.monotonicMs() + SLICE_MS;
  }

  /** Opens the journals without reading their turns. @throws errors of {@link ViewedRun.open} */
  static async open(options: ViewedJournalsOptions): Promise<ViewedJournals> {
    const viewed = new ViewedJournals(options);
    const { journal, against } = options;
    const first = await ViewedRun.open(journal, (turn, atMs) => hasBegun(options, turn, atMs));
    viewed.#runs = [first];
    if (against === undefined) return viewed;
    try {
      // Both begin in the same turn, whatever their clocks.
      viewed.#runs = [first, await ViewedRun.open(against, () => viewed.#hasBegun)];
    } catch (error) {
      await first.close();
      throw error;
    }
    return viewed;
  }

  /** Reads the journals to their end, in slices between which requests are answered. */
  async read(): Promise<void> {
    while (!this.#isClosed && (await this.#advance())) await this.#pause();
    this.#isRead = true;
  }

  summary(): JournalSummary {
    const [one, other] = this.#runs;
    const { turn } = this.#options;
    return {
      runs: this.#runs.map((run, index) => {
        const summary = run.summary();
        const isNoted = index === 0 && this.#note !== undefined;
        return isNoted ? { ...summary, notes: [...summary.notes, this.#note ?? ""] } : summary;
      }),
      isRead: this.#isRead,
      startTurn: turn ?? this.#firstTurn,
      settings:
        one === undefined || other === undefined
          ? []
          : findDifferentSettings(one.header, other.header),
      differing: this.#differing.length,
    };
  }

  /** A turn of each run. @throws ConfigError if none has it */
  turn(turn: number): TurnAnswer {
    const runs = this.#runs.map((run) => run.show(turn));
    if (runs.every((shown) => shown === null)) throw this.#noTurn(turn);
    return { turn, runs, parts: this.#partsOf(turn) };
  }

  /** The first turn at or after an instant. @throws ConfigError if the run is over by then */
  turnAt(atMs: Ms): number {
    const found = this.#runs[0]?.timeline.turnAt(atMs);
    if (found !== undefined) return found;
    const { store } = this.#run(0);
    const last = store.lastTurn;
    throw new ConfigError("is after the last turn", {
      field: "time",
      value: instantText(atMs),
      expected:
        last === undefined
          ? "a time of the run, once its turns are read"
          : `a time up to ${instantText(store.events(last).atMs)}`,
    });
  }

  /** The time line of a run; a range beyond its turns is cut to them. */
  timeline(run: number, fromTurn: number, toTurn: number, intervals: number): TimelineAnswer {
    const { store, timeline } = this.#run(run);
    const { firstTurn, lastTurn } = store;
    if (firstTurn === undefined || lastTurn === undefined) throw this.#noTurn(fromTurn);
    const within = (turn: number): number => Math.min(lastTurn, Math.max(firstTurn, turn));
    return timeline.intervals({
      fromTurn: within(fromTurn),
      toTurn: within(Math.max(fromTurn, toTurn)),
      intervals,
    });
  }

  /** Searches the turns of a run for a condition. @throws ConfigError if it cannot be read */
  async search(run: number, when: string, goal: SearchGoal, from: number): Promise<SearchAnswer> {
    const { store, header } = this.#run(run);
    const key = `${run} ${when}`;
    const history =
      this.#conditions.get(key) ??
      new ConditionHistory(parseCondition(when, Object.keys(header.config.markets)), store, () =>
        this.#pause(),
      );
    const others = [...this.#conditions].filter(([other]) => other !== key);
    this.#conditions = new Map([...others, [key, history] as const].slice(-MOST_CONDITIONS));
    return history.search(goal, from);
  }

  /** The turns from one on in which the runs differ. */
  differences(from: number): DifferencesAnswer {
    const found = this.#differing.filter(({ turn }) => turn >= from);
    return {
      turns: found.slice(0, MOST_DIFFERENCES),
      more: Math.max(0, found.length - MOST_DIFFERENCES),
    };
  }

  /** The nearest turn after or before one in which the runs differ. */
  nearestDifference(from: number, goal: Exclude<SearchGoal, "first">): DifferingTurn | undefined {
    return goal === "next"
      ? this.#differing.find(({ turn }) => turn > from)
      : this.#differing.findLast(({ turn }) => turn < from);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const run of this.#runs) await run.close();
  }

  /** Reads one turn of each run. @returns false at the end */
  async #advance(): Promise<boolean> {
    const [one, other] = this.#runs;
    const first = await one?.next();
    if (first !== undefined && this.#isAtBegin(first)) this.#hasBegun = true;
    const second = await other?.next();
    const newest = first ?? second;
    if (newest === undefined) return false;
    const { turn, stamp } = newest.replayed;
    if (hasEnded(this.#options, turn, stamp.atMs)) return false;
    if (!this.#hasBegun) return true;
    const states = [first && one?.read(first), second && other?.read(second)] as const;
    const parts = other === undefined ? [] : compareTurns(...states);
    if (states[0] !== undefined) one?.keep(states[0], parts);
    if (states[1] !== undefined) other?.keep(states[1], []);
    if (parts.length > 0) this.#differing.push({ turn, parts: namesOf(states, parts) });
    return this.#hasRoom(turn);
  }

  #isAtBegin({ replayed: { turn, stamp } }: { replayed: { turn: number; stamp: { atMs: Ms } } }) {
    return hasBegun(this.#options, turn, stamp.atMs);
  }

  #hasRoom(turn: number): boolean {
    const { mostKeptBytes = MOST_KEPT_BYTES } = this.#options;
    const bytes = this.#runs.reduce((sum, { store }) => sum + store.bytes, 0);
    if (bytes <= mostKeptBytes) return true;
    this.#note = `turn ${turn} is the last one that is kept: the turns take ${Math.round(mostKeptBytes / 2 ** 20)} MiB; --from ${turn + 1} shows later ones`;
    return false;
  }

  async #pause(): Promise<void> {
    const { clock } = this.#options;
    if (clock.monotonicMs() < this.#sliceEndMs) return;
    await new Promise<void>((resolve) => clock.setTimer(0, resolve));
    this.#sliceEndMs = clock.monotonicMs() + SLICE_MS;
  }

  get #firstTurn(): number | undefined {
    return this.#runs[0]?.store.firstTurn;
  }

  #partsOf(turn: number): readonly PartDifference[] {
    const store = this.#runs[0]?.store;
    return store?.has(turn) === true ? store.events(turn).parts : [];
  }

  #run(index: number): ViewedRun {
    const run = this.#runs[index];
    if (run !== undefined) return run;
    throw new ConfigError("does not exist", {
      field: "run",
      value: index,
      expected: `0${this.#runs.length > 1 ? " or 1" : ""}`,
    });
  }

  #noTurn(turn: number): ConfigError {
    const first = this.#firstTurn;
    const last = Math.max(0, ...this.#runs.map(({ store }) => store.lastTurn ?? 0));
    const range = first === undefined ? "none" : `turns ${first} to ${last}`;
    return new ConfigError("does not exist", {
      field: "turn",
      value: turn,
      expected: this.#isRead
        ? `a turn of the run: it has ${range}${this.#rangeNote()}`
        : `a turn that has been read: so far ${range}`,
    });
  }

  #rangeNote(): string {
    const { from, to } = this.#options;
    return from === undefined && to === undefined ? "" : " within --from and --to";
  }
}

/** The parts in which a turn differs; none if only one of the runs has it. */
function namesOf(
  states: readonly unknown[],
  parts: readonly PartDifference[],
): DifferingTurn["parts"] {
  return states.includes(undefined) ? [] : parts.map(({ part }) => part);
}
