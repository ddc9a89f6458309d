/** The end of each halt, beyond the rule that a person resumes it or that it ends by itself. */
const REMEDIES: Readonly<Record<string, string>> = {
  "stale-book": "It ends when the stream confirms the book again.",
  "book-unsynchronised": "It ends when a snapshot of the book and its changes fit again.",
  "position-unknown": "It ends when the position is explained. After 30 s check RPC and REST.",
  "market-not-trading": "It ends when the exchange lists the market as trading.",
  "exchange-info-changed": "Restart the bot. If the contract differs, find out why before.",
  "reject-storm": "It ends when the exchange refuses fewer orders.",
  "revived-orders": "Compare the open orders over another connection, then resume.",
  "strategy-error": "The log has the error. Resuming starts the strategy anew.",
  inventory: "It is a rung of the risk ladder: a person resumes.",
  markout: "It is a rung of the risk ladder: a person resumes.",
  "exchange-info-unread": "It ends when the exchange's rules can be read again.",
  "unconfirmed-account": "It ends when orders and position are reconciled.",
  "stale-account": "It ends when the account is confirmed again.",
  "clock-unknown": "It ends when the exchange's time can be read again.",
  "clock-offset": "Set this machine's clock; it ends then.",
  "loop-lag": "It ends when the event loop is in time again.",
  banned: "The exchange has banned this address for a while; everything waits.",
  "domain-mismatch":
    "This is the wrong exchange or a new version of it. Do not resume before you know.",
  drawdown: "Resuming accepts the loss: the drawdown is then measured from here.",
  "daily-loss": "It ends with the day (UTC), or earlier when a person resumes.",
};

/** Says in a sentence how a halt ends. */
export function haltRemedy(name: string, endsByItself: boolean): string {
  const general = endsByItself
    ? "It ends by itself when its cause is over."
    : "It lasts until a person resumes, also after a restart.";
  const remedy = REMEDIES[name];
  if (remedy === undefined) return general;
  return endsByItself || remedy.includes("esum") ? remedy : `${remedy} ${general}`;
}
