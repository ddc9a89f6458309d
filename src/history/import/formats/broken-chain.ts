import { DAY_MS } from "../../../core/units.js";
import { toDay } from "../../day.js";
import { lostSpan, mergeSpans, type Span, totalLengthMs } from "../../spans.js";
import type { ChainStretch } from "../../store/day-manifest.js";
import { type Duck, type Row, toBigInt } from "../../store/duck.js";

/** The chain of a book's messages: its breaks, and the first and last sequence of each day. */
interface BookChain {
  /** Messages before which others are missing. */
  readonly breaks: number;
  /**
   * The time in which the book is unknown because of the breaks, milliseconds since 1970,
   * ascending.
   */
  readonly lost: readonly Span[];
  /** One for each day with a message, ascending. */
  readonly stretches: readonly ChainStretch[];
}

/** After the last possible record. */
const NEVER_MS = 100_000 * DAY_MS;
const ALL_BEFORE = "(ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)";

/**
 * Finds the breaks in a book's chain of sequences.
 *
 * An update follows the one before it by its `prevEndSequence`, or else by its `beginSequence`, as
 * on the exchange; or it follows a snapshot that came in between. Missed messages may have changed
 * any level. The book is therefore unknown from the last update before a break to the snapshot
 * before the next update if that is recent enough, else to the next snapshot or the file's end.
 * @param from SQL of the messages, in their order.
 */
export async function brokenChain(duck: Duck, from: string): Promise<BookChain> {
  const messages = duck.newTable();
  const isSnapshot = "type = 'snapshot'";
  await duck.run(
    `CREATE TEMP TABLE ${messages} AS SELECT row_number() OVER () AS place, ${isSnapshot} AS isSnapshot, "timestamp" AS ms, CASE WHEN ${isSnapshot} THEN sequence ELSE endSequence END AS ends, CASE WHEN ${isSnapshot} THEN NULL ELSE coalesce(prevEndSequence, beginSequence - 1) END AS follows FROM ${from}`,
  );
  try {
    return { ...(await breaksIn(duck, messages)), stretches: await stretchesOf(duck, messages) };
  } finally {
    await duck.run(`DROP TABLE ${messages}`);
  }
}

async function breaksIn(duck: Duck, messages: string): Promise<Pick<BookChain, "breaks" | "lost">> {
  const ofUpdate = (sql: string): string =>
    `last_value(CASE WHEN NOT isSnapshot THEN ${sql} END IGNORE NULLS) OVER ${ALL_BEFORE}`;
  const before = `SELECT *, ${ofUpdate("ends")} AS updateEnds, ${ofUpdate("place")} AS updatePlace, ${ofUpdate("ms")} AS updateMs, lag(isSnapshot) OVER (ORDER BY place) AS isAfterSnapshot, lag(ends) OVER (ORDER BY place) AS beforeEnds, lag(ms) OVER (ORDER BY place) AS beforeMs FROM ${messages}`;
  const isOff = "follows IS NOT NULL AND updateEnds IS DISTINCT FROM follows";
  // A snapshot newer than the missed messages replaces them.
  const isMended =
    "coalesce(isAfterSnapshot AND (beforeEnds IS NULL OR follows <= beforeEnds), false)";
  const broken = `SELECT place, ${isMended} AS isMended, beforeMs, least(coalesce(updateMs, beforeMs) + 1, ms) AS fromMs FROM (${before}) WHERE ${isOff} AND (updateEnds IS NOT NULL OR isAfterSnapshot AND NOT ${isMended})`;
  const { breaks } = await duck.row(`SELECT count(*) AS breaks FROM (${broken})`);
  if (toBigInt(breaks) === 0n) return { breaks: 0, lost: [] };
  const snapshots = `SELECT place, ms FROM ${messages} WHERE isSnapshot`;
  const spans = await duck.rows(
    `SELECT DISTINCT fromMs, toMs FROM (SELECT b.fromMs, CASE WHEN b.isMended THEN b.beforeMs ELSE s.ms END AS toMs FROM (${broken}) AS b ASOF LEFT JOIN (${snapshots}) AS s ON b.place < s.place) WHERE fromMs IS NOT NULL ORDER BY fromMs`,
  );
  return {
    breaks: Number(breaks),
    lost: mergeSpans(
      spans.map(({ fromMs, toMs }) => lostSpan(Number(fromMs), numberOf(toMs) ?? NEVER_MS)),
    ),
  };
}

async function stretchesOf(duck: Duck, messages: string): Promise<ChainStretch[]> {
  const last = (what: string, filter: string): string =>
    `arg_max(${what}, place) FILTER (${filter})`;
  const days = await duck.rows(
    `SELECT ms // ${DAY_MS} AS day, min(ms) AS fromMs, max(ms) AS toMs, min(ms) FILTER (isSnapshot) AS wholeMs, arg_min(follows, place) FILTER (follows IS NOT NULL) AS follows, ${last("ends", "NOT isSnapshot AND ends IS NOT NULL")} AS updateEnds, ${last("ms", "NOT isSnapshot AND ends IS NOT NULL")} AS updateMs, ${last("ends", "isSnapshot AND ends IS NOT NULL")} AS snapshotEnds, ${last("ms", "isSnapshot AND ends IS NOT NULL")} AS snapshotMs, coalesce(max(place) FILTER (isSnapshot) > max(place) FILTER (NOT isSnapshot), true) AS endsWhole FROM ${messages} WHERE ms IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  return days.map((row) => ({
    day: toDay(Number(row.day) * DAY_MS),
    span: [Number(row.fromMs), Number(row.toMs) + 1] as const,
    wholeMs: numberOf(row.wholeMs) ?? null,
    follows: textOf(row.follows),
    update: sequenceAt(row.updateEnds, row.updateMs),
    snapshot: row.endsWhole === true ? sequenceAt(row.snapshotEnds, row.snapshotMs) : null,
  }));
}

/** The finding about the breaks. */
export function brokenText(breaks: number, lost: readonly Span[]): string {
  const isToEnd = lost.at(-1)?.[1] === NEVER_MS;
  const ended = isToEnd ? lost.slice(0, -1) : lost;
  const spells =
    ended.length === 0
      ? []
      : [`for ${totalLengthMs(ended) / 1000} s, each time to the next snapshot`];
  const rest = isToEnd ? ["at its end, since no snapshot follows"] : [];
  return `${breaks} updates do not continue the one before (by prevEndSequence, else beginSequence): the book is unknown ${[...spells, ...rest].join(", and ")}`;
}

function sequenceAt(sequence: unknown, ms: unknown): ChainStretch["update"] {
  const text = textOf(sequence);
  return text === null ? null : { sequence: text, ms: Number(ms) };
}

function textOf(value: Row[string]): string | null {
  return value === null || value === undefined ? null : String(value);
}

function numberOf(value: Row[string]): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
