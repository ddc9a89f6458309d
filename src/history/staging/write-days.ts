import { DAY_MS } from "../../core/units.js";
import { type Day, NS_A_MS, nsToMs, toDay } from "../day.js";
import { intervalFor, intervalToMs } from "../kinds.js";
import { clipSpans, daySpan, daysTouched, mergeSpans, type Span, subtractSpans } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import { PendingDays } from "../store/pending-days.js";
import type { StoreWrite } from "../store/store-write.js";
import { extendToMidnights } from "./cut-at-midnight.js";
import { withReadErrors } from "./decimal-places.js";
import {
  lastSeqBefore,
  ofDaySql,
  refuseCountedTwice,
  refuseOverlap,
  refusePaidTwice,
} from "./existing-day.js";
import type { StagedRows } from "./stage-rows.js";
import { writeDay } from "./write-day.js";

/** Up to this many days are read from the staged file directly. */
const FEW_DAYS = 3;

/**
 * Writes rows into the store at once. The caller holds the series' lock.
 * @throws as {@link prepareDays} does
 */
export async function writeDays(
  store: HistoryStore,
  duck: Duck,
  writing: StoreWrite,
): Promise<DayManifest[]> {
  const pending = new PendingDays(store);
  try {
    const written = await prepareDays(pending, duck, writing);
    pending.commit();
    return written;
  } finally {
    pending.drop();
  }
}

/**
 * Prepares rows for the store, day by day, each day completely or not at all. Rows with a key join
 * the existing rows. Messages of a capture have no key, so a span that another source covers is
 * refused. The caller holds the series' lock.
 * @returns the written days, ascending.
 * @throws HistoryError naming the file when two records of one key differ, or two sources overlap.
 */
export async function prepareDays(
  store: PendingDays,
  duck: Duck,
  writing: StoreWrite,
): Promise<DayManifest[]> {
  const { series, rows, recvShift } = writing;
  const { firstNs, lastNs } = rows;
  const lastsMs = intervalToMs(intervalFor(series.kind)) ?? 1;
  const ends: Span[] =
    firstNs === undefined || lastNs === undefined
      ? []
      : [[nsToMs(firstNs), nsToMs(lastNs) + lastsMs]];
  const first = lastsMs > DAY_MS ? await eachCandle(duck, rows, lastsMs) : ends;
  const reached =
    writing.covered ??
    (intervalFor(series.kind) === ""
      ? await Promise.all(first.map((span) => extendToMidnights(duck, rows, span)))
      : first);
  const lost = reached.flatMap((span) => clipSpans(writing.lost ?? [], span));
  const spans = subtractSpans(reached, lost);
  const within = daysTouched([...spans, ...first]);
  // An import does not show that a day without records had none.
  const days =
    writing.covered === undefined && lastsMs <= DAY_MS && within.length > 2
      ? await heldDays(duck, rows)
      : within;
  const shifted =
    recvShift === undefined
      ? rows.select
      : `SELECT * REPLACE (recvNs + (${recvShift}) AS recvNs) FROM (${rows.select})`;
  const lastSeq = new Map<Day, bigint>();
  for (const day of days) {
    const seq = await lastSeqBefore(store, duck, writing, day, shifted);
    if (seq !== undefined) {
      lastSeq.set(day, seq);
      continue;
    }
    await refuseOverlap(store, writing, day, clipSpans(writing.covered ?? first, daySpan(day)));
    await refuseCountedTwice(store, duck, writing, day);
    await refusePaidTwice(store, duck, writing, day);
  }
  // A file gives no information after its last record, also about rows lost there.
  const leftOut = reached.flatMap((span) => clipSpans(writing.leftOut ?? [], span));
  const ended = { ...writing, lost, leftOut };
  const writeEach = async (select: string): Promise<DayManifest[]> => {
    const written: DayManifest[] = [];
    for (const day of days) {
      const ofDay = days.length === 1 ? select : ofDaySql(select, day);
      const before = lastSeq.get(day);
      const fresh =
        before === undefined ? ofDay : `SELECT * REPLACE (seq + ${before} AS seq) FROM (${ofDay})`;
      const manifest = await writeDay(store, duck, ended, {
        day,
        fresh,
        spans: clipSpans(spans, daySpan(day)),
      });
      if (manifest !== undefined) written.push(manifest);
    }
    return written;
  };
  if (days.length <= FEW_DAYS) return writeEach(shifted);
  // Opening the file costs more than reading the rows of a day.
  const table = duck.newTable();
  await withReadErrors(writing.file, () => duck.run(`CREATE TEMP TABLE ${table} AS ${shifted}`));
  try {
    return await writeEach(`SELECT * FROM ${table}`);
  } finally {
    await duck.run(`DROP TABLE ${table}`);
  }
}

/**
 * The time of each candle longer than a day. A day without a row may lie within such a candle, or
 * in none.
 */
async function eachCandle(duck: Duck, { select }: StagedRows, lastsMs: number): Promise<Span[]> {
  const found = await duck.rows(`SELECT DISTINCT timeNs FROM (${select}) ORDER BY timeNs`);
  return mergeSpans(
    found.map(({ timeNs }): Span => [nsToMs(toBigInt(timeNs)), nsToMs(toBigInt(timeNs)) + lastsMs]),
  );
}

/** The days that have a row, ascending. */
async function heldDays(duck: Duck, { select }: StagedRows): Promise<Day[]> {
  const found = await duck.rows(
    `SELECT DISTINCT timeNs // ${BigInt(DAY_MS) * NS_A_MS} AS day FROM (${select}) ORDER BY 1`,
  );
  return found.map(({ day }) => toDay(Number(toBigInt(day)) * DAY_MS));
}
