import type { MarketId } from "../../core/units.js";
import { type Day, instantText, nsToMs, requireDayStart } from "../day.js";
import { type HistoryKind, intervalFor, intervalToMs } from "../kinds.js";
import {
  clipSpans,
  daySpan,
  findGaps,
  lostSpan,
  mergeSpans,
  overlaps,
  type Span,
  subtractSpans,
} from "../spans.js";
import { betweenRows, isCount, mayBeMissing } from "../staging/trade-ids.js";
import { type BookStretch, type DayManifest, isFromExchange } from "./day-manifest.js";

/** The finding for ids that an exchange counts differently, or not in steps of one. */
export const UNCOUNTED = "do not count the trades, so missing trades cannot be found";

/** The time between two parts of a series, as far as their rows describe it. */
interface SeriesJoin {
  /** The day of the second part. */
  readonly day: Day;
  /** Spans with missing rows. */
  readonly lost?: readonly Span[];
  /** Spans without missing rows that neither part covers: the second part continues the first. */
  readonly joined?: readonly Span[];
  /** The sentence that names the missing data. */
  readonly finding?: string;
}

/**
 * Resolves the days of a series as every reader sees them. A manifest describes its own files only.
 *
 * `covered` excludes missing data, found by the ids of trades, the steps between candles, and the
 * chain of a book's messages or of ids across files and days. It includes the time between two
 * files if the second continues the first. A day also covers following days without files if they
 * lie in such a time.
 * @param days as written, ascending
 */
export function resolveDays(days: readonly DayManifest[]): readonly DayManifest[] {
  const kind = days[0]?.kind;
  if (kind === undefined) return days;
  if (/klines-\d+MO$/.test(kind)) return days.map(wholeMonth);
  const ofRows =
    kind === "book"
      ? [...bookJoins(days), ...neverWhole(days)]
      : kind === "trades"
        ? tradeJoins(days)
        : candleJoins(kind, days);
  const runtimes: readonly SeriesJoin[] = [...ofRows, ...mixedReadings(days)];
  if (runtimes.length === 0 && days.every(({ holes = [] }) => holes.length === 0)) return days;
  const lost = runtimes.flatMap((runtime) => runtime.lost ?? []);
  const joined = runtimes.flatMap((runtime) => runtime.joined ?? []);
  return days.map((manifest, at) => {
    const { day, holes = [] } = manifest;
    const [startMs, endMs] = daySpan(day);
    const next = days[at + 1]?.day;
    const joinedHere = clipSpans(joined, [
      startMs,
      next === undefined ? endMs : requireDayStart(next),
    ]);
    const lostHere = clipSpans(lost, [startMs, endMs]);
    const found = runtimes.flatMap((runtime) =>
      runtime.day === day && runtime.finding !== undefined ? [runtime.finding] : [],
    );
    if ([holes, joinedHere, lostHere, found].every(({ length }) => length === 0)) return manifest;
    const covered = subtractSpans([...manifest.covered, ...joinedHere], [...holes, ...lostHere]);
    return {
      ...manifest,
      covered,
      complete: findGaps(covered, [startMs, endMs]).length === 0,
      ...(kind === "book" ? { lost: mergeSpans([...(manifest.lost ?? []), ...lostHere]) } : {}),
      findings: [...manifest.findings, ...found],
    };
  });
}

/**
 * The notes about days of an earlier version, which stored nothing that shows missing data in or
 * between them; empty if there are none.
 */
export function unknownText(
  { market, kind }: { readonly market: MarketId; readonly kind: string },
  days: readonly DayManifest[],
): string[] {
  const isOld = ({ holes, chain, sources }: DayManifest): boolean =>
    (kind === "book"
      ? chain === undefined
      : (kind === "trades" || intervalFor(kind) !== "") && holes === undefined) &&
    sources.some((source) => !isFromExchange(source));
  const old = days.filter(isOld).length;
  if (old === 0) return [];
  return [
    `${market} ${kind}: ${old} of ${days.length} days were imported by an earlier version, which did not find all missing data: import them again with --replace`,
  ];
}

/** True if the ids of a day's trades do not count them, and so show no missing trades. */
export function hasUncountedIds({ kind, holes, ids, rows, sources }: DayManifest): boolean {
  const isKnown = kind === "trades" && holes !== undefined && rows > 1;
  return (
    isKnown &&
    ids === undefined &&
    sources.every((source) => !isFromExchange(source) && source.isNumbered !== true)
  );
}

/** The notes about days of trades whose ids show no missing trades; empty if there are none. */
export function uncountedText(
  { market, kind }: { readonly market: MarketId; readonly kind: string },
  days: readonly DayManifest[],
): string[] {
  const uncounted = days.filter(hasUncountedIds).length;
  return uncounted === 0
    ? []
    : [`${market} ${kind}: the ids of ${uncounted} of ${days.length} days ${UNCOUNTED}`];
}

/** An earlier version kept monthly candles, and took each for the day on which it begins. */
function wholeMonth(manifest: DayManifest): DayManifest {
  const startMs = requireDayStart(manifest.day);
  const [year, month] = manifest.day.split("-").map(Number) as [number, number];
  const next =
    month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, "0")}-01`;
  return { ...manifest, covered: [[startMs, requireDayStart(next)]], complete: true };
}

/**
 * The days of updates before any snapshot: a replay plays them, but trusts the book only from its
 * first snapshot on.
 */
function neverWhole(days: readonly DayManifest[]): SeriesJoin[] {
  const first = days.findIndex(({ sources }) =>
    sources.some((source) => source.hasNoSnapshot !== true),
  );
  const finding =
    "has no snapshot, and the store has none before it: the book is never known to be complete, so a backtest does not quote on it";
  return days.slice(0, first < 0 ? days.length : first).map(({ day }) => ({ day, finding }));
}

function bookJoins(days: readonly DayManifest[]): SeriesJoin[] {
  const runtimes: SeriesJoin[] = [];
  const lostSpans = days.flatMap(({ lost = [] }) => lost);
  let before: { readonly stretch: BookStretch; readonly isLost: boolean } | undefined;
  for (const { day, chain = [], lost = [], sources } of days) {
    // The end of another file of the day is unknown.
    if (chain.length !== sources.length) {
      before = undefined;
      continue;
    }
    for (const stretch of chain) {
      const runtime =
        before === undefined ? {} : betweenStretches(before.stretch, stretch, before.isLost);
      // The gaps within one file are in the manifests of its days already.
      const isSaid =
        before?.isLost === true && subtractSpans(runtime.lost ?? [], lostSpans).length === 0;
      if (!isSaid) runtimes.push({ day, ...runtime });
      const [, endMs] = stretch.span;
      const isLost =
        stretch.snapshot === null &&
        overlaps([...lost, ...(runtime.lost ?? [])], [endMs - 1, endMs]);
      before = { stretch, isLost };
    }
  }
  return runtimes;
}

/**
 * The time between two stretches, and how long the book is unknown in the second.
 * @param isLost true if the book is unknown at the end of the first
 */
function betweenStretches(
  before: BookStretch,
  stretch: BookStretch,
  isLost: boolean,
): Omit<SeriesJoin, "day"> {
  const { file, span, wholeMs, follows } = stretch;
  const { update, snapshot } = before;
  const rest = lostSpan(before.span[1], wholeMs ?? span[1]);
  if (isLost) {
    return {
      lost: [rest],
      finding: `the book before it was lost, and no snapshot followed: the book is unknown from ${spanText(rest)}`,
    };
  }
  if (file === before.file || follows === null || (update === null && snapshot === null)) return {};
  const between: Span[] = span[0] > before.span[1] ? [[before.span[1], span[0]]] : [];
  if (update?.sequence === follows) return { joined: between };
  const isMended = snapshot !== null && BigInt(follows) <= BigInt(snapshot.sequence);
  if (isMended && update === null) return { joined: between };
  const lost = isMended && update !== null ? lostSpan(update.ms + 1, snapshot.ms) : rest;
  return {
    lost: [lost],
    ...(isMended ? { joined: between } : {}),
    finding: `updates are missing before ${instantText(span[0])}, since the file does not continue the one before: the book is unknown from ${spanText(lost)}`,
  };
}

function tradeJoins(days: readonly DayManifest[]): SeriesJoin[] {
  return days.flatMap((next, at) => [...withinDay(next), ...betweenDays(days[at - 1], next)]);
}

/** If ids count all trades of a day, except in its holes, the time between its files is known. */
function withinDay({ day, ids, firstNs, lastNs }: DayManifest): SeriesJoin[] {
  if (ids === undefined || firstNs === null || lastNs === null) return [];
  return [{ day, joined: [[nsToMs(BigInt(firstNs)), nsToMs(BigInt(lastNs)) + 1]] }];
}

function betweenDays(last: DayManifest | undefined, next: DayManifest): SeriesJoin[] {
  const [ids, nextIds] = [last?.ids, next.ids];
  if (
    last?.lastId === undefined ||
    ids === undefined ||
    nextIds === undefined ||
    last.lastNs === null ||
    next.firstNs === null
  )
    return [];
  const missing = BigInt(nextIds.first) - BigInt(last.lastId) - 1n;
  const between = betweenRows(BigInt(last.lastNs), BigInt(next.firstNs));
  if (missing === 0n) return [{ day: next.day, joined: between }];
  const rows = last.rows + next.rows;
  if (!mayBeMissing(missing, rows) || !isCount(rows - 1, ids.breaks + nextIds.breaks + 1))
    return [];
  return [
    {
      day: next.day,
      lost: between,
      finding: `${missing} trades are missing before its first one, according to its ids and those of ${last.day}`,
    },
  ];
}

/**
 * A file of a source that omits candles without trades may begin or end with such a time. A gap
 * between two files is accepted up to the length that is accepted within their days.
 */
function candleJoins(kind: HistoryKind, days: readonly DayManifest[]): SeriesJoin[] {
  const intervalMs = intervalToMs(intervalFor(kind));
  if (intervalMs === undefined) return [];
  const spans = days.flatMap(({ day, covered, missingCandles, sources }) => {
    const quiet = sources.some(isFromExchange) ? 0 : (missingCandles?.quietUpTo ?? 0);
    return covered.map(([fromMs, toMs]) => ({ day, fromMs, toMs, quietMs: quiet * intervalMs }));
  });
  return spans.flatMap(({ day, fromMs, quietMs }, at) => {
    const before = spans[at - 1];
    const gapMs = before === undefined ? 0 : fromMs - before.toMs;
    if (before === undefined || gapMs <= 0 || gapMs > Math.min(before.quietMs, quietMs)) return [];
    return [{ day, joined: [[before.toMs, fromMs] as const] }];
  });
}

function spanText([fromMs, toMs]: Span): string {
  return `${instantText(fromMs)} to ${instantText(toMs)}`;
}

/**
 * The days that hold a file in another reading than an earlier day does, each with a sentence about
 * it.
 * @param days ascending
 */
function mixedReadings(
  days: readonly DayManifest[],
): { readonly day: Day; readonly finding: string }[] {
  const last = new Map<string, { readonly day: Day; readonly reading: string }>();
  const found: { readonly day: Day; readonly finding: string }[] = [];
  for (const { day, sources } of days) {
    for (const { sha256, reading, name } of sources) {
      if (sha256 === undefined || reading === undefined) continue;
      const before = last.get(sha256);
      if (before !== undefined && before.reading !== reading) {
        const finding = `${name} was imported with another mapping, clock or repair than for ${before.day}: import it again with --replace`;
        found.push({ day, finding });
      }
      last.set(sha256, { day, reading });
    }
  }
  return found;
}
