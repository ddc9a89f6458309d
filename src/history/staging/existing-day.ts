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

/** Two payments are further from each other. */
const PAYMENT_NS = 60_000n * NS_A_MS;
/** A trade is told later than one with a greater id by less. */
const LATEST_NS = 60_000n * NS_A_MS;

/** Whether a day holds the rows of this very file. */
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
 * Files that are cut by the recorder's clock, such as Tardis's, begin with exchange stamps of the day before: what was heard after all that the
 * day has goes on from it, however their exchange stamps lie.
 * @returns the greatest `seq` that the day has; undefined where these rows tell a place of their own, or were not heard after it
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

/** @throws HistoryError where another source covers a time that these rows cover, of a kind whose records nothing tells apart */
export async function refuseOverlap(
  store: PendingDays,
  { series, source, file }: StoreWrite,
  day: Day,
  spans: readonly Span[],
): Promise<void> {
  const held = store.day(series, day);
  if (held === undefined || layoutFor(series.kind).key !== undefined || holdsFile(held, source))
    return;
  // Where a book is not known its rows are there even so.
  const clash = spans.find((span) =>
    overlaps([...withoutSilence(held), ...(held.lost ?? [])], span),
  );
  if (clash === undefined) return;
  throw new HistoryError(file, `${series.kind} of ${day} is there from another source`, {
    value: held.sources.map(({ name }) => name).join(", "),
    expected: `${instantText(clash[0])} to ${instantText(clash[1])} from one source, or --replace to drop the day's ${series.kind} first`,
  });
}

/**
 * Two files that hold one trade by different ids would make two of it. Rows without an id have the number of their row for one, and each file counts
 * its own; and an exchange counts its trades, and what it sums up of them, apart.
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

/** Sources stamp one payment of funding some milliseconds apart, and it would be paid twice. @throws HistoryError */
export async function refusePaidTwice(
  store: PendingDays,
  duck: Duck,
  { series, rows, source, file }: StoreWrite,
  day: Day,
): Promise<void> {
  const held = store.day(series, day);
  // An exchange that goes on with its own list has each payment once.
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
    `funding of ${day} is there from another source at another stamp: one payment would be paid twice`,
    {
      value: `${String(twice.timeNs)} ns, and ${String(twice.heldNs)} ns of ${held.sources.map(({ name }) => name).join(", ")}`,
      expected: "the funding of a day from one source, or --replace to drop what the day has",
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
    `${series.kind} of ${day} are there from another source, and without ids nobody can tell which of them are the same`,
    {
      value: held.sources.map(({ name }) => name).join(", "),
      expected: `${series.kind} of one time from one file, or --replace to drop the day's ${series.kind} first`,
    },
  );
}

/** Ids ascend with the time, all in all: where those of one file lie apart from those of another that is of the same time, something else is counted. */
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
    `${series.kind} of ${day} are there from another source with other ids for the same time`,
    {
      value: `ids ${idsOf(here)}, and ${idsOf(there)} of ${held.sources.map(({ name }) => name).join(", ")}`,
      expected: `one of both, such as trades or aggregated trades, or --replace to drop the day's ${series.kind} first: each trade would be there twice`,
    },
  );
}
