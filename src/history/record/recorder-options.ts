import type { Instrument } from "../../core/instrument.js";
import type { Seam } from "../../core/runtime/seam.js";
import type { DuckLimits } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";

/** What a recorder is made of. */
export interface RecorderOptions {
  readonly store: HistoryStore;
  /** Of the market that is recorded; whatever is told of others is passed over. */
  readonly instrument: Instrument;
  /** Who tells: the exchange's address, and the account where it is recorded too. It stands in the manifests. */
  readonly source: string;
  readonly runtime: Seam;
  /**
   * Puts a day into the store when it is over, which takes a processor for a while (default). A bot that trades says false: its days wait until it
   * ends, or until the market is recorded again.
   */
  readonly sealsDays?: boolean;
  readonly limits?: DuckLimits;
  /** Told when the book's sequence broke: whoever owns the stream has it sent anew. */
  readonly onBookLost?: () => void;
  /** Told when a day that is over could not be put into the store: it stays where it is, and the next recording tries again. */
  readonly onSealFailed?: (error: unknown) => void;
  /** Told once when what is heard cannot be written, as on a full disk: nothing is recorded from then on, and its close throws it. */
  readonly onFailed?: (error: unknown) => void;
}
