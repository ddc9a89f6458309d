import type { CreditUnits, Ms } from "../core/units.js";

/** How long a net value below what the books explain may be a withdrawal on its way: after that it is a loss. */
export const LOSS_EXPLAINED_WITHIN_MS: Ms = 3_000;
/** How long one above it may be a deposit that nobody has told yet: longer than from one reconciliation to the next. */
export const GAIN_EXPLAINED_WITHIN_MS: Ms = 40_000;

/** By how much the net value that the exchange told was beyond the one that trades, incomes and marks explain. Immutable. */
export interface Untold {
  /** What of it has stood for so long that it is taken for what it looks like: profit or loss. */
  readonly taken: CreditUnits;
  /** Since when it has been above that, or below: undefined while it is just that. */
  readonly since?: { readonly isGain: boolean; readonly atMs: Ms };
}

/** A look at it. */
export interface UntoldLook {
  readonly untold: Untold;
  /** What a deposit (above zero) or a withdrawal (below) that is on its way may explain yet; zero when all is explained, or has stood too long. */
  readonly doubtful: CreditUnits;
}

/**
 * Balances and incomes come on ways of their own: a transfer may be in the one before it is in the other. `beyond`: the net value told less the
 * one that is explained. `before`: what the last call gave; undefined the first time.
 */
export function observeUntold(before: Untold | undefined, beyond: CreditUnits, nowMs: Ms): UntoldLook {
  const taken = before?.taken ?? beyond;
  const doubtful = beyond - taken;
  if (doubtful === 0n) return { untold: { taken }, doubtful };
  const isGain = doubtful > 0n;
  const since = before?.since?.isGain === isGain ? before.since : { isGain, atMs: nowMs };
  const withinMs = isGain ? GAIN_EXPLAINED_WITHIN_MS : LOSS_EXPLAINED_WITHIN_MS;
  if (nowMs - since.atMs >= withinMs) return { untold: { taken: beyond }, doubtful: 0n };
  return { untold: { taken, since }, doubtful };
}
