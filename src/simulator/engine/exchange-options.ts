import type { SignatureScheme } from "../../core/crypto/signing.js";
import type { MarketId } from "../../core/units.js";
import type { OpenChain } from "../chain/open-chain.js";
import type { AccountFlow } from "../flow/flow-accounts.js";
import type { OrderFlow } from "../flow/flow-market.js";
import type { ChainReport } from "../settlement/chain-report.js";
import type { RecordStore } from "../store/record-store.js";

/** What an exchange may be given besides its configuration. */
export interface ExchangeOptions {
  /** How signatures are checked; ECDSA unless a simulation stands something cheaper in for it. */
  readonly scheme?: SignatureScheme;
  /**
   * Makes a market's order flow, anew at each start; null for none. `startPriceQuote` is the mark at a restart, so that a
   * flow that chooses its own price goes on from there.
   */
  readonly createFlow?: (
    marketId: MarketId,
    restart: { readonly startPriceQuote: number } | null,
  ) => OrderFlow | null;
  /** Makes the participants that trade by accounts of their own, anew at each start. */
  readonly createAccountFlow?: (() => AccountFlow) | null;
  /** Where its state outlives the process; it goes on from what is there. Without it everything is in memory only. */
  readonly records?: RecordStore;
  /** The chain that it settles on, with the addresses that its configuration names. Without it trades are settled in memory. */
  readonly chain?: OpenChain;
  /** Hears what was asked of the chain in vain, and what the chain did of its own. */
  readonly onChainReport?: (report: ChainReport) => void;
  /** Hears once that the chain has failed; the exchange has stopped then. */
  readonly onChainFault?: (error: unknown) => void;
}
