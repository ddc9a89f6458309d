import { DAY_MS } from "../../core/units.js";
import { type Duck, type Row, wholeOf } from "../duck.js";
import { lengthOf, type Span, unionOf } from "../spans.js";

/** Where the messages of a book do not follow on each other. */
export interface BrokenChain {
  /** Messages before which others are missing. */
  readonly breaks: number;
  /** The time in which the book is not known for that, milliseconds since 1970, ascending. */
  readonly lost: readonly Span[];
}

/** After the last record that can be. */
const NEVER_MS = 100_000 * DAY_MS;
const ALL_BEFORE = "(ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)";

/**
 * Where the chain of a book's sequences is broken. An update follows on the one before by its `prevEndSequence`, or where it tells none by its
 * `beginSequence`, as on the exchange; or on a snapshot that came since. What was missed may have been any level: the book is not known from the
 * last update before the break to the snapshot that goes before the next one, where that is new enough, else to the next snapshot or the file's end.
 * @param from SQL of the messages, in their order.
 */
export async function brokenChain(duck: Duck, from: string): Promise<BrokenChain> {
  const isSnapshot = "type = 'snapshot'";
  const ofUpdate = (sql: string): string => `last_value(CASE WHEN NOT isSnapshot THEN ${sql} END IGNORE NULLS) OVER ${ALL_BEFORE}`;
  const messages = `SELECT row_number() OVER () AS place, ${isSnapshot} AS isSnapshot, "timestamp" AS ms, CASE WHEN ${isSnapshot} THEN sequence ELSE endSequence END AS ends, CASE WHEN ${isSnapshot} THEN NULL ELSE coalesce(prevEndSequence, beginSequence - 1) END AS follows FROM ${from}`;
  const before = `SELECT *, ${ofUpdate("ends")} AS updateEnds, ${ofUpdate("place")} AS updatePlace, ${ofUpdate("ms")} AS updateMs, lag(isSnapshot) OVER (ORDER BY place) AS isAfterSnapshot, lag(ends) OVER (ORDER BY place) AS beforeEnds, lag(ms) OVER (ORDER BY place) AS beforeMs FROM (${messages})`;
  const isOff = "follows IS NOT NULL AND updateEnds IS DISTINCT FROM follows";
  // A snapshot that is newer than what was missed stands in for it.
  const isMended = "coalesce(isAfterSnapshot AND (beforeEnds IS NULL OR follows <= beforeEnds), false)";
  const broken = `SELECT place, ${isMended} AS isMended, beforeMs, least(coalesce(updateMs, beforeMs) + 1, ms) AS fromMs FROM (${before}) WHERE ${isOff} AND (updateEnds IS NOT NULL OR isAfterSnapshot AND NOT ${isMended})`;
  const { breaks } = await duck.row(`SELECT count(*) AS breaks FROM (${broken})`);
  if (wholeOf(breaks) === 0n) return { breaks: 0, lost: [] };
  const snapshots = `SELECT place, ms FROM (${messages}) WHERE isSnapshot`;
  const spans = await duck.rows(
    `SELECT DISTINCT fromMs, toMs FROM (SELECT b.fromMs, CASE WHEN b.isMended THEN b.beforeMs ELSE s.ms END AS toMs FROM (${broken}) AS b ASOF LEFT JOIN (${snapshots}) AS s ON b.place < s.place) WHERE fromMs IS NOT NULL ORDER BY fromMs`,
  );
  return { breaks: Number(breaks), lost: unionOf(spans.map(spanOf)) };
}

/** What an import says of it. */
export function brokenText(breaks: number, lost: readonly Span[]): string {
  const isToEnd = lost.at(-1)?.[1] === NEVER_MS;
  const ended = isToEnd ? lost.slice(0, -1) : lost;
  const spells = ended.length === 0 ? [] : [`for ${lengthOf(ended) / 1000} s, each time to the next snapshot`];
  const rest = isToEnd ? ["at its end, since no snapshot comes"] : [];
  return `${breaks} updates do not follow on the one before (prevEndSequence, else beginSequence): the book is not known ${[...spells, ...rest].join(", and ")}`;
}

function spanOf({ fromMs, toMs }: Row): Span {
  return [Number(fromMs), toMs === null ? NEVER_MS : Number(toMs)];
}
