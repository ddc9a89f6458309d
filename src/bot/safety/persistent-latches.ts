import type { MarketId } from "../../core/units.js";
import type { LadderTrack } from "../../risk/ladder-track.js";
import type { Latch } from "../../risk/risk-ladder.js";
import type { BotContext } from "../engine/context.js";
import { LatchStore } from "../state/latch-store.js";

/**
 * The rungs that last until an operator resumes: persisted for the next run, with a report if that
 * fails.
 */
export class PersistentLatches {
  readonly #context: BotContext;
  readonly #memory: LatchStore;
  /**
   * Rungs of markets, or of measures, that this run does not have: kept until an operator resumes.
   */
  #strangers: readonly Latch[] = [];
  /** All rungs, and the accepted ones, as last written. */
  #written = "[[],[]]";

  constructor(context: BotContext) {
    this.#context = context;
    this.#memory = new LatchStore(context.store, context.accountAddress);
  }

  /** Why the newest change is not in the state directory; undefined if it is. */
  get writeError(): string | undefined {
    return this.#memory.writeError;
  }

  /**
   * Restores the tracks of an earlier run, as far as the file still has the same rungs: a rung that
   * no longer flattens halts.
   * @throws CorruptStateError if the file is corrupt, or another account's.
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

  /** Persists the latched rungs of the tracks, and the accepted ones, if they have changed. */
  update(tracks: readonly LadderTrack[]): void {
    const latches = [...this.#strangers, ...tracks.flatMap(({ latch }) => latch ?? [])];
    const accepted = tracks.flatMap((track) => track.accepted ?? []);
    const text = JSON.stringify([latches, accepted]);
    if (text === this.#written) return;
    this.#written = text;
    this.#reportWriteError(() => this.#memory.keep(latches, accepted));
  }

  /** An operator resumes: all, or those of one market. */
  removeUnmatched(marketId: MarketId | undefined): void {
    this.#strangers =
      marketId === undefined ? [] : this.#strangers.filter((latch) => latch.marketId !== marketId);
  }

  /** Retries a write that failed. */
  retry(): void {
    if (this.#memory.writeError !== undefined) this.#reportWriteError(() => this.#memory.retry());
  }

  /** A limit that was passed acts in this process even if that cannot be persisted. */
  #reportWriteError(write: () => void): void {
    const before = this.#memory.writeError;
    write();
    const error = this.#memory.writeError;
    if ((error === undefined) === (before === undefined)) return;
    const [level, message] =
      error === undefined
        ? (["info", "the limit that was passed is persisted now"] as const)
        : ([
            "error",
            "the limit that was passed cannot be persisted: a restarted bot would not know it",
          ] as const);
    this.#context.notify({ kind: "log", level, message, fields: { error } });
  }
}

const IN_AN_EARLIER_RUN = " (found in an earlier run)";

function foundBefore(why: string): string {
  return why.endsWith(IN_AN_EARLIER_RUN) ? why : `${why}${IN_AN_EARLIER_RUN}`;
}
