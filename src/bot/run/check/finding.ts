/**
 * Result of one part of `check`. An error keeps the bot from quoting; a warning is worth knowing
 * before it does.
 */
export interface Finding {
  readonly level: "ok" | "warning" | "error";
  /** Subject of the check: `clock`, `domain`, `markets.btcusdc`. */
  readonly subject: string;
  readonly text: string;
}
