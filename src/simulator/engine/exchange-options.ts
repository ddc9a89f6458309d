import type { SignatureScheme } from "../../core/crypto/signing.js";
import type { MarketId } from "../../core/units.js";
import type { AccountFlow } from "../flow/flow-accounts.js";
import type { OrderFlow } from "../flow/flow-market.js";
import type { ChainReport } from "../settlement/chain-report.js";
import type { SettlementChain } from "../settlement/settlement-chain.js";
import type { RecordStore } from "../store/record-store.js";

/** Options of an exchange besides its configuration. */
export interface ExchangeOptions {
  /** The check of signatures: ECDSA, unless a simulation uses something cheaper. */
  readonly scheme?: SignatureScheme;
  /**
   * Creates a market's order flow at each start; null for none. `startPriceQuote` is the mark at a
   * restart, so that a flow with its own price continues from there.
   */
  readonly createFlow?: (
    marketId: MarketId,
    restart: { readonly startPriceQuote: number } | null,
  ) => OrderFlow | null;
  /** Creates the participants that trade with their own accounts, at each start. */
  readonly createAccountFlow?: (() => AccountFlow) | null;
  /**
   * The store that keeps the state across restarts. The exchange resumes from its content. Without
   * it everything is in memory only.
   */
  readonly records?: RecordStore;
  /**
   * The chain for settlement, with the addresses that the configuration names. Without it trades
   * settle in memory.
   */
  readonly chain?: SettlementChain;
  /** Called when a request to the chain fails, and when the chain changes something by itself. */
  readonly onChainReport?: (report: ChainReport) => void;
  /** Called once when the chain has failed. The exchange has stopped by then. */
  readonly onChainFault?: (error: unknown) => void;
}
