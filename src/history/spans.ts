import { DAY_MS, type Ms } from "../core/units.js";
import { type Day, NS_A_MS, requireDayStart, toDay } from "./day.js";

/** A span of time: from an instant, inclusive, to another, exclusive. */
export type Span = readonly [fromMs: Ms, toMs: Ms];

/** The same time as ascending spans that neither touch nor overlap. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = spans.filter(([from, to]) => to > from).sort((one, other) => one[0] - other[0]);
  const union: [Ms, Ms][] = [];
  for (const [from, to] of sorted) {
    const last = union.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else union.push([from, to]);
  }
  return union;
}

/** The parts of `within` that no span covers. */
export function findGaps(spans: readonly Span[], [fromMs, toMs]: Span): Span[] {
  const gaps: Span[] = [];
  let at = fromMs;
  for (const [from, to] of mergeSpans(spans)) {
    if (to <= at) continue;
    if (from >= toMs) break;
    if (from > at) gaps.push([at, from]);
    at = to;
  }
  if (at < toMs) gaps.push([at, toMs]);
  return gaps;
}

/** The parts of the spans that none of the others covers. */
export function subtractSpans(spans: readonly Span[], others: readonly Span[]): Span[] {
  return mergeSpans(spans).flatMap((span) => findGaps(others, span));
}

/** The total length of spans, in milliseconds. */
export function totalLengthMs(spans: readonly Span[]): number {
  return mergeSpans(spans).reduce((total, [from, to]) => total + to - from, 0);
}

/** The parts of the spans that lie within a span. */
export function clipSpans(spans: readonly Span[], [fromMs, toMs]: Span): Span[] {
  return mergeSpans(spans.map(([from, to]): Span => [Math.max(from, fromMs), Math.min(to, toMs)]));
}

/** True if any time belongs to both. */
export function overlaps(spans: readonly Span[], within: Span): boolean {
  return clipSpans(spans, within).length > 0;
}

/**
 * The time from a break in a book to the snapshot that restores it, at least one millisecond:
 * within that millisecond the earlier levels are unknown too.
 */
export function lostSpan(fromMs: Ms, toMs: Ms): Span {
  return toMs > fromMs ? [fromMs, toMs] : [toMs, toMs + 1];
}

/** SQL that is true if the stamp of a row lies within a span. */
export function withinSql([fromMs, toMs]: Span): string {
  return `timeNs >= ${BigInt(fromMs) * NS_A_MS} AND timeNs < ${BigInt(toMs) * NS_A_MS}`;
}

/** The whole of a day. @throws ConfigError for an invalid date */
export function daySpan(day: Day): Span {
  const startMs = requireDayStart(day);
  return [startMs, startMs + DAY_MS];
}

/** The days that spans touch, ascending. */
export function daysTouched(spans: readonly Span[]): Day[] {
  const days: Day[] = [];
  for (const [from, to] of mergeSpans(
    spans.map(([start, end]): Span => [Math.floor(start / DAY_MS), Math.ceil(end / DAY_MS)]),
  )) {
    for (let day = from; day < to; day++) days.push(toDay(day * DAY_MS));
  }
  return days;
}
