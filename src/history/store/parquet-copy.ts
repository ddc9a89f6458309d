import type { Day } from "../day.js";
import type { ColumnFacts } from "../kinds.js";
import type { Decimals } from "../staging/decimal-places.js";
import type { DayManifest } from "./day-manifest.js";
import { type Duck, literal } from "./duck.js";
import type { Series } from "./history-store.js";

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

/** What the database counted of a file while it wrote it; stamps and ids are undefined where no row has one. */
export interface Written {
  readonly rows: number;
  readonly firstNs: bigint | undefined;
  readonly lastNs: bigint | undefined;
  readonly firstId: bigint | undefined;
  readonly lastId: bigint | undefined;
  /** Whether any row has a local stamp. */
  readonly isStamped: boolean;
  /** What was counted of a column; undefined for one that is not there. */
  readonly factsOf: (column: string) => ColumnFacts | undefined;
}

interface ColumnStatistics {
  readonly key: string;
  readonly value: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Writes rows into a Parquet file of the store, in the order in which they come. Integers stand as their differences: stamps and ids, which
 * ascend, take next to nothing. Dictionaries are left out: the one of prices and amounts is larger than the differences, and takes half the time of writing.
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
