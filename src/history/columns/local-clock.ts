import { layoutFor } from "../kinds.js";
import { parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";

/** The rule that gives the local stamps of a day. */
export interface LocalClock {
  /** Nanoseconds added to every stamp of the store, so that none lies before its exchange stamp. */
  readonly addedNs: bigint;
  /** Nanoseconds from exchange stamp to local stamp, for rows without a local stamp. */
  readonly baseLatencyNs: bigint;
}

/** True if rows of a kind carry the recorder's stamp. */
export function isStamped(kind: string): boolean {
  return layoutFor(kind).columns.some(({ name }) => name === "recvNs");
}

/**
 * Computes the clock of a day.
 *
 * A store keeps corrected local stamps, but a manual correction or a mix of recorders may leave
 * some before their exchange stamps. Let m be the smallest difference of local and exchange time.
 * If m is below zero, every stamp gets -m plus the base latency
 * (docs/guides/import-history.md#clocks).
 * @param stamped all of the day's files with local stamps: stamps of one recorder are corrected
 * together.
 * @throws HistoryError naming a file that cannot be read
 */
export async function localClock(
  store: HistoryStore,
  duck: Duck,
  stamped: readonly DayManifest[],
  baseLatencyNs: bigint,
): Promise<LocalClock> {
  let smallest = 0n;
  for (const manifest of stamped) {
    const file = store.dataPath(manifest, manifest.day);
    const { least } = await withReadErrors(file, () =>
      duck.row(`SELECT min(recvNs - timeNs) AS least FROM ${parquetSql(file)}`),
    );
    const here = toBigInt(least);
    if (here < smallest) smallest = here;
  }
  return { addedNs: smallest < 0n ? baseLatencyNs - smallest : 0n, baseLatencyNs };
}

/** SQL of a row's local stamp in whole microseconds, as DOUBLE. */
export function localUsSql({ addedNs, baseLatencyNs }: LocalClock): string {
  return `CAST((CASE WHEN recvNs IS NULL THEN timeNs + ${baseLatencyNs} ELSE recvNs + ${addedNs} END) // 1000 AS DOUBLE)`;
}
