import type { MarketId } from "../core/units.js";
import { type Day, instantText, startOfDay } from "./day.js";
import { type BookStretch, type DayManifest, isFromExchange } from "./day-manifest.js";
import { intervalOf } from "./kinds.js";
import { cutTo, gapsOf, lostSpan, type Span, spanOf, unionOf, withoutSpans } from "./spans.js";
import { betweenRows, isCount, mayBeMissing } from "./trade-ids.js";

/** Time of which rows are missing between two parts of a series, and the finding that names it. */
interface Seam {
  /** The day of the second part. */
  readonly day: Day;
  readonly lost: readonly Span[];
  readonly finding: string;
}

/**
 * The days of a series as every reader is to take them: `covered` without what is missing, by the ids of trades and the steps between candles, and by
 * the chain of a book's messages or of ids from file to file and from day to day. A manifest says of each day what its own files told.
 * @param days as they were written, ascending
 */
export function knownDays(days: readonly DayManifest[]): readonly DayManifest[] {
  const kind = days[0]?.kind;
  if (kind === undefined) return days;
  if (/klines-\d+MO$/.test(kind)) return days.map(wholeMonth);
  const seams = kind === "book" ? [...bookSeams(days), ...neverWhole(days)] : kind === "trades" ? tradeSeams(days) : [];
  if (seams.length === 0 && days.every(({ holes = [] }) => holes.length === 0)) return days;
  const lost = seams.flatMap((seam) => seam.lost);
  return days.map((manifest) => {
    const { day, holes = [] } = manifest;
    const lostHere = cutTo(lost, spanOf(day));
    const found = seams.flatMap((seam) => (seam.day === day ? [seam.finding] : []));
    if (holes.length === 0 && lostHere.length === 0 && found.length === 0) return manifest;
    const covered = withoutSpans(manifest.covered, [...holes, ...lostHere]);
    return {
      ...manifest,
      covered,
      complete: gapsOf(covered, spanOf(day)).length === 0,
      ...(kind === "book" ? { lost: unionOf([...(manifest.lost ?? []), ...lostHere]) } : {}),
      findings: [...manifest.findings, ...found],
    };
  });
}

/** Of days that an earlier version imported, which kept nothing that would tell what is missing in or between them; empty where there are none. */
export function unknownText(
  { market, kind }: { readonly market: MarketId; readonly kind: string },
  days: readonly DayManifest[],
): string[] {
  const isOld = ({ holes, chain, sources }: DayManifest): boolean =>
    (kind === "book" ? chain === undefined : (kind === "trades" || intervalOf(kind) !== "") && holes === undefined) &&
    sources.some((source) => !isFromExchange(source));
  const old = days.filter(isOld).length;
  if (old === 0) return [];
  return [
    `${market} ${kind}: ${old} of ${days.length} days were imported by an earlier version, which did not look for all that is missing: import them again with --replace`,
  ];
}

/** An earlier version kept candles of a month, and took each for the day that it begins on. */
function wholeMonth(manifest: DayManifest): DayManifest {
  const startMs = startOfDay(manifest.day);
  const [year, month] = manifest.day.split("-").map(Number) as [number, number];
  const next = month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, "0")}-01`;
  return { ...manifest, covered: [[startMs, startOfDay(next)]], complete: true };
}

/** The days of updates before any snapshot: a replay plays them, and trusts the book from its first snapshot on alone. */
function neverWhole(days: readonly DayManifest[]): Seam[] {
  const first = days.findIndex(({ sources }) => sources.some((source) => source.hasNoSnapshot !== true));
  const finding =
    "has no snapshot, nor has the store one before it: the book is never known to be whole, and a backtest does not quote on it";
  return days.slice(0, first < 0 ? days.length : first).map(({ day }) => ({ day, lost: [], finding }));
}

function bookSeams(days: readonly DayManifest[]): Seam[] {
  const seams: Seam[] = [];
  let before: BookStretch | undefined;
  for (const { day, chain = [], sources } of days) {
    // What another file of the day leaves behind is not known.
    if (chain.length !== sources.length) {
      before = undefined;
      continue;
    }
    for (const stretch of chain) {
      const lost = before === undefined ? undefined : lostBetween(before, stretch);
      if (lost !== undefined) {
        const [fromMs, toMs] = lost;
        const finding = `updates are missing before those of ${instantText(stretch.span[0])}, which do not follow on the file before: the book is not known from ${instantText(fromMs)} to ${instantText(toMs)}`;
        seams.push({ day, lost: [lost], finding });
      }
      before = stretch;
    }
  }
  return seams;
}

/** The time in which a book is not known where a file does not follow on the one before; undefined where it does, or where nothing tells. */
function lostBetween(before: BookStretch, { file, span, wholeMs, follows }: BookStretch): Span | undefined {
  const { update, snapshot } = before;
  if (file === before.file || follows === null || (update === null && snapshot === null)) return undefined;
  if (update?.sequence === follows) return undefined;
  const isMended = snapshot !== null && BigInt(follows) <= BigInt(snapshot.sequence);
  if (isMended) return update === null ? undefined : lostSpan(update.ms + 1, snapshot.ms);
  return lostSpan(before.span[1], wholeMs ?? span[1]);
}

function tradeSeams(days: readonly DayManifest[]): Seam[] {
  return days.flatMap((next, at) => {
    const last = days[at - 1];
    const [ids, nextIds] = [last?.ids, next.ids];
    if (last?.lastId === undefined || ids === undefined || nextIds === undefined || last.lastNs === null || next.firstNs === null)
      return [];
    const missing = BigInt(nextIds.first) - BigInt(last.lastId) - 1n;
    const rows = last.rows + next.rows;
    if (!mayBeMissing(missing, rows) || !isCount(rows - 1, ids.breaks + nextIds.breaks + 1)) return [];
    const lost = betweenRows(BigInt(last.lastNs), BigInt(next.firstNs));
    return [
      { day: next.day, lost, finding: `${missing} trades are missing before its first one, as the ids of ${last.day} and its own tell` },
    ];
  });
}
