import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { GridError } from "../history-errors.js";
import { type HistoryKind, intervalFor, intervalToMs } from "../kinds.js";
import type { HistoryStore } from "../store/history-store.js";
import { type SpanOptions, type SpanQuery, type SpanRow, spanDays, spanRows } from "./span-rows.js";
import { type KlineTape, MOST_TICKS } from "./tape/tape.js";
import { resolveSteps, type Steps } from "./tape/tape-grid.js";

/** The candles to open. */
interface OpenKlinesOptions extends SpanOptions, Partial<Steps> {
  /** `klines-15M`, `mark-klines-1H`, ... */
  readonly kind: HistoryKind;
  /**
   * The most candles to open; more are refused. Each takes 32 bytes, and all of them are in memory.
   */
  readonly mostBars?: number;
}

/**
 * Opens the candles that begin within a span, as columns.
 * @throws ConfigError if the store has none, the interval has no fixed length or no grid is known;
 * HistoryError naming file, row and value
 */
export async function openKlines(
  store: HistoryStore,
  market: MarketId,
  options: OpenKlinesOptions,
): Promise<KlineTape> {
  const { kind, mostBars = Number.POSITIVE_INFINITY } = options;
  const intervalMs = intervalToMs(intervalFor(kind));
  if (intervalMs === undefined) {
    throw new ConfigError("are not candles of a fixed length", {
      field: "kind",
      value: kind,
      expected: "klines-1M, klines-15M, klines-1H, ...",
    });
  }
  const days = spanDays(store, market, kind, options);
  const { tickSize, stepSize } = resolveSteps(market, days, options);
  const price = (column: string) => ({
    column,
    unit: tickSize,
    field: "tickSize",
    places: ({ price: places }: { readonly price: number }) => places,
  });
  const question: SpanQuery = {
    kind,
    counted: [
      ...["open", "high", "low", "close"].map(price),
      {
        column: "volume",
        unit: stepSize,
        field: "stepSize",
        places: ({ amount }) => amount,
        rounds: true,
      },
    ],
    more: () => ({ startUs: "CAST(timeNs // 1000 AS DOUBLE)" }),
  };
  const most = days.reduce((total, { rows }) => total + rows, 0);
  if (most > mostBars) {
    throw new ConfigError("are more candles than fit into memory", {
      field: "toUs",
      value: most,
      expected: `at most ${mostBars}; use a shorter span, a longer interval or more memory`,
    });
  }
  const [startUs, lots] = [new Float64Array(most), new Float64Array(most)];
  const [openTicks, highTicks, lowTicks, closeTicks] = [0, 1, 2, 3].map(
    () => new Int32Array(most),
  ) as [Int32Array, Int32Array, Int32Array, Int32Array];
  const file = store.folder({ market, kind });
  const ticks = (row: SpanRow, column: string): number => {
    const count = Number(row[column]);
    if (count <= MOST_TICKS) return count;
    throw new GridError(file, `${column} at ${String(row.startUs)} us has too many ticks`, {
      value: count,
      expected: `at most ${MOST_TICKS} ticks of ${tickSize}; use a larger tick size if the market has one`,
    });
  };
  let bars = 0;
  for await (const rows of spanRows(store, market, options, question, days)) {
    for (const row of rows) {
      startUs[bars] = Number(row.startUs);
      openTicks[bars] = ticks(row, "open");
      highTicks[bars] = ticks(row, "high");
      lowTicks[bars] = ticks(row, "low");
      closeTicks[bars] = ticks(row, "close");
      lots[bars] = Number(row.volume);
      bars += 1;
    }
  }
  return {
    marketId: market,
    tickSize,
    stepSize,
    bars,
    intervalUs: intervalMs * 1000,
    startUs: startUs.subarray(0, bars),
    openTicks: openTicks.subarray(0, bars),
    highTicks: highTicks.subarray(0, bars),
    lowTicks: lowTicks.subarray(0, bars),
    closeTicks: closeTicks.subarray(0, bars),
    lots: lots.subarray(0, bars),
  };
}
