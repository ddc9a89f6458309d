import { ConfigError } from "../../../core/errors.js";
import { ReferenceHistory } from "../../../history/columns/reference-history.js";
import { instantText } from "../../../history/day.js";
import { clipSpans } from "../../../history/spans.js";
import type { HistoryStore } from "../../../history/store/history-store.js";
import type { PlayedReferences } from "../../config/played-references.js";
import type { DataFile, InputGrade } from "../../report/run-meta.js";
import type { PlayedMarket, PlayedReference } from "../played-history.js";
import { type RequestedSpan, toDataFile } from "./recorded-days.js";

/** A run begins with the newest price of this time before it, as a bot that was running would. */
const BEFORE_US = 60_000_000;

/** A source's prices, opened in the store. */
export interface OpenedReference extends PlayedReference {
  readonly prices: ReferenceHistory;
}

/** The opened sources of a backtest. */
interface OpenedReferences {
  readonly references: readonly OpenedReference[];
  readonly files: readonly DataFile[];
  /** Times without prices of a source, as text. */
  readonly gaps: readonly string[];
}

/** The parts of a history that sources are checked against. */
interface BesideReferences extends RequestedSpan {
  readonly grade: InputGrade;
  readonly markets: readonly PlayedMarket[];
  /** Names of the markets in the store. */
  readonly names: readonly string[];
}

/**
 * Opens the reference prices of a backtest.
 * @throws ConfigError where the store lacks a source, or the history cannot play references
 */
export function openReferenceHistories(
  store: HistoryStore,
  { outside, index }: PlayedReferences,
  { grade, markets, names, fromUs, toUs }: BesideReferences,
): OpenedReferences {
  const used = [...outside, ...index];
  if (grade === "klines" && used.length > 0) {
    throw new ConfigError(
      `cannot be candles while a market has a reference (${used.map(({ source }) => source).join(", ")}): between two candles the exchange's own price is unknown`,
      {
        field: "history.grade",
        value: grade,
        expected: "trades or books, or a bot's file without reference",
      },
    );
  }
  for (const { source, market } of index) {
    if (markets.find(({ marketId }) => marketId === market)?.marks !== undefined) continue;
    throw new ConfigError(`has no index price of ${market} at that time`, {
      field: `references.${source}`,
      value: market,
      expected: `marks of ${market} in ${store.root}: record the market (marketwright data record), or import its marks`,
    });
  }
  const references = outside.map(({ source, market, latencyMs }) => ({
    source,
    prices: new ReferenceHistory(store, {
      source,
      market,
      fromUs: Math.max(0, fromUs - BEFORE_US),
      toUs,
      latencyMs,
      besideMarkets: names,
    }),
  }));
  return {
    references,
    files: references.flatMap(({ source, prices }) =>
      prices.days.map((day) => toDataFile(store, source, prices.kind, day)),
    ),
    gaps: references.flatMap(({ source, prices }) =>
      clipSpans(prices.gaps, [fromUs / 1000, toUs / 1000])
        .filter(([fromMs, toMs]) => toMs - fromMs >= 1000)
        .map(
          ([fromMs, toMs]) =>
            `${source} ${prices.kind}: ${instantText(Math.floor(fromMs))} to ${instantText(Math.ceil(toMs))}`,
        ),
    ),
  };
}
