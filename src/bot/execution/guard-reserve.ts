/**
 * Of a limit's tokens, those that the bot leaves to its guard: one at least. @param fraction
 * `guard.orderTokensFraction`
 */
export function guardReserve(limit: number, fraction: number): number {
  return Math.max(1, Math.ceil(limit * fraction));
}
