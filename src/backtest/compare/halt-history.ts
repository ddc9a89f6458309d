import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { Span } from "../../history/spans.js";

/**
 * A period in which a bot was halted, or the risk ladder changed its quotes: in one market, or in
 * all where none is named.
 */
export interface HaltRecord {
  /** Name of the guard, name of the manual halt, or measure of the step of the risk ladder. */
  readonly reason: string;
  /**
   * True for a step of the risk ladder: it widened the quotes or allowed only reducing orders, and
   * did not cancel them.
   */
  readonly isRung?: boolean;
  readonly marketId: MarketId | undefined;
  /** Ascending, on the clock of the bot's events. */
  readonly spans: readonly Span[];
}

/**
 * Records when a bot was halted, by reason and market, from its events. No configuration says this.
 */
export class HaltHistory {
  readonly #fromMs: Ms;
  readonly #halts = new Map<
    string,
    HaltRecord & { readonly spans: Span[]; sinceMs: Ms | undefined }
  >();

  /** @param fromMs earlier periods are left out. */
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

  /**
   * All periods.
   * @param endMs when the bot's time was over, which ends those that were still on
   */
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
