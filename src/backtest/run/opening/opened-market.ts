import { ConfigError } from "../../../core/errors.js";
import type { MarkSource } from "../../../history/columns/open-marks.js";
import type { TapeSource } from "../../../history/columns/tape/tape-source.js";
import { instantText } from "../../../history/day.js";
import type { HistoryStore } from "../../../history/store/history-store.js";
import type { BacktestConfig } from "../../config/backtest-config.js";
import type { PlayedMarket } from "../played-history.js";
import type { RequestedSpan } from "./recorded-days.js";

/** A market's history, opened in the store. */
export interface OpenedMarket extends PlayedMarket {
  readonly marks: MarkSource | undefined;
  readonly tapes: TapeSource | undefined;
}

/**
 * Checks for records: a span that a store covers may have none.
 * @throws ConfigError naming the market and the time
 */
export function requireRecords(
  market: OpenedMarket,
  history: BacktestConfig["history"],
  store: HistoryStore,
): void {
  if (firstUs(market) < history.toUs) return;
  throw new ConfigError("has no data at that time", {
    field: `history.markets.${market.marketId}`,
    value: `${instantText(Math.floor(history.fromUs / 1000))} to ${instantText(Math.floor(history.toUs / 1000))}`,
    expected: `a time for which ${store.root} has data of ${history.markets[market.marketId]} (see marketwright data list --days)`,
  });
}

/** The first instant of a market's data; Infinity where it has none. */
export function firstUs({ tapes, klines }: OpenedMarket): number {
  if (klines !== undefined) return klines.startUs[0] ?? Number.POSITIVE_INFINITY;
  const days = (tapes as TapeSource).days.flatMap(({ tape }) =>
    tape.footer.blocks.map((block) => block.firstUs),
  );
  return Math.min(...days);
}

/**
 * True if a market may have a record between two instants, by the heads of its files: there is none
 * between two blocks, or outside all of them.
 */
export function mayHaveRecords(
  { tapes, klines }: OpenedMarket,
  { fromUs, toUs }: RequestedSpan,
): boolean {
  if (klines !== undefined) return klines.startUs.some((us) => us >= fromUs && us < toUs);
  return (tapes as TapeSource).days.some(({ tape }) =>
    tape.footer.blocks.some(({ firstUs, lastUs }) => firstUs < toUs && lastUs >= fromUs),
  );
}

/** The last instant of a market's data. */
export function lastUs({ tapes, klines }: OpenedMarket): number {
  if (klines !== undefined) return (klines.startUs[klines.bars - 1] ?? 0) + klines.intervalUs;
  const days = (tapes as TapeSource).days.flatMap(({ tape }) =>
    tape.footer.blocks.map((block) => block.lastUs),
  );
  return Math.max(...days);
}
