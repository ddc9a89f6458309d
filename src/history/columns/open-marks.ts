import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { DayManifest } from "../day-manifest.js";
import { HistoryError } from "../history-errors.js";
import type { HistoryStore } from "../store.js";
import { type SpanRow, type SpanWish, spanRows } from "./span-rows.js";
import type { FundingTape, MarkTape } from "./tape.js";

/** Which marks to open. */
export interface MarkWish extends SpanWish {
  /** Of the exchange's `dealerInfo`: a mark is counted in 10^-creditDecimals of the quote asset for one base unit; 6 where absent. */
  readonly creditDecimals?: number;
}

const MOST_INT64 = 2n ** 63n - 1n;
const RATE_UNIT = "0.000000000000000001";
const ofPrice = ({ price }: DayManifest["decimals"]): number => price;
const ofRate = ({ rate }: DayManifest["decimals"]): number => rate;

/**
 * Marks of a span as columns, by the exchange's clock. What nobody recorded of a mark stands as its index equal to the mark, its rate as 0.
 * A mark that is finer than a credit unit is rounded down to it.
 * @throws ConfigError where the store has none; HistoryError naming a file that is broken, or what passes 64 bits
 */
export async function openMarks(store: HistoryStore, market: MarketId, wish: MarkWish): Promise<MarkTape> {
  const { creditDecimals = 6 } = wish;
  if (!Number.isInteger(creditDecimals) || creditDecimals < 0 || creditDecimals > 18) {
    throw new ConfigError("is no number of decimals", { field: "creditDecimals", value: creditDecimals, expected: "0 to 18" });
  }
  const unit = creditDecimals === 0 ? "1" : `0.${"1".padStart(creditDecimals, "0")}`;
  const rows = await spanRows(store, market, wish, {
    kind: "marks",
    counted: [
      { column: "mark", unit, field: "creditDecimals", places: ofPrice, rounds: true },
      { column: '"index"', unit, field: "creditDecimals", places: ofPrice, rounds: true },
      { column: "fundingRate", unit: RATE_UNIT, field: "fundingRate", places: ofRate },
    ],
    more: (localUs) => ({
      exchangeUs: "CAST(timeNs // 1000 AS DOUBLE)",
      localUs,
      nextFundingMs: "CAST(coalesce(nextFundingMs, 0) AS DOUBLE)",
    }),
  });
  const file = store.folder({ market, kind: "marks" });
  return {
    exchangeUs: numbers(rows, "exchangeUs"),
    localUs: numbers(rows, "localUs"),
    markCredit: int64s(rows, file, ({ mark }) => mark),
    indexCredit: int64s(rows, file, ({ mark, index }) => index ?? mark),
    fundingRateE18: int64s(rows, file, ({ fundingRate }) => fundingRate ?? "0"),
    nextFundingMs: numbers(rows, "nextFundingMs"),
  };
}

/** Funding that was paid in a span, as columns. @throws ConfigError where the store has none; HistoryError naming a file that is broken */
export async function openFunding(store: HistoryStore, market: MarketId, wish: SpanWish): Promise<FundingTape> {
  const rows = await spanRows(store, market, wish, {
    kind: "funding",
    counted: [{ column: "rate", unit: RATE_UNIT, field: "rate", places: ofRate }],
    more: () => ({ timeUs: "CAST(timeNs // 1000 AS DOUBLE)" }),
  });
  return { timeUs: numbers(rows, "timeUs"), rateE18: int64s(rows, store.folder({ market, kind: "funding" }), ({ rate }) => rate) };
}

function numbers(rows: readonly SpanRow[], name: string): Float64Array {
  return Float64Array.from(rows, (row) => Number(row[name]));
}

function int64s(rows: readonly SpanRow[], file: string, of: (row: SpanRow) => unknown): BigInt64Array {
  return BigInt64Array.from(rows, (row) => {
    const value = BigInt(String(of(row)));
    if (value <= MOST_INT64 && value >= -MOST_INT64) return value;
    throw new HistoryError(file, "holds a value past 64 bits", {
      value: String(value),
      expected: "marks of fewer digits, or fewer creditDecimals",
    });
  });
}
