import type { Instrument } from "../../core/instrument.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { DuckLimits } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";

/** The options of a recorder. */
export interface RecorderOptions {
  readonly store: HistoryStore;
  /** The instrument to record; events of other markets are ignored. */
  readonly instrument: Instrument;
  /**
   * The data source for the manifests: the exchange's address, and the account if it is recorded
   * too.
   */
  readonly source: string;
  readonly runtime: Runtime;
  /**
   * Seals a day into the store when it is over (default), which uses a processor for a while. A
   * trading bot passes false: its days are sealed when it exits, or when the market is recorded
   * again.
   */
  readonly sealsDays?: boolean;
  readonly limits?: DuckLimits;
  /** Called when the book's sequence broke; the owner of the stream resynchronises it. */
  readonly onBookLost?: () => void;
  /**
   * Called when a finished day could not be sealed. It stays staged, and the next recording tries
   * again.
   */
  readonly onSealFailed?: (error: unknown) => void;
  /**
   * Called once when records cannot be written, as on a full disk. Nothing is recorded afterwards,
   * and `close` throws the error.
   */
  readonly onFailed?: (error: unknown) => void;
}
