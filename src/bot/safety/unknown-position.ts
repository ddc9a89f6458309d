import type { MarketId, Ms } from "../../core/units.js";
import type { HaltReason } from "../../risk/halt.js";
import type { BotContext } from "../engine/context.js";

/** A position that is unknown for this long raises an alert. */
const ALERT_AFTER_MS: Ms = 30_000;

const UNKNOWN_POSITION_REASONS = {
  liquidation: "the exchange has reported a liquidation, but not yet the position after it",
  "taken-back": "the chain reverted a takeover, but the exchange's position does not show that yet",
  unexplained:
    "the exchange's position differs from the bot's, and nothing explains the difference yet",
} as const;

/** Why the position of a market may differ from the bot's; undefined if it is known. */
export function findUnknownPositionReason(
  { account, reservations, exchangeTime }: BotContext,
  marketId: MarketId,
): string | undefined {
  const doubt = account.positionUncertainty(marketId);
  if (doubt !== undefined) return UNKNOWN_POSITION_REASONS[doubt];
  if (!reservations.isOverdue(marketId, exchangeTime.nowMs())) return undefined;
  return "a takeover was sent, and neither its receipt nor the exchange shows its outcome";
}

/** Alerts once per market that its position has been unknown for too long. */
export class UnknownPositionAlert {
  readonly #context: BotContext;
  readonly #alerted = new Set<string>();

  constructor(context: BotContext) {
    this.#context = context;
  }

  /** Runs a few times a second, with the halts in force. */
  check(halts: readonly HaltReason[]): void {
    if (halts.length === 0 && this.#alerted.size === 0) return;
    const { clock, notify } = this.#context;
    const nowMs = clock.monotonicMs();
    const current = new Set<string>();
    for (const halt of halts) {
      if (
        halt.name !== "position-unknown" ||
        halt.scope !== "market" ||
        nowMs < halt.sinceMs + ALERT_AFTER_MS
      )
        continue;
      const { marketId, why, sinceMs } = halt;
      const key = `${marketId} ${sinceMs}`;
      current.add(key);
      if (this.#alerted.has(key)) continue;
      this.#alerted.add(key);
      const fields = { marketId, forSeconds: Math.round((nowMs - sinceMs) / 1000), why };
      notify({
        kind: "log",
        level: "error",
        message: "the position of a market is unknown: the bot does not quote there",
        fields,
      });
    }
    for (const key of this.#alerted) if (!current.has(key)) this.#alerted.delete(key);
  }
}
