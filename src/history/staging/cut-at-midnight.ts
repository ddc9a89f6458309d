import { DAY_MS } from "../../core/units.js";
import { nsToMs } from "../day.js";
import { clipSpans, type Span, withinSql } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";
import type { StagedRows } from "./stage-rows.js";

/**
 * A first or last record further from a midnight than this does not show that its file was cut
 * there.
 */
const NEAR_MS = 60_000;
/**
 * The time beside a midnight whose silences are measured, and the number of records needed in it.
 */
const PACE_MS = 3_600_000;
const LEAST_RECORDS = 100;

/**
 * Extends the time that a file covers to UTC midnights, where archives cut their days. It reaches a
 * midnight if the first or last record is no further from it than the longest silence in the hour
 * beside it. A loss there would be indistinguishable from such a silence, as anywhere within the
 * file.
 * @param span from the first to the last record.
 */
export async function extendToMidnights(
  duck: Duck,
  { select }: StagedRows,
  [fromMs, toMs]: Span,
): Promise<Span> {
  const [beginMs, endMs] = [
    Math.floor(fromMs / DAY_MS) * DAY_MS,
    Math.ceil(toMs / DAY_MS) * DAY_MS,
  ];
  const reaches = async (silenceMs: number, within: Span): Promise<boolean> =>
    silenceMs > 0 &&
    silenceMs <= NEAR_MS &&
    silenceMs <= (await longestSilenceMs(duck, select, within));
  return [
    (await reaches(fromMs - beginMs, [beginMs, beginMs + PACE_MS])) ? beginMs : fromMs,
    (await reaches(endMs - toMs, [endMs - PACE_MS, endMs])) ? endMs : toMs,
  ];
}

/**
 * The covered time of a day without the silence beside its midnights. No rows of the day lie there,
 * but rows of the next file may.
 */
export function withoutSilence({ covered, firstNs, lastNs }: DayManifest): Span[] {
  const first = covered[0];
  const last = covered.at(-1);
  if (first === undefined || last === undefined || firstNs === null || lastNs === null)
    return [...covered];
  const [firstMs, lastMs] = [nsToMs(BigInt(firstNs)), nsToMs(BigInt(lastNs)) + 1];
  const fromMs = first[0] % DAY_MS === 0 && firstMs - first[0] <= NEAR_MS ? firstMs : first[0];
  const toMs = last[1] % DAY_MS === 0 && last[1] - lastMs <= NEAR_MS ? lastMs : last[1];
  return clipSpans(covered, [fromMs, toMs]);
}

async function longestSilenceMs(duck: Duck, select: string, within: Span): Promise<number> {
  const { records, longest } = await duck.row(
    `SELECT count(*) AS records, max(timeNs - before) AS longest FROM (SELECT timeNs, lag(timeNs) OVER (ORDER BY timeNs) AS before FROM (${select}) WHERE ${withinSql(within)})`,
  );
  return toBigInt(records) < LEAST_RECORDS ? 0 : Number(toBigInt(longest)) / 1e6;
}
