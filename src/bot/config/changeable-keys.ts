import type { ConfigPath } from "../../core/config/config-yaml.js";

/** A part of a bot's file, and what a running bot does with a change of it. */
export interface ChangeableKey {
  /** Keys from the root; `*` is any market. It covers everything below it. */
  readonly path: readonly string[];
  /** True if it may change while the bot runs. */
  readonly whileRunning: boolean;
  /** The effect of a change, or the reason for a restart: a phrase. */
  readonly note: string;
}

const running = (path: string, note: string): ChangeableKey => ({
  path: path.split("."),
  whileRunning: true,
  note,
});
const restart = (path: string, note: string): ChangeableKey => ({
  path: path.split("."),
  whileRunning: false,
  note,
});

/**
 * Every key of a bot's file. The first entry that covers a path decides, so the longer ones come
 * first. A test compares the list with the schema.
 */
export const CHANGEABLE_KEYS: readonly ChangeableKey[] = [
  running("markets.*.params", "the strategy answers by them in the same turn"),
  running("markets.*.decide", "from the next decision on"),
  running("markets.*.limits", "at once: orders over a tightened limit are cancelled"),
  restart("markets.*.strategy", "another strategy is other code"),
  restart("markets.*.reference", "ages and the basis are counted from the start"),
  restart("markets.*.hedge", "the position there was opened by it"),
  restart("markets", "streams, books and rules of a market are set up at the start"),
  running("decide", "from the next decision on"),
  running("quotes.priceToleranceTicks", "at once, against the orders that rest"),
  running("quotes.sizeToleranceFraction", "at once, against the orders that rest"),
  running("quotes.quoteLifeMs", "for orders that are placed from then on"),
  restart("quotes.timeInForce", "resting orders keep the one that they were placed with"),
  running("risk.ladder", "at once, for the measures as they are; latched rungs stay"),
  running("risk.flatten", "at once, for a flattening in progress too"),
  running("risk.maxDrawdownQuote", "at once, from the same peak; a halt stays until resume"),
  running("risk.onDrawdown", "when the limit is passed next"),
  running("risk.maxDailyLossQuote", "at once, from the same start of the day"),
  running("risk.onDailyLoss", "when the limit is passed next"),
  running("risk", "at once: orders over a tightened limit are cancelled"),
  restart("references", "connections to the sources begin with it"),
  restart("hedgeVenues", "connections to the venues begin with it"),
  restart("exchange", "connections, signatures and reconciliation begin with it"),
  restart("account", "one run belongs to one account"),
  restart("chain", "the connection to the chain begins with it"),
  restart("liquidator", "takeovers in flight were planned by it"),
  restart("paper", "the paper exchange begins with it"),
  restart("metrics", "the port is opened at the start"),
  restart("cockpit", "the page's port is opened at the start"),
  restart("notify", "the sender's process reads it: restart both"),
  restart("days", "the day's file is opened at the start"),
  restart("guard", "the guard's process reads it too: restart both"),
  restart("stateDir", "the state of the run is in it"),
  restart("logLevel", "the log is opened at the start"),
];

/** The entry that covers a path; undefined for a key that no file has. */
export function findChangeableKey(path: ConfigPath): ChangeableKey | undefined {
  return CHANGEABLE_KEYS.find(
    (entry) =>
      entry.path.length <= path.length &&
      entry.path.every((key, at) => key === "*" || key === String(path[at])),
  );
}
