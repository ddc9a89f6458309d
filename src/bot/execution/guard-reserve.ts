/**
 * Tokens of a limit that the bot leaves to its guard: at least one. @param fraction
 * `guard.orderTokensFraction`
 */
export function guardReserve(limit: number, fraction: number): number {
  return Math.max(1, Math.ceil(limit * fraction));
}
