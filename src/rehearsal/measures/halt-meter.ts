import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { Ms } from "../../core/units.js";
import type { RehearsedHalt } from "../rehearsal-result.js";

interface Held {
  readonly name: string;
  readonly marketId: string | undefined;
  times: number;
  heldMs: Ms;
  sinceMs: Ms | undefined;
}

/** Measures how often and how long each halt of the bot was in force. */
export class HaltMeter {
  readonly #held = new Map<string, Held>();

  /** Halts that every start begins with do not count. */
  observe(notice: BotEvent, nowMs: Ms): void {
    if (notice.kind !== "halted" || notice.isStarting === true) return;
    const { reason: name, marketId } = notice;
    const key = `${name} ${marketId ?? ""}`;
    const held = this.#held.get(key) ?? { name, marketId, times: 0, heldMs: 0, sinceMs: undefined };
    if (notice.on && held.sinceMs === undefined) {
      this.#held.set(key, held);
      held.times += 1;
      held.sinceMs = nowMs;
    }
    if (!notice.on) this.#end(held, nowMs);
  }

  /** The bot's process has died: no halt of it is in force. */
  ended(nowMs: Ms): void {
    for (const held of this.#held.values()) this.#end(held, nowMs);
  }

  /** All halts until now, by name. */
  halts(nowMs: Ms): readonly RehearsedHalt[] {
    return [...this.#held.values()]
      .map(({ name, marketId, times, heldMs, sinceMs }) => ({
        name,
        marketId,
        times,
        heldMs: heldMs + (sinceMs === undefined ? 0 : nowMs - sinceMs),
      }))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  #end(held: Held, nowMs: Ms): void {
    if (held.sinceMs === undefined) return;
    held.heldMs += nowMs - held.sinceMs;
    held.sinceMs = undefined;
  }
}

function keyOf({ name, marketId = "" }: Pick<RehearsedHalt, "name" | "marketId">): string {
  return `${name} ${marketId}`;
}
