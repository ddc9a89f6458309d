import { layoutFor } from "../kinds.js";
import { parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";

/** How the local stamps of a day come about. */
export interface LocalClock {
  /** Added to every stamp of the store, so that none lies before its exchange stamp. */
  readonly addedNs: bigint;
  /** From exchange stamp to local stamp, for rows that nobody stamped. */
  readonly baseLatencyNs: bigint;
}

/** Whether rows of a kind carry the recorder's stamp. */
export function isStamped(kind: string): boolean {
  return layoutFor(kind).columns.some(({ name }) => name === "recvNs");
}

/**
 * The clock of a day. A store keeps local stamps corrected, but a correction by hand, or records of
 * several recorders, may leave some before their exchange stamps. With m the smallest of local less
 * exchange time, where m is below zero all get -m and the base latency
 * (docs/guides/history.md#clocks).
 * @param stamped all that the store has of the day with local stamps: what one recorder heard is corrected as one.
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
