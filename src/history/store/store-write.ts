import type { Span } from "../spans.js";
import type { StagedRows } from "../staging/stage-rows.js";
import type { ChainStretch, DayManifest, SourceNote } from "./day-manifest.js";
import type { Series } from "./history-store.js";

/** Rows on their way into the store. */
export interface StoreWrite {
  readonly series: Series;
  readonly rows: StagedRows;
  /** For errors. */
  readonly file: string;
  readonly source: Omit<SourceNote, "rows" | "places">;
  /** SQL of what is added to `recvNs`. */
  readonly recvShift?: string;
  /** The time that these rows are all of; from the first row to the last where absent. */
  readonly covered?: readonly Span[];
  /** Of a book: the time in which it is not known, which is not covered whatever rows lie in it. */
  readonly lost?: readonly Span[];
  /** Of another kind: the time of which rows were left out, which is missing even so. */
  readonly leftOut?: readonly Span[];
  /** Of a book: what tells whether it follows on what is there; absent where its rows do not tell. */
  readonly chain?: readonly ChainStretch[];
  readonly grid?: DayManifest["grid"];
  readonly findings?: readonly string[];
  /** Whether `seq` is the number of a message's first row, and no place in a capture. */
  readonly isByMessage?: boolean;
}
