import type { MarketId } from "../../core/units.js";
import { createManualHalt, type HaltRequest } from "../../risk/halt.js";
import type { BotContext } from "../engine/context.js";
import { type ManualHalt, ManualHaltStore } from "../state/manual-halt-store.js";

/**
 * Manual halts, persisted for the next run. Reports when one is found again or cannot be persisted.
 */
export class ManualHalts {
  readonly #context: BotContext;
  readonly #memory: ManualHaltStore;
  /**
   * Halts of earlier runs, until an operator halts or resumes again: a bot may be halted before it
   * starts.
   */
  #fromEarlierRuns: readonly ManualHalt[];

  /** @throws CorruptStateError if the file is corrupt, or another account's. */
  constructor(context: BotContext) {
    this.#context = context;
    this.#memory = new ManualHaltStore(context.store, context.accountAddress);
    this.#fromEarlierRuns = this.#memory.read();
  }

  /** Why the newest change is not in the state directory; undefined if it is. */
  get writeError(): string | undefined {
    return this.#memory.writeError;
  }

  /** Halts given to earlier runs that were not resumed. */
  fromEarlierRuns(): readonly HaltRequest[] {
    const { notify, traders } = this.#context;
    const demands: HaltRequest[] = [];
    for (const { marketId, why, atMs } of this.#fromEarlierRuns) {
      const isTraded = marketId === undefined || traders.has(marketId);
      if (isTraded)
        demands.push(
          createManualHalt(marketId, `${why} (halted by an operator in an earlier run)`),
        );
      const message = isTraded
        ? "an operator halted the bot in an earlier run: it quotes nothing there until an operator resumes"
        : "an operator halted a market in an earlier run that is not traded now: the halt stays";
      notify({
        kind: "log",
        level: "warn",
        message,
        fields: { marketId, why, atMs, command: "marketwright resume" },
      });
    }
    return demands;
  }

  /** Adds an operator's halt. */
  add(marketId: MarketId | undefined, why: string): void {
    const atMs = Math.round(this.#context.clock.nowMs());
    this.#fromEarlierRuns = this.#fromEarlierRuns.filter((found) => found.marketId !== marketId);
    this.#change(() => this.#memory.save({ marketId, why, atMs }));
  }

  /** Removes the halts that match, by an operator's resume. */
  remove(isOver: (halt: ManualHalt) => boolean): void {
    this.#fromEarlierRuns = this.#fromEarlierRuns.filter((found) => !isOver(found));
    this.#change(() => this.#memory.remove(isOver));
  }

  /** Retries a write that failed. */
  retry(): void {
    if (this.#memory.writeError !== undefined) this.#change(() => this.#memory.retry());
  }

  /**
   * A halt is in force in this process even if it cannot be persisted. A write error is reported
   * once, and its end too.
   */
  #change(change: () => void): void {
    const before = this.#memory.writeError;
    change();
    const error = this.#memory.writeError;
    if ((error === undefined) === (before === undefined)) return;
    const [level, message] =
      error === undefined
        ? (["info", "manual halts are persisted now"] as const)
        : ([
            "error",
            "manual halts cannot be persisted: a restarted bot would not know them",
          ] as const);
    this.#context.notify({ kind: "log", level, message, fields: { error } });
  }
}
