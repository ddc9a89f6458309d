import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { Span } from "../../history/spans.js";

/** When a bot stood halted for a reason, or its quotes were others by the risk ladder: in one market, or in all where none is named. */
export interface HaltRecord {
  /** The name of a guard, that of a halt by hand, or the measure of a rung. */
  readonly reason: string;
  /** A rung widened the quotes or let only reducing orders rest: they were not down. */
  readonly isRung?: boolean;
  readonly marketId: MarketId | undefined;
  /** Ascending, of the clock that its notices were told with. */
  readonly spans: readonly Span[];
}

/** Keeps when a bot stood halted, by reason and market: no config tells of it. */
export class HaltHistory {
  readonly #fromMs: Ms;
  readonly #halts = new Map<
    string,
    HaltRecord & { readonly spans: Span[]; sinceMs: Ms | undefined }
  >();

  /** @param fromMs what was before it is left out. */
  constructor(fromMs: Ms) {
    this.#fromMs = fromMs;
  }

  onBotEvent(notice: BotEvent, atMs: Ms): void {
    if (notice.kind === "halted")
      return this.#note({ reason: notice.reason, marketId: notice.marketId }, notice.on, atMs);
    if (notice.kind !== "rung") return;
    const { measure, marketId, action } = notice;
    this.#note(
      { reason: measure, marketId, isRung: true },
      action === "widen" || action === "reduce",
      atMs,
    );
  }

  #note(of: Omit<HaltRecord, "spans">, on: boolean, atMs: Ms): void {
    const key = JSON.stringify([of.reason, of.marketId, of.isRung]);
    const halt = this.#halts.get(key) ?? { ...of, spans: [], sinceMs: undefined };
    this.#halts.set(key, halt);
    if (on) halt.sinceMs ??= atMs;
    else this.#end(key, atMs);
  }

  /** All that there were. @param endMs when the bot's time was over, which ends those that were still on */
  haltsUntil(endMs: Ms): readonly HaltRecord[] {
    for (const key of this.#halts.keys()) this.#end(key, endMs);
    return [...this.#halts.values()].flatMap(({ sinceMs: _, ...halt }) =>
      halt.spans.length === 0 ? [] : [halt],
    );
  }

  #end(key: string, atMs: Ms): void {
    const halt = this.#halts.get(key);
    if (halt?.sinceMs === undefined) return;
    const fromMs = Math.max(halt.sinceMs, this.#fromMs);
    if (atMs > fromMs) halt.spans.push([fromMs, atMs]);
    halt.sinceMs = undefined;
  }
}
