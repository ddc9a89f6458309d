import { z } from "zod";
import type { TradeStatus } from "./account.js";
import { type Decimal, toDecimal } from "./decimal.js";
import {
  anyWord,
  count,
  type DecimalForm,
  EXACT,
  instantText,
  int64Id,
  list,
  marketId,
  ms,
  record,
  tickerId,
  unsignedText,
  type WireDecimal,
  writtenAs,
} from "./values.js";

/** The fields of `GET /v1/time`. */
export const timeFields = { serverTime: ms };
/** `GET /v1/time`. */
export const time = record(timeFields);

/** An unparsed level, for consumers that parse its numbers themselves. */
export const rawLevel = z.tuple([z.string(), z.string()]).rest(z.unknown());

/** One level of a book: price, and amount in base units. */
const level: z.ZodType<Level, WireLevel> = writtenAs(
  rawLevel.transform(([price, amount], context): Level => {
    try {
      return [toDecimal(price, "price"), toDecimal(amount, "amount")];
    } catch (error) {
      context.addIssue({
        code: "custom",
        message: error instanceof Error ? error.message : "expected a price and an amount",
      });
      return z.NEVER;
    }
  }) as never,
  z.tuple([unsignedText, unsignedText]),
);
/** The levels of one side. */
export const levels = list(level);

const bestFirst = levels.meta({ description: "price and amount, best first" });

/** `GET /v1/orderbook`. */
export const orderBook = record({
  bids: bestFirst,
  asks: bestFirst,
  sequence: count,
  ticker_id: tickerId,
  timestamp: ms,
});

/** The fields of a trade of a market; a price is quote for one base unit. */
export const publicTradeFields = <Value extends z.ZodType>({ unsigned }: DecimalForm<Value>) => ({
  id: int64Id,
  price: unsigned,
  /** Base units. */
  amount: unsigned,
  /** Price times amount, in quote units. */
  quoteAmount: unsigned,
  time: ms,
  isBuyerMaker: z.boolean(),
  status: anyWord<TradeStatus>(),
});
/** A trade of a market, in a list or on a stream. */
export const publicTrade = record(publicTradeFields(EXACT));
/** `GET /v1/trades` and `GET /v1/historicalTrades`. */
export const publicTrades = list(publicTrade);

/** The fields of a candle; a price is quote for one base unit. */
export const klineFields = <Value extends z.ZodType>({ unsigned }: DecimalForm<Value>) => ({
  /** Start of the bar. */
  time: ms,
  open: unsigned,
  close: unsigned,
  high: unsigned,
  low: unsigned,
  /** Base units traded. */
  volume: unsigned,
  /** Quote volume; not on every server. */
  quote_volume: unsigned
    .optional()
    .meta({ description: "not in the specification; left out by choice" }),
});
/** A candle. */
export const kline = record(klineFields(EXACT));
/**
 * `GET /v1/klines`, `/v1/markPriceKlines`, `/v1/offchainMarkPriceWithVolKlines`, and the streams.
 */
export const klines = list(kline);

/** `GET /v1/platform/tradeVolume`, which is not in the specification; all in quote. */
export const tradeVolume = record({
  totalVolume: EXACT.unsigned,
  /** Each UTC day: its start, and its volume. */
  dailyVolume: list(z.object({ t: ms, v: EXACT.unsigned })).meta({
    description: "start and quote volume of each day of UTC, oldest first",
  }),
});

/** One past funding; the rate is a fraction, which longs pay when it is positive. */
export const fundingRate = record({ marketId, fundingRate: EXACT.decimal, fundingTime: ms });
/** `GET /v1/fundingRate`. */
export const fundingRates = list(fundingRate);

/** A market's summary; the wire writes its three times as strings. */
export const contract = record({
  ticker_id: tickerId,
  base_currency: z.string(),
  quote_currency: z.string(),
  last_price: EXACT.unsigned,
  base_volume: EXACT.unsigned,
  quote_volume: EXACT.unsigned,
  high: EXACT.unsigned,
  low: EXACT.unsigned,
  product_type: anyWord<"PERP">(),
  open_interest: EXACT.unsigned,
  index_price: EXACT.unsigned,
  index_name: z.string(),
  index_currency: z.string(),
  start_timestamp: instantText,
  end_timestamp: instantText,
  funding_rate: EXACT.decimal,
  next_funding_rate: EXACT.decimal,
  next_funding_rate_timestamp: instantText,
});
/** `GET /v1/contracts`. The address of the lens is our exchange's addition. */
export const contracts = writtenAs(
  record({ contracts: list(contract) }),
  record({
    contracts: list(contract),
    dealerLens: z.string().optional().meta({
      description:
        "The contract that reads many accounts of the chain in one call, where there is a chain.",
    }),
  }),
);

/** One level as JSON: price and absolute amount. */
export type WireLevel = readonly [price: WireDecimal, amount: WireDecimal];
/** `GET /v1/orderbook` as JSON. */
export type WireOrderBook = z.input<typeof orderBook>;
/** A trade of a market as JSON. */
export type WirePublicTrade = z.input<typeof publicTrade>;
/** A candle as JSON. */
export type WireKline = z.input<typeof kline>;
/** `GET /v1/platform/tradeVolume` as JSON. */
export type WireTradeVolume = z.input<typeof tradeVolume>;
/** An element of `GET /v1/fundingRate` as JSON. */
export type WireFundingRate = z.input<typeof fundingRate>;
/** An element of `contracts` as JSON; its instants are texts. */
export type WireContract = z.input<typeof contract>;

/** `GET /v1/time`. */
export type ServerTime = z.output<typeof time>;
/** One level of a book: price, and amount in base units. */
export type Level = readonly [price: Decimal, amount: Decimal];
/** `GET /v1/orderbook`, best first as the exchange sorts it. */
export type OrderBook = z.output<typeof orderBook>;
/** A trade of a market. */
export type PublicTrade = z.output<typeof publicTrade>;
/** A candle. */
export type Kline = z.output<typeof kline>;
/** `GET /v1/platform/tradeVolume`. */
export type TradeVolume = z.output<typeof tradeVolume>;
/** An element of `GET /v1/fundingRate`. */
export type FundingRate = z.output<typeof fundingRate>;
/** An element of `contracts` in `GET /v1/contracts`. */
export type Contract = z.output<typeof contract>;
/** `GET /v1/contracts`. */
export type Contracts = z.output<typeof contracts>;
