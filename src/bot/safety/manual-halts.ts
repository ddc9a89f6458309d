import type { MarketId } from "../../core/units.js";
import { createManualHalt, type HaltRequest } from "../../risk/halt.js";
import type { BotContext } from "../engine/context.js";
import { type ManualHalt, ManualHaltStore } from "../state/manual-halt-store.js";

/**
 * What a person has halted, kept for whoever is started next, and told when it is found again or
 * cannot be kept.
 */
export class ManualHalts {
  readonly #context: BotContext;
  readonly #memory: ManualHaltStore;
  /**
   * What earlier runs left, until somebody has said another word of it: a bot may be halted before
   * it starts.
   */
  #fromEarlierRuns: readonly ManualHalt[];

  /** @throws CorruptStateError when what was kept is broken, or another account's. */
  constructor(context: BotContext) {
    this.#context = context;
    this.#memory = new ManualHaltStore(context.store, context.accountAddress);
    this.#fromEarlierRuns = this.#memory.read();
  }

  /** Why the newest change is not in the state directory; undefined when it is. */
  get writeError(): string | undefined {
    return this.#memory.writeError;
  }

  /** What earlier runs were told and nobody has taken back. */
  fromEarlierRuns(): readonly HaltRequest[] {
    const { notify, traders } = this.#context;
    const demands: HaltRequest[] = [];
    for (const { marketId, why, atMs } of this.#fromEarlierRuns) {
      const isTraded = marketId === undefined || traders.has(marketId);
      if (isTraded)
        demands.push(createManualHalt(marketId, `${why} (halted by hand in an earlier run)`));
      const message = isTraded
        ? "halted by hand in an earlier run: nothing is quoted until somebody resumes"
        : "halted by hand in an earlier run, in a market that is not traded now: kept";
      notify({
        kind: "log",
        level: "warn",
        message,
        fields: { marketId, why, atMs, command: "marketwright resume" },
      });
    }
    return demands;
  }

  /** A person halts. */
  add(marketId: MarketId | undefined, why: string): void {
    const atMs = Math.round(this.#context.clock.nowMs());
    this.#fromEarlierRuns = this.#fromEarlierRuns.filter((found) => found.marketId !== marketId);
    this.#change(() => this.#memory.save({ marketId, why, atMs }));
  }

  /** A person takes back the halts of which this is so. */
  remove(isOver: (halt: ManualHalt) => boolean): void {
    this.#fromEarlierRuns = this.#fromEarlierRuns.filter((found) => !isOver(found));
    this.#change(() => this.#memory.remove(isOver));
  }

  /** Writes again what could not be written. */
  retry(): void {
    if (this.#memory.writeError !== undefined) this.#change(() => this.#memory.retry());
  }

  /**
   * A halt holds in this process whether it can be written down or not; that it cannot be is told
   * once, and when it can be again.
   */
  #change(change: () => void): void {
    const before = this.#memory.writeError;
    change();
    const error = this.#memory.writeError;
    if ((error === undefined) === (before === undefined)) return;
    const [level, message] =
      error === undefined
        ? (["info", "what was halted or resumed by hand is written down now"] as const)
        : ([
            "error",
            "what was halted or resumed by hand is not written down: a bot that is started anew does not know it",
          ] as const);
    this.#context.notify({ kind: "log", level, message, fields: { error } });
  }
}
