import { type Day, instantText, NS_A_MS } from "../day.js";
import { HistoryError } from "../history-errors.js";
import { layoutFor } from "../kinds.js";
import { daySpan, overlaps, type Span, withinSql } from "../spans.js";
import type { DayManifest, SourceNote } from "../store/day-manifest.js";
import { type Duck, type Row, toBigInt } from "../store/duck.js";
import type { PendingDays } from "../store/pending-days.js";
import type { StoreWrite } from "../store/store-write.js";
import { withoutSilence } from "./cut-at-midnight.js";
import { parquetSql, withReadErrors } from "./decimal-places.js";

/** The least time between two funding payments. */
const PAYMENT_NS = 60_000n * NS_A_MS;
/** The most by which a trade is reported later than one with a greater id. */
const LATEST_NS = 60_000n * NS_A_MS;

/** True if a day holds the rows of this very file. */
export function holdsFile(
  held: DayManifest,
  { sha256, name }: Pick<SourceNote, "name" | "sha256">,
): boolean {
  return (
    sha256 !== undefined &&
    held.sources.some((source) => source.sha256 === sha256 && source.name === name)
  );
}

/** SQL of the rows of one day. */
export function ofDaySql(select: string, day: Day): string {
  return `SELECT * FROM (${select}) WHERE ${withinSql(daySpan(day))}`;
}

/**
 * Finds the last `seq` of a day that these rows continue. Files that are cut by the recorder's
 * clock, such as Tardis's, begin with exchange stamps of the day before. Rows received after
 * everything in the day continue it, whatever their exchange stamps.
 * @returns the greatest `seq` of the day; undefined if these rows have their own, or were not
 * received after it
 */
export async function lastSeqBefore(
  store: PendingDays,
  duck: Duck,
  { series, source, file, isByMessage = false }: StoreWrite,
  day: Day,
  shifted: string,
): Promise<bigint | undefined> {
  const held = store.day(series, day);
  if (held === undefined || holdsFile(held, source)) return undefined;
  if (!isByMessage && source.isNumbered !== true) return undefined;
  const ask = (select: string): Promise<Row> =>
    withReadErrors(file, () =>
      duck.row(
        `SELECT min(recvNs) AS heardFrom, max(recvNs) AS heardTo, max(seq) AS lastSeq, count(*) - count(recvNs) AS unheard FROM (${select})`,
      ),
    );
  const before = await ask(`SELECT recvNs, seq FROM ${parquetSql(store.dataPath(series, day))}`);
  const after = await ask(ofDaySql(shifted, day));
  const isStamped =
    toBigInt(before.unheard) + toBigInt(after.unheard) === 0n &&
    before.heardTo !== null &&
    after.heardFrom !== null;
  return isStamped && toBigInt(after.heardFrom) > toBigInt(before.heardTo)
    ? toBigInt(before.lastSeq)
    : undefined;
}

/**
 * @throws HistoryError if another source covers part of the time of these rows, for a kind whose
 * records have no key
 */
export async function refuseOverlap(
  store: PendingDays,
  { series, source, file }: StoreWrite,
  day: Day,
  spans: readonly Span[],
): Promise<void> {
  const held = store.day(series, day);
  if (held === undefined || layoutFor(series.kind).key !== undefined || holdsFile(held, source))
    return;
  // Rows exist even in a span in which the book is unknown.
  const clash = spans.find((span) =>
    overlaps([...withoutSilence(held), ...(held.lost ?? [])], span),
  );
  if (clash === undefined) return;
  throw new HistoryError(
    file,
    `the store already has ${series.kind} of ${day} from another source`,
    {
      value: held.sources.map(({ name }) => name).join(", "),
      expected: `${instantText(clash[0])} to ${instantText(clash[1])} from one source, or --replace to remove the day's ${series.kind} first`,
    },
  );
}

/**
 * Refuses two files that hold one trade under different ids, since it would count twice. Rows
 * without an id are numbered in each file separately. An exchange numbers its trades and their
 * aggregates separately.
 * @throws HistoryError
 */
export async function refuseCountedTwice(
  store: PendingDays,
  duck: Duck,
  writing: StoreWrite,
  day: Day,
): Promise<void> {
  const { series, source } = writing;
  const held = store.day(series, day);
  if (held === undefined || layoutFor(series.kind).key?.[0] !== "id" || holdsFile(held, source))
    return;
  if ([source, ...held.sources].some(({ isNumbered }) => isNumbered === true))
    await refuseNumbered(store, duck, writing, held);
  else await refuseOtherCount(store, duck, writing, held);
}

/**
 * Refuses a funding payment that two sources stamp some milliseconds apart, since it would be paid
 * twice.
 * @throws HistoryError
 */
export async function refusePaidTwice(
  store: PendingDays,
  duck: Duck,
  { series, rows, source, file }: StoreWrite,
  day: Day,
): Promise<void> {
  const held = store.day(series, day);
  // The list of an exchange, continued from the same exchange, has each payment once.
  if (
    held === undefined ||
    series.kind !== "funding" ||
    source.sha256 === undefined ||
    holdsFile(held, source)
  )
    return;
  const there = `SELECT timeNs AS heldNs FROM ${parquetSql(store.dataPath(series, day))}`;
  const [twice] = await withReadErrors(file, () =>
    duck.rows(
      `SELECT timeNs, heldNs FROM (${ofDaySql(rows.select, day)}), (${there}) WHERE timeNs <> heldNs AND abs(timeNs - heldNs) < ${PAYMENT_NS} ORDER BY timeNs LIMIT 1`,
    ),
  );
  if (twice === undefined) return;
  throw new HistoryError(
    file,
    `the store already has funding of ${day} from another source at another time: one payment would count twice`,
    {
      value: `${String(twice.timeNs)} ns, and ${String(twice.heldNs)} ns of ${held.sources.map(({ name }) => name).join(", ")}`,
      expected:
        "the funding of a day from one source, or --replace to remove the day's funding first",
    },
  );
}

async function refuseNumbered(
  store: PendingDays,
  duck: Duck,
  { series, rows, file }: StoreWrite,
  held: DayManifest,
): Promise<void> {
  const { day } = held;
  if (held.covered.length === 0) return;
  const within = withoutSilence(held).map(withinSql).join(" OR ");
  const { unheld } = await withReadErrors(file, () =>
    duck.row(
      `SELECT count(*) AS unheld FROM (${rows.select}) WHERE (${within}) AND id NOT IN (SELECT id FROM ${parquetSql(store.dataPath(series, day))})`,
    ),
  );
  if (toBigInt(unheld) === 0n) return;
  throw new HistoryError(
    file,
    `the store already has ${series.kind} of ${day} from another source, and without ids duplicates cannot be found`,
    {
      value: held.sources.map(({ name }) => name).join(", "),
      expected: `${series.kind} of each time from one file, or --replace to remove the day's ${series.kind} first`,
    },
  );
}

/**
 * Refuses ids of another sequence. Ids of one sequence ascend with time. If the ids of two files of
 * the same time do not overlap, they count different things.
 */
async function refuseOtherCount(
  store: PendingDays,
  duck: Duck,
  { series, rows, file }: StoreWrite,
  held: DayManifest,
): Promise<void> {
  const { day } = held;
  const ask = (select: string): Promise<Row> =>
    withReadErrors(file, () =>
      duck.row(
        `SELECT min(id) AS firstId, max(id) AS lastId, min(timeNs) AS firstNs, max(timeNs) AS lastNs FROM (${select})`,
      ),
    );
  const [here, there] = [
    await ask(ofDaySql(rows.select, day)),
    await ask(`SELECT * FROM ${parquetSql(store.dataPath(series, day))}`),
  ];
  if (here.firstId === null || there.firstId === null) return;
  const isOneCount =
    toBigInt(here.lastId) >= toBigInt(there.firstId) &&
    toBigInt(there.lastId) >= toBigInt(here.firstId);
  const isAfter = (one: Row, other: Row): boolean =>
    toBigInt(one.firstNs) + LATEST_NS >= toBigInt(other.lastNs);
  if (isOneCount || isAfter(here, there) || isAfter(there, here)) return;
  const idsOf = ({ firstId, lastId }: Row): string => `${String(firstId)} to ${String(lastId)}`;
  throw new HistoryError(
    file,
    `the store already has ${series.kind} of ${day} from another source with other ids for the same time`,
    {
      value: `ids ${idsOf(here)}, and ${idsOf(there)} of ${held.sources.map(({ name }) => name).join(", ")}`,
      expected: `only one of them, such as trades or aggregated trades, or --replace to remove the day's ${series.kind} first: otherwise each trade would count twice`,
    },
  );
}
