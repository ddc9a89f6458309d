import type { Notice } from "../../bot/notice.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { Span } from "../../history/spans.js";

/** When a bot stood halted for a reason: in one market, or in all where none is named. */
export interface StoodHalt {
  /** The name of a guard, or that of a halt by hand. */
  readonly reason: string;
  readonly marketId: MarketId | undefined;
  /** Ascending, of the clock that its notices were told with. */
  readonly spans: readonly Span[];
}

/** Keeps when a bot stood halted, by reason and market: no config tells of it. */
export class StoodHalts {
  readonly #fromMs: Ms;
  readonly #halts = new Map<string, StoodHalt & { readonly spans: Span[]; sinceMs: Ms | undefined }>();

  /** @param fromMs what was before it is left out. */
  constructor(fromMs: Ms) {
    this.#fromMs = fromMs;
  }

  hear(notice: Notice, atMs: Ms): void {
    if (notice.kind !== "halted") return;
    const { reason, marketId, on } = notice;
    const key = JSON.stringify([reason, marketId]);
    const halt = this.#halts.get(key) ?? { reason, marketId, spans: [], sinceMs: undefined };
    this.#halts.set(key, halt);
    if (on) halt.sinceMs ??= atMs;
    else this.#end(key, atMs);
  }

  /** All that there were. @param endMs when the bot's time was over, which ends those that were still on */
  until(endMs: Ms): readonly StoodHalt[] {
    for (const key of this.#halts.keys()) this.#end(key, endMs);
    return [...this.#halts.values()].flatMap(({ reason, marketId, spans }) => (spans.length === 0 ? [] : [{ reason, marketId, spans }]));
  }

  #end(key: string, atMs: Ms): void {
    const halt = this.#halts.get(key);
    if (halt?.sinceMs === undefined) return;
    const fromMs = Math.max(halt.sinceMs, this.#fromMs);
    if (atMs > fromMs) halt.spans.push([fromMs, atMs]);
    halt.sinceMs = undefined;
  }
}
