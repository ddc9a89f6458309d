/**
 * One thing that `check` looked at. An error keeps the bot from quoting; a warning is worth knowing
 * before it does.
 */
export interface Finding {
  readonly level: "ok" | "warning" | "error";
  /** What was looked at: `clock`, `domain`, `markets.btcusdc`. */
  readonly subject: string;
  readonly text: string;
}
