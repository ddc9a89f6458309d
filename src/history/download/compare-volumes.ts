import { DAY_MS, type MarketId, type Ms } from "../../core/units.js";
import { NS_A_MS, nsToMs, toDay } from "../day.js";
import { type HistoryKind, intervalFor, intervalToMs } from "../kinds.js";
import { overlaps, type Span, withinSql } from "../spans.js";
import { parquetSql } from "../staging/decimal-places.js";
import type { Duck } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";

/** A candle whose volume differs from the sum of its trades. */
interface VolumeDifference {
  readonly kind: HistoryKind;
  readonly atMs: Ms;
  readonly candle: string;
  readonly trades: string;
}

/** The result of a comparison of volumes. */
export interface VolumeComparison {
  /** The number of compared candles. */
  readonly candles: number;
  readonly differing: number;
  /** The first differences, ascending within their day. */
  readonly first: readonly VolumeDifference[];
}

const SHOWN = 5;

/**
 * Compares the volume of every candle of a span with the trades within it, day by day, for days
 * that the store has completely. Failed trades may or may not count.
 */
export async function compareVolumes(
  store: HistoryStore,
  duck: Duck,
  market: MarketId,
  kind: HistoryKind,
  [fromMs, toMs]: Span,
): Promise<VolumeComparison> {
  const stepMs = intervalToMs(intervalFor(kind)) ?? DAY_MS;
  const stepNs = BigInt(stepMs) * NS_A_MS;
  const first: VolumeDifference[] = [];
  let candles = 0;
  let differing = 0;
  for (let startMs = Math.floor(fromMs / DAY_MS) * DAY_MS; startMs < toMs; startMs += DAY_MS) {
    const day = toDay(startMs);
    const [candleDay, tradeDay] = [
      store.day({ market, kind }, day),
      store.day({ market, kind: "trades" }, day),
    ];
    if (candleDay === undefined || tradeDay === undefined) continue;
    const whole = tradeDay.covered
      .flatMap(([from, to]) =>
        candleDay.covered.map(([start, end]): Span => [Math.max(from, start), Math.min(to, end)]),
      )
      .filter((span) => overlaps([span], [startMs, startMs + DAY_MS]))
      .map(
        ([from, to]): Span => [Math.ceil(from / stepMs) * stepMs, Math.floor(to / stepMs) * stepMs],
      )
      .filter(([from, to]) => from < to);
    for (const within of whole.map(withinSql)) {
      const sums = `SELECT timeNs // ${stepNs} * ${stepNs} AS at, sum(amount) AS whole, coalesce(sum(amount) FILTER (status IS DISTINCT FROM 'FAILED'), 0) AS settled FROM ${parquetSql(store.dataPath({ market, kind: "trades" }, day))} WHERE ${within} GROUP BY 1`;
      const rows = await duck.rows(
        `SELECT coalesce(k.timeNs, t.at) AS at, coalesce(k.volume, 0)::VARCHAR AS candle, coalesce(t.whole, 0)::VARCHAR AS trades, coalesce(k.volume, 0) = coalesce(t.whole, 0) OR coalesce(k.volume, 0) = coalesce(t.settled, 0) AS agrees FROM (SELECT * FROM ${parquetSql(store.dataPath({ market, kind }, day))} WHERE ${within}) k FULL JOIN (${sums}) t ON t.at = k.timeNs ORDER BY 1`,
      );
      candles += rows.length;
      for (const row of rows.filter(({ agrees }) => agrees !== true)) {
        differing += 1;
        if (first.length < SHOWN) {
          first.push({
            kind,
            atMs: nsToMs(BigInt(row.at as bigint)),
            candle: String(row.candle),
            trades: String(row.trades),
          });
        }
      }
    }
  }
  return { candles, differing, first };
}
