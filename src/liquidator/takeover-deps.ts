import type { ChainRpc } from "../chain/rpc/chain-rpc.js";
import type { TransactionManager } from "../chain/transactions/transaction-manager.js";
import type { Clock, Random } from "../core/runtime/runtime.js";
import type { Hex } from "../core/units.js";
import type { LiquidationLedger } from "./ledger/liquidation-ledger.js";
import type { LiquidatorSettings } from "./liquidator-settings.js";
import type { InventoryUnwinder, LiquidatorVenue } from "./liquidator-venue.js";

/** Reports to the log and the screen. */
export type LiquidatorLog = (
  level: "info" | "warn" | "error",
  text: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** Parts that execute takeovers. */
export interface TakeoverDeps {
  readonly settings: LiquidatorSettings;
  readonly rpc: ChainRpc;
  /** Undefined in a dry run, which does everything but send. */
  readonly transactions: TransactionManager | undefined;
  /** The signer: the account, or its operator. */
  readonly sender: Hex;
  readonly venue: LiquidatorVenue;
  readonly unwind: InventoryUnwinder;
  readonly ledger: LiquidationLedger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: LiquidatorLog;
}
