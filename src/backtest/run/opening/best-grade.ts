import { ConfigError } from "../../../core/errors.js";
import { emptyStoreError } from "../../../history/columns/no-data-error.js";
import { type HistoryKind, intervalFor, intervalToMs } from "../../../history/kinds.js";
import type { HistoryStore } from "../../../history/store/history-store.js";
import type { InputGrade } from "../../report/run-meta.js";
import { has, type RequestedSpan } from "./recorded-days.js";

/**
 * The best grade of history that a store has of every market at a time.
 * @throws ConfigError where it has none
 */
export function bestGrade(
  store: HistoryStore,
  markets: readonly string[],
  span: RequestedSpan,
): InputGrade {
  requireHistory(store);
  const all = (kind: HistoryKind): boolean =>
    markets.every((market) => has(store, market, kind, span));
  if (all("book") && all("trades")) return "books";
  if (all("trades")) return "trades";
  if (markets.every((market) => intervalsOf(store, market).length > 0)) return "klines";
  const there = store.series().map(({ market, kind }) => `${market} ${kind}`);
  throw new ConfigError("lacks history of some market at that time", {
    field: "history.store",
    value: store.root,
    expected: `books and trades, trades, or candles of ${markets.join(", ")}; the store has ${there.join(", ") || "none"} (marketwright data list shows their spans)`,
  });
}

/**
 * The shortest interval of candles that all markets have.
 * @throws ConfigError where there is none
 */
export function shortestInterval(store: HistoryStore, markets: readonly string[]): string {
  requireHistory(store);
  const [first, ...others] = markets.map((market) => intervalsOf(store, market));
  const common = (first ?? []).filter((interval) =>
    others.every((known) => known.includes(interval)),
  );
  const [shortest] = common.sort((a, b) => (intervalToMs(a) ?? 0) - (intervalToMs(b) ?? 0));
  if (shortest !== undefined) return shortest;
  throw new ConfigError("is missing: the markets have no common interval of candles", {
    field: "history.interval",
    expected: `klines of one interval for ${markets.join(", ")}`,
  });
}

/** If the store does not exist, the error must name the store, not its missing data. */
function requireHistory(store: HistoryStore): void {
  const nothing = emptyStoreError(store);
  if (nothing !== undefined) throw nothing;
}

function intervalsOf(store: HistoryStore, wanted: string): string[] {
  return (
    store
      .series()
      .filter(({ market, kind }) => market === wanted && kind.startsWith("klines-"))
      .map(({ kind }) => intervalFor(kind))
      // A store of an earlier version may have monthly candles, which no run can play.
      .filter((interval) => intervalToMs(interval) !== undefined)
  );
}
