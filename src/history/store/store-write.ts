import type { Span } from "../spans.js";
import type { StagedRows } from "../staging/stage-rows.js";
import type { ChainStretch, DayManifest, SourceNote } from "./day-manifest.js";
import type { Series } from "./history-store.js";

/** Rows to be written into the store. */
export interface StoreWrite {
  readonly series: Series;
  readonly rows: StagedRows;
  /** The file's name in errors. */
  readonly file: string;
  readonly source: Omit<SourceNote, "rows" | "places">;
  /** SQL of the correction added to `recvNs`. */
  readonly recvShift?: string;
  /** The time that these rows cover completely; from the first row to the last if absent. */
  readonly covered?: readonly Span[];
  /** For a book: the time in which it is unknown. It is not covered, even if rows lie in it. */
  readonly lost?: readonly Span[];
  /** For another kind: the time of omitted rows, which counts as missing even within `covered`. */
  readonly leftOut?: readonly Span[];
  /**
   * For a book: the data that show whether it continues the existing book; absent if its rows do
   * not show it.
   */
  readonly chain?: readonly ChainStretch[];
  readonly grid?: DayManifest["grid"];
  readonly findings?: readonly string[];
  /** True if `seq` is the number of a message's first row, not a sequence number in a capture. */
  readonly isByMessage?: boolean;
}
