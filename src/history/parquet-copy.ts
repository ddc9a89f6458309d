import type { Day } from "./day.js";
import type { DayManifest } from "./day-manifest.js";
import { literal } from "./duck.js";
import type { Decimals } from "./measure.js";
import type { Series } from "./store.js";

/** What a Parquet file of the store says of itself in its own metadata. */
export interface FileNote extends Series {
  /** Undefined where nothing is known to be in it yet. */
  readonly day: Day | undefined;
  readonly decimals: Decimals;
  readonly grid: DayManifest["grid"] | undefined;
}

/** The text under the key `marketwright` of a file's metadata: equal for equal notes. */
export function noteText({ market, kind, day, decimals, grid }: FileNote): string {
  const { price, amount, rate } = decimals;
  return JSON.stringify({ format: 1, market, kind, day, decimals: { price, amount, rate }, grid });
}

/**
 * SQL that writes rows into a Parquet file of the store, in the order in which they come. Integers stand as their differences: stamps and ids, which
 * ascend, take next to nothing. Dictionaries are left out: the one of prices and amounts is larger than the differences, and takes half the time of writing.
 */
export function copySql(select: string, path: string, note: FileNote): string {
  return `COPY (${select}) TO ${literal(path)} (FORMAT parquet, PARQUET_VERSION v2, DICTIONARY_SIZE_LIMIT 1, COMPRESSION zstd, KV_METADATA {marketwright: ${literal(noteText(note))}})`;
}
