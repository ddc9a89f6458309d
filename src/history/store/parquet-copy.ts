import type { Day } from "../day.js";
import type { ColumnFacts } from "../kinds.js";
import type { Decimals } from "../staging/decimal-places.js";
import type { DayManifest } from "./day-manifest.js";
import { type Duck, literal } from "./duck.js";
import type { Series } from "./history-store.js";

/** The metadata that a Parquet file of the store contains about itself. */
export interface FileNote extends Series {
  /** Undefined while its contents are unknown. */
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
 * The facts that the database collected about a file while it wrote it; stamps and ids are
 * undefined if no row has one.
 */
export interface Written {
  readonly rows: number;
  readonly firstNs: bigint | undefined;
  readonly lastNs: bigint | undefined;
  readonly firstId: bigint | undefined;
  readonly lastId: bigint | undefined;
  /** True if any row has a local stamp. */
  readonly isStamped: boolean;
  /** The facts about a column; undefined for a missing column. */
  readonly factsOf: (column: string) => ColumnFacts | undefined;
}

interface ColumnStatistics {
  readonly key: string;
  readonly value: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Writes rows into a Parquet file of the store, in their order. Integers are delta-encoded, so
 * ascending stamps and ids take almost no space. Dictionaries are disabled: for prices and amounts
 * they are larger than the deltas, and take half the time of writing.
 * @throws Error of the database
 */
export async function copyRows(
  duck: Duck,
  select: string,
  path: string,
  note: FileNote,
): Promise<Written> {
  const { count, column_statistics } = await duck.row(
    `COPY (${select}) TO ${literal(path)} (FORMAT parquet, PARQUET_VERSION v2, DICTIONARY_SIZE_LIMIT 1, COMPRESSION zstd, RETURN_STATS, KV_METADATA {marketwright: ${literal(noteText(note))}})`,
  );
  const rows = Number(count);
  const factsOf = (column: string): ColumnFacts | undefined => {
    const found = (column_statistics as readonly ColumnStatistics[]).find(
      ({ key }) => key === `"${column}"`,
    );
    if (found === undefined) return undefined;
    const {
      min: least,
      max: most,
      null_count: nulls,
    } = Object.fromEntries(found.value.map(({ key, value }) => [key, value]));
    return { nulls: Number(nulls ?? Number.NaN), least, most };
  };
  const [time, id, recv] = [factsOf("timeNs"), factsOf("id"), factsOf("recvNs")];
  const whole = (text: string | undefined): bigint | undefined =>
    text === undefined ? undefined : BigInt(text);
  return {
    rows,
    firstNs: whole(time?.least),
    lastNs: whole(time?.most),
    firstId: whole(id?.least),
    lastId: whole(id?.most),
    isStamped: recv !== undefined && recv.nulls < rows,
    factsOf,
  };
}
