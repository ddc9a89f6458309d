import { z } from "zod";
import { balances, incomes, userTrade } from "./account.js";
import { levels } from "./market-data.js";
import { order } from "./order.js";
import { count, type DecimalForm, EXACT, ms, record, type WireDecimal } from "./values.js";

/*
 * The messages of the streams. `<marketId>@trades` and the kline streams carry REST records.
 * `BookScanner` reads book updates of the bot's own streams straight from their text, without these
 * schemas.
 */

/** The wrapper of every event of `/multiple`. */
export const streamFrame = z.looseObject({ stream: z.string(), data: z.unknown() });
/** A payload that names its event. */
export const namedEvent = z.looseObject({ event: z.string() });

/** First frame of `<marketId>@orderbook`. */
export const bookSnapshot = z.looseObject({
  event: z.literal("snapshot"),
  sequence: count,
  bids: levels,
  asks: levels,
});
/** Later frames of `<marketId>@orderbook`: absolute amounts, "0" deletes a level. */
export const bookUpdate = z.looseObject({
  event: z.literal("update"),
  beginSequence: count,
  endSequence: count,
  bids: levels,
  asks: levels,
});

/** The messages of the account stream, by their `event`. */
export const accountEvents = {
  ORDER_UPDATE: z.looseObject({ order, timestamp: ms.nullish() }),
  TRADE_UPDATE: z.looseObject({ trade: userTrade }),
  ACCOUNT_UPDATE: balances,
  INCOME_UPDATE: z.looseObject({ incomes }),
};

/** The fields of `<marketId>@market`. */
export const marketFiguresFields = <Value extends z.ZodType>({
  decimal,
  unsigned,
}: DecimalForm<Value>) => ({
  fundingRate: decimal,
  nextFundingTime: ms,
  markPrice: unsigned,
  indexPrice: unsigned,
  lastTradePrice: unsigned.optional(),
  liquidationPriceOff: unsigned.optional(),
  liquidationThreshold: unsigned.optional(),
  openInterest: unsigned.optional(),
  "24hVolume": unsigned.optional(),
  price24HAgo: unsigned.optional(),
});
/** `<marketId>@market`. */
export const marketFigures = record(marketFiguresFields(EXACT));

/** The payload of `<marketId>@market`; the wire's names that begin with a digit are kept. */
export type MarketStateUpdate = z.output<typeof marketFigures>;

/** `<marketId>@market` as JSON. */
export interface WireMarketState extends Required<z.input<typeof marketFigures>> {
  /** This and the following exist in newer versions of the service. */
  readonly "24hQuoteVolume"?: WireDecimal;
  readonly offchainMarkPrice?: WireDecimal;
  readonly offchainMarkPrice24HAgo?: WireDecimal;
}

/**
 * A live change of the streams of a `/multiple` connection. `id` is a non-zero unsigned integer.
 */
export interface WireStreamRequest {
  /** A non-zero unsigned integer, which the acknowledgement repeats. */
  readonly id: number;
  readonly method: "SUBSCRIBE" | "UNSUBSCRIBE";
  readonly params: readonly string[];
}
