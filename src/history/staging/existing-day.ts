import { type Day, instantText, NS_A_MS } from "../day.js";
import { HistoryError } from "../history-errors.js";
import { layoutOf } from "../kinds.js";
import { overlaps, type Span, spanOf, withinSql } from "../spans.js";
import type { DayManifest, SourceNote } from "../store/day-manifest.js";
import { type Duck, type Row, wholeOf } from "../store/duck.js";
import type { PendingDays } from "../store/pending-days.js";
import type { Writing } from "../store/store-write.js";
import { withoutSilence } from "./cut-at-midnight.js";
import { parquetSql, reading } from "./decimal-places.js";

/** Two payments are further from each other. */
const PAYMENT_NS = 60_000n * NS_A_MS;
/** A trade is told later than one with a greater id by less. */
const LATEST_NS = 60_000n * NS_A_MS;

/** Whether a day holds the rows of this very file. */
export function isHeld(
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
  return `SELECT * FROM (${select}) WHERE ${withinSql(spanOf(day))}`;
}

/**
 * Files that are cut by the recorder's clock, such as Tardis's, begin with exchange stamps of the day before: what was heard after all that the
 * day has goes on from it, however their exchange stamps lie.
 * @returns the greatest `seq` that the day has; undefined where these rows tell a place of their own, or were not heard after it
 */
export async function seqHeardBefore(
  store: PendingDays,
  duck: Duck,
  { series, source, file, isByMessage = false }: Writing,
  day: Day,
  shifted: string,
): Promise<bigint | undefined> {
  const held = store.day(series, day);
  if (held === undefined || isHeld(held, source)) return undefined;
  if (!isByMessage && source.isNumbered !== true) return undefined;
  const ask = (select: string): Promise<Row> =>
    reading(file, () =>
      duck.row(
        `SELECT min(recvNs) AS heardFrom, max(recvNs) AS heardTo, max(seq) AS lastSeq, count(*) - count(recvNs) AS unheard FROM (${select})`,
      ),
    );
  const before = await ask(`SELECT recvNs, seq FROM ${parquetSql(store.dataPath(series, day))}`);
  const after = await ask(ofDaySql(shifted, day));
  const isStamped =
    wholeOf(before.unheard) + wholeOf(after.unheard) === 0n &&
    before.heardTo !== null &&
    after.heardFrom !== null;
  return isStamped && wholeOf(after.heardFrom) > wholeOf(before.heardTo)
    ? wholeOf(before.lastSeq)
    : undefined;
}

/** @throws HistoryError where another source covers a time that these rows cover, of a kind whose records nothing tells apart */
export async function refuseOverlap(
  store: PendingDays,
  { series, source, file }: Writing,
  day: Day,
  spans: readonly Span[],
): Promise<void> {
  const held = store.day(series, day);
  if (held === undefined || layoutOf(series.kind).key !== undefined || isHeld(held, source)) return;
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
  writing: Writing,
  day: Day,
): Promise<void> {
  const { series, source } = writing;
  const held = store.day(series, day);
  if (held === undefined || layoutOf(series.kind).key?.[0] !== "id" || isHeld(held, source)) return;
  if ([source, ...held.sources].some(({ isNumbered }) => isNumbered === true))
    await refuseNumbered(store, duck, writing, held);
  else await refuseOtherCount(store, duck, writing, held);
}

/** Sources stamp one payment of funding some milliseconds apart, and it would be paid twice. @throws HistoryError */
export async function refusePaidTwice(
  store: PendingDays,
  duck: Duck,
  { series, rows, source, file }: Writing,
  day: Day,
): Promise<void> {
  const held = store.day(series, day);
  // An exchange that goes on with its own list has each payment once.
  if (
    held === undefined ||
    series.kind !== "funding" ||
    source.sha256 === undefined ||
    isHeld(held, source)
  )
    return;
  const there = `SELECT timeNs AS heldNs FROM ${parquetSql(store.dataPath(series, day))}`;
  const [twice] = await reading(file, () =>
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
  { series, rows, file }: Writing,
  held: DayManifest,
): Promise<void> {
  const { day } = held;
  if (held.covered.length === 0) return;
  const within = withoutSilence(held).map(withinSql).join(" OR ");
  const { unheld } = await reading(file, () =>
    duck.row(
      `SELECT count(*) AS unheld FROM (${rows.select}) WHERE (${within}) AND id NOT IN (SELECT id FROM ${parquetSql(store.dataPath(series, day))})`,
    ),
  );
  if (wholeOf(unheld) === 0n) return;
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
  { series, rows, file }: Writing,
  held: DayManifest,
): Promise<void> {
  const { day } = held;
  const ask = (select: string): Promise<Row> =>
    reading(file, () =>
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
    wholeOf(here.lastId) >= wholeOf(there.firstId) &&
    wholeOf(there.lastId) >= wholeOf(here.firstId);
  const isAfter = (one: Row, other: Row): boolean =>
    wholeOf(one.firstNs) + LATEST_NS >= wholeOf(other.lastNs);
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
