import type { Notice } from "../../bot/notice.js";
import type { MarketId, Ms } from "../../core/units.js";
import { MANUAL } from "../../risk/halt.js";

/** For how long a person had the quotes of a session down: in one market, or in all where none is named. */
export interface HandHalt {
  readonly marketId: MarketId | undefined;
  readonly ms: Ms;
}

/** Adds up the halts by hand of a session: its config does not tell of them, and nobody halts the bot that is run again. */
export class HandHalts {
  readonly #sinceMs = new Map<MarketId | undefined, Ms>();
  readonly #summed = new Map<MarketId | undefined, Ms>();

  /** @param atMs of the bot's clock that never steps */
  hear(notice: Notice, atMs: Ms): void {
    if (notice.kind !== "halted" || notice.reason !== MANUAL) return;
    const { marketId, on } = notice;
    if (!on) this.#end(marketId, atMs);
    else if (!this.#sinceMs.has(marketId)) this.#sinceMs.set(marketId, atMs);
  }

  /** All that there were. @param endMs when the session ended, which ends those that were still on */
  until(endMs: Ms): readonly HandHalt[] {
    for (const marketId of [...this.#sinceMs.keys()]) this.#end(marketId, endMs);
    return [...this.#summed].map(([marketId, ms]) => ({ marketId, ms }));
  }

  #end(marketId: MarketId | undefined, atMs: Ms): void {
    const sinceMs = this.#sinceMs.get(marketId);
    if (sinceMs === undefined) return;
    this.#sinceMs.delete(marketId);
    this.#summed.set(marketId, (this.#summed.get(marketId) ?? 0) + Math.max(0, atMs - sinceMs));
  }
}
