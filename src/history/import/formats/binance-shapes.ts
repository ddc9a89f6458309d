import { HistoryError } from "../../history-errors.js";
import type { Duck } from "../../store/duck.js";
import type { PlainFile } from "../plain-file.js";
import type { CsvFile } from "../text/plain-csv.js";
import { csvReading, csvSql, instantSql } from "../text/reading-sql.js";
import { withInterval } from "./candle-interval.js";
import { CONVERT_CONTRACTS, isCoinMargined, type QuotedAmounts } from "./contract-amounts.js";
import type { FileFormat, ShapedFile } from "./shape.js";
import type { Shape } from "./shape-names.js";

/**
 * Binance's public data (github.com/binance/binance-public-data, "README"): the columns of each
 * file under our names, in their order. Files of the futures have a header since 2023, those of the
 * spot market none. Spot stamps are in microseconds since 2025.
 */
const COLUMNS: Readonly<Partial<Record<Shape, readonly string[]>>> = {
  "binance-trades": ["id", "price", "qty", "quote_qty", "time", "is_buyer_maker", "is_best_match"],
  "binance-aggTrades": [
    "agg_trade_id",
    "price",
    "quantity",
    "first_trade_id",
    "last_trade_id",
    "transact_time",
    "is_buyer_maker",
    "is_best_match",
  ],
  "binance-klines": [
    "open_time",
    "open",
    "high",
    "low",
    "close",
    "volume",
    "close_time",
    "quote_volume",
    "count",
    "taker_buy_volume",
    "taker_buy_quote_volume",
    "ignore",
  ],
  "binance-bookTicker": [
    "update_id",
    "best_bid_price",
    "best_bid_qty",
    "best_ask_price",
    "best_ask_qty",
    "transaction_time",
    "event_time",
  ],
};

/** The columns that an import reads of each. */
const READ: Readonly<Partial<Record<Shape, readonly string[]>>> = {
  "binance-trades": ["id", "price", "qty", "time", "is_buyer_maker"],
  "binance-aggTrades": ["agg_trade_id", "price", "quantity", "transact_time", "is_buyer_maker"],
  "binance-klines": ["open_time", "open", "high", "low", "close", "volume"],
  "binance-bookTicker": [
    "best_bid_price",
    "best_bid_qty",
    "best_ask_price",
    "best_ask_qty",
    "transaction_time",
  ],
};

/** The types of read columns that are not decimals. */
const TYPES = {
  id: "BIGINT",
  agg_trade_id: "BIGINT",
  time: "INSTANT",
  transact_time: "INSTANT",
  open_time: "INSTANT",
  close_time: "INSTANT",
  transaction_time: "INSTANT",
  is_buyer_maker: "BOOLEAN",
};

/**
 * A Binance file with the columns of its header, or else Binance's. Not all files have the last
 * column.
 * @throws HistoryError for a file that lacks a required column
 */
export function binanceCsv(
  shape: Shape,
  { path, file }: Pick<PlainFile, "path" | "file">,
  format: FileFormat,
  fields: readonly string[],
): CsvFile {
  const hasHeader = format.format === "csv" && format.hasHeader;
  const columns = hasHeader ? format.columns : (COLUMNS[shape] ?? []).slice(0, fields.length);
  const names = columns.map((name) => name.toLowerCase());
  const lacking = READ[shape]?.find((name) => !names.includes(name));
  if (lacking === undefined)
    return {
      path,
      columns,
      hasHeader,
      delimiter: format.format === "csv" ? format.delimiter : ",",
    };
  throw new HistoryError(file, `does not have the shape ${shape}: it has no column ${lacking}`, {
    value: fields.join(","),
    expected: `a header with ${READ[shape]?.join(", ")}, or no header and the columns of Binance's files`,
  });
}

/** The base amount and quote amount columns of files that have both. */
const QUOTED: Readonly<Partial<Record<Shape, QuotedAmounts>>> = {
  "binance-trades": { amount: "qty", quote: "quote_qty", low: "price", high: "price" },
  "binance-klines": { amount: "volume", quote: "quote_volume", low: "low", high: "high" },
};

/**
 * Reads a file of Binance's public data.
 * @param kind of candles, as {@link withInterval} takes it
 * @throws HistoryError if the quote amounts show that the amounts are not base units
 */
export async function binanceShape(
  duck: Duck,
  shape: Shape,
  csv: CsvFile,
  kind: string,
  file: string,
): Promise<ShapedFile | undefined> {
  const quoted = QUOTED[shape];
  if (
    quoted !== undefined &&
    Object.values(quoted).every((name) => csv.columns.includes(name)) &&
    (await isCoinMargined(duck, csvSql(csv), quoted))
  )
    throw new HistoryError(
      file,
      `has amounts in contracts, not in base units: ${quoted.quote} is their amount in coins`,
      {
        value: shape,
        expected: CONVERT_CONTRACTS,
      },
    );
  switch (shape) {
    case "binance-trades":
      return trades(`CAST(id AS BIGINT) AS id, ${instantSql("time")} AS timeNs`, "qty", csv);
    case "binance-aggTrades":
      return trades(
        `CAST(agg_trade_id AS BIGINT) AS id, ${instantSql("transact_time")} AS timeNs`,
        "quantity",
        csv,
      );
    case "binance-klines":
      return withInterval(duck, { ...candles(csv), file }, kind);
    case "binance-bookTicker":
      return {
        kind: "bbo",
        ...csvReading(
          csv,
          TYPES,
          {
            best_bid_price: "bid",
            best_bid_qty: "bidAmount",
            best_ask_price: "ask",
            best_ask_qty: "askAmount",
          },
          (from) =>
            `SELECT ${instantSql("transaction_time")} AS timeNs, CAST(NULL AS BIGINT) AS recvNs, CAST(NULL AS BIGINT) AS seq, best_bid_price AS bid, best_bid_qty AS bidAmount, best_ask_price AS ask, best_ask_qty AS askAmount FROM ${from}`,
        ),
        findings: [],
      };
    default:
      return undefined;
  }
}

function candles(csv: CsvFile): { readonly select: string; readonly lengths?: string } {
  const from = csvSql(csv, TYPES);
  const select = `SELECT ${instantSql("open_time")} AS timeNs, open, high, low, close, volume FROM ${from}`;
  if (!csv.columns.includes("close_time")) return { select };
  return {
    select,
    lengths: `SELECT ${instantSql("open_time")} AS timeNs, ${instantSql("close_time")} - ${instantSql("open_time")} AS length FROM ${from}`,
  };
}

function trades(stamps: string, amount: string, csv: CsvFile): ShapedFile {
  return {
    kind: "trades",
    ...csvReading(
      csv,
      TYPES,
      { price: "price", [amount]: "amount" },
      (from) =>
        `SELECT ${stamps}, CAST(NULL AS BIGINT) AS recvNs, CAST(NULL AS BIGINT) AS seq, price, ${amount} AS amount, CAST(is_buyer_maker AS BOOLEAN) AS isBuyerMaker, CAST(NULL AS VARCHAR) AS status FROM ${from}`,
    ),
    findings: [],
  };
}
