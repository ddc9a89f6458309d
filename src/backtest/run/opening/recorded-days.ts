import { relative, sep } from "node:path";
import type { MarketId } from "../../../core/units.js";
import type { HistoryKind } from "../../../history/kinds.js";
import type { Span } from "../../../history/spans.js";
import type { DayManifest } from "../../../history/store/day-manifest.js";
import type { HistoryStore } from "../../../history/store/history-store.js";
import type { DataFile } from "../../report/run-meta.js";

/** A span of a history, microseconds since 1970; its end is excluded. */
export interface RequestedSpan {
  readonly fromUs: number;
  readonly toUs: number;
}

/** True if a store covers any part of a span. */
export function has(
  store: HistoryStore,
  market: string,
  kind: HistoryKind,
  span: RequestedSpan,
): boolean {
  const isThere = store.series().some((series) => series.market === market && series.kind === kind);
  return isThere && daysIn(store, market, kind, span).length > 0;
}

/** All spans of a series that a store covers. */
export function coveredBy(store: HistoryStore, market: string, kind: HistoryKind): Span[] {
  return store.days({ market, kind }).flatMap((day) => day.covered);
}

/** The days of a series that overlap a span. */
export function daysIn(
  store: HistoryStore,
  market: string,
  kind: HistoryKind,
  { fromUs, toUs }: RequestedSpan,
): DayManifest[] {
  return store
    .days({ market, kind })
    .filter(({ covered }) =>
      covered.some(([from, to]) => from * 1000 < toUs && to * 1000 > fromUs),
    );
}

/** Entry of a day's file in a report. */
export function toDataFile(
  store: HistoryStore,
  marketId: MarketId,
  kind: HistoryKind,
  day: DayManifest,
): DataFile {
  const file = relative(store.root, store.dataPath(day, day.day)).split(sep).join("/");
  return { marketId, kind, file, rows: day.rows, sha256: day.sha256, ...repairsOf(day) };
}

function repairsOf({ sources }: DayManifest): Pick<DataFile, "rounded" | "dropped"> {
  const sum = (what: "rounded" | "dropped"): number =>
    sources.reduce((total, source) => total + (source[what] ?? 0), 0);
  const [rounded, dropped] = [sum("rounded"), sum("dropped")];
  return { ...(rounded === 0 ? {} : { rounded }), ...(dropped === 0 ? {} : { dropped }) };
}
