import type { Instrument } from "../core/instrument.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import type { ActionId } from "../exchange/venue.js";
import type { StoredTakeover } from "./positions/takeover.js";
import type { CountedTransfers } from "./profit/transfer-ledger.js";

/** Options of the account. */
export interface AccountOptions {
  /** The bot's markets. */
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  /** The top 16 bits of every nonce that this bot creates. */
  readonly nonceTag: number;
  /** Hashes of server-built orders of earlier runs, from the state directory. */
  readonly builtHashes?: readonly Hex[];
  /** Creates the action ids of the account's queries. Shared with the bot's own actions. */
  readonly nextActionId: () => ActionId;
  /** How long the exchange accepts a signed request. Default 5000. */
  readonly signatureWindowMs?: Ms;
  /** Time between two reconciliations. Default 30000. */
  readonly reconcileIntervalMs?: Ms;
  /** How long the stream may lag behind REST before a difference is reported. Default 5000. */
  readonly streamLagMs?: Ms;
  /** Deposits and withdrawals that an earlier run counted, if they are remembered. */
  readonly transfersBefore?: CountedTransfers;
  /**
   * Takeovers that earlier runs recorded. Present if the account acquires positions in
   * liquidations.
   */
  readonly previousTakeovers?: readonly StoredTakeover[];
  /** How long final orders are remembered, so that late updates are recognised. Default 600000. */
  readonly rememberMs?: Ms;
}
