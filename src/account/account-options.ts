import type { Instrument } from "../core/instrument.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import type { ActionId } from "../exchange/venue.js";
import type { StoredTakeover } from "./positions/takeover.js";
import type { CountedTransfers } from "./profit/transfer-ledger.js";

/** What the account needs to know at birth. */
export interface AccountOptions {
  /** The bot's markets. */
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  /** The top 16 bits of every nonce that this bot makes. */
  readonly nonceTag: number;
  /** Hashes of server-built orders of earlier runs, from the state directory. */
  readonly builtHashes?: readonly Hex[];
  /** Makes the ids of the questions that the account asks; shared with the bot's own actions. */
  readonly nextActionId: () => ActionId;
  /** How long the exchange takes a signed request: 5000. */
  readonly signatureWindowMs?: Ms;
  /** Between two reconciliations: 30000. */
  readonly reconcileIntervalMs?: Ms;
  /** How long the stream may lag behind REST before a difference is called one: 5000. */
  readonly streamLagMs?: Ms;
  /** What an earlier run had counted of deposits and withdrawals, when one is remembered. */
  readonly transfersBefore?: CountedTransfers;
  /** The account takes positions over in liquidations, and these are the ones that earlier runs were told of. */
  readonly previousTakeovers?: readonly StoredTakeover[];
  /** How long final orders are remembered, so that late updates are recognised: 600000. */
  readonly rememberMs?: Ms;
}
