import type { MarketId } from "../../core/units.js";
import type { LadderTrack } from "../../risk/ladder-track.js";
import type { Latch } from "../../risk/risk-ladder.js";
import type { BotContext } from "../engine/context.js";
import { LatchStore } from "../state/latch-store.js";

/**
 * The rungs that stay until a person resumes: kept for the next run, and told when they cannot be.
 */
export class PersistentLatches {
  readonly #context: BotContext;
  readonly #memory: LatchStore;
  /** Rungs of markets, or of measures, that this run does not have: kept until somebody resumes. */
  #strangers: readonly Latch[] = [];
  /** All, and those that are accepted, as they were written last. */
  #written = "[[],[]]";

  constructor(context: BotContext) {
    this.#context = context;
    this.#memory = new LatchStore(context.store, context.accountAddress);
  }

  /** Why the newest change is not in the state directory; undefined when it is. */
  get writeError(): string | undefined {
    return this.#memory.writeError;
  }

  /**
   * Gives the tracks what an earlier run left, as far as the file still has it so: what flattens no
   * more halts.
   * @throws CorruptStateError when it is broken, or another account's.
   */
  restore(tracks: readonly LadderTrack[]): void {
    const { rungs, accepted } = this.#memory.read();
    const strangers: Latch[] = [];
    const trackOf = (latch: Latch): LadderTrack | undefined =>
      tracks.find(
        ({ measure, marketId }) => measure === latch.measure && marketId === latch.marketId,
      );
    for (const latch of rungs) {
      const track = trackOf(latch);
      if (track === undefined) strangers.push(latch);
      else
        track.latch = {
          ...latch,
          action: track.rungs.some(({ action }) => action === latch.action) ? latch.action : "halt",
          why: foundBefore(latch.why),
        };
    }
    for (const latch of accepted) {
      const track = trackOf(latch);
      if (track !== undefined) track.accepted = latch;
    }
    this.#strangers = strangers;
    this.#written = JSON.stringify([rungs, accepted]);
  }

  /**
   * Writes down what stays of the tracks, and what of it is accepted, where it is other than
   * before.
   */
  update(tracks: readonly LadderTrack[]): void {
    const latches = [...this.#strangers, ...tracks.flatMap(({ latch }) => latch ?? [])];
    const accepted = tracks.flatMap((track) => track.accepted ?? []);
    const text = JSON.stringify([latches, accepted]);
    if (text === this.#written) return;
    this.#written = text;
    this.#reportWriteError(() => this.#memory.keep(latches, accepted));
  }

  /** A person resumes: all, or those of one market. */
  removeUnmatched(marketId: MarketId | undefined): void {
    this.#strangers =
      marketId === undefined ? [] : this.#strangers.filter((latch) => latch.marketId !== marketId);
  }

  /** Writes again what could not be written. */
  retry(): void {
    if (this.#memory.writeError !== undefined) this.#reportWriteError(() => this.#memory.retry());
  }

  /** A limit that was passed acts in this process whether it can be written down or not. */
  #reportWriteError(write: () => void): void {
    const before = this.#memory.writeError;
    write();
    const error = this.#memory.writeError;
    if ((error === undefined) === (before === undefined)) return;
    const [level, message] =
      error === undefined
        ? (["info", "the limit that was passed is written down now"] as const)
        : ([
            "error",
            "the limit that was passed is not written down: a bot that is started anew does not know it",
          ] as const);
    this.#context.notify({ kind: "log", level, message, fields: { error } });
  }
}

const IN_AN_EARLIER_RUN = " (found in an earlier run)";

function foundBefore(why: string): string {
  return why.endsWith(IN_AN_EARLIER_RUN) ? why : `${why}${IN_AN_EARLIER_RUN}`;
}
