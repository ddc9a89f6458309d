import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { HistoryError } from "../history-errors.js";
import { type HistoryKind, intervalMsOf, intervalOf } from "../kinds.js";
import type { HistoryStore } from "../store.js";
import { type SpanWish, spanRows } from "./span-rows.js";
import type { KlineTape } from "./tape.js";
import { type Steps, stepsOf } from "./tape-grid.js";

/** Which candles to open. */
export interface KlineWish extends SpanWish, Partial<Steps> {
  /** `klines-15M`, `mark-klines-1H`, ... */
  readonly kind: HistoryKind;
}

const MOST_TICKS = 2 ** 31 - 1;

/**
 * Candles that begin within a span, as columns.
 * @throws ConfigError where the store has none, the interval is of no fixed length or no grid is known; HistoryError naming file, row and value
 */
export async function openKlines(store: HistoryStore, market: MarketId, wish: KlineWish): Promise<KlineTape> {
  const { kind } = wish;
  const intervalMs = intervalMsOf(intervalOf(kind));
  if (intervalMs === undefined) {
    throw new ConfigError("are no candles of a fixed length", {
      field: "kind",
      value: kind,
      expected: "klines-1M, klines-15M, klines-1H, ...",
    });
  }
  const { tickSize, stepSize } = stepsOf(market, store.days({ market, kind }), wish);
  const price = (column: string) => ({
    column,
    unit: tickSize,
    field: "tickSize",
    places: ({ price: places }: { readonly price: number }) => places,
  });
  const rows = await spanRows(store, market, wish, {
    kind,
    counted: [
      ...["open", "high", "low", "close"].map(price),
      { column: "volume", unit: stepSize, field: "stepSize", places: ({ amount }) => amount, rounds: true },
    ],
    more: () => ({ startUs: "CAST(timeNs // 1000 AS DOUBLE)" }),
  });
  const ticks = (column: string): Int32Array =>
    Int32Array.from(rows, (row) => {
      const count = Number(row[column]);
      if (count <= MOST_TICKS) return count;
      throw new HistoryError(store.folder({ market, kind }), `${column} at ${String(row.startUs)} us has more ticks than a column holds`, {
        value: count,
        expected: `at most ${MOST_TICKS} ticks of ${tickSize}: a coarser tick size, if the market's is`,
      });
    });
  return {
    marketId: market,
    tickSize,
    stepSize,
    bars: rows.length,
    intervalUs: intervalMs * 1000,
    startUs: Float64Array.from(rows, ({ startUs }) => Number(startUs)),
    openTicks: ticks("open"),
    highTicks: ticks("high"),
    lowTicks: ticks("low"),
    closeTicks: ticks("close"),
    lots: Float64Array.from(rows, ({ volume }) => Number(volume)),
  };
}
