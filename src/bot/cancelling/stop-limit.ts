import type { Ms } from "../../core/units.js";

/** Shortest wait for the fate of every order before the bot exits and names the leftover orders. */
const GIVE_UP_MS: Ms = 30_000;
/** Wait for the exchange's final answer, after no signed request can still be accepted. */
const LAST_WORD_MS: Ms = 10_000;

/** How long a bot that stops waits for the exchange at most, before it exits anyway. */
export function stopLimitMs(signatureWindowMs: Ms): Ms {
  return Math.max(GIVE_UP_MS, signatureWindowMs + LAST_WORD_MS);
}

/**
 * How long a bot that stops waits for the settlement of hedged fills. What is left of
 * {@link stopLimitMs} is for undoing the hedge of a fill whose settlement fails at the end of it.
 */
export const SETTLEMENT_WAIT_MS: Ms = 20_000;
