import type {
  WireBalances,
  WireIncome,
  WireOrder,
  WirePosition,
  WireUserTrade,
} from "./wire-account-types.js";
import type { WireLevel } from "./wire-market-types.js";
import type { WireDecimal, WireMs } from "./wire-values.js";

/**
 * The messages of the exchange's streams, as they stand on the wire (protocol, section 4); `<marketId>@trades` and the kline streams
 * carry records of REST. Types only, as those of REST are.
 */

/** What `/multiple` wraps every event in. */
export interface WireWrapped<Payload> {
  readonly stream: string;
  readonly data: Payload;
}

/** First frame of `<marketId>@orderbook`. */
export interface WireBookSnapshot {
  readonly event: "snapshot";
  readonly sequence: number;
  readonly bids: readonly WireLevel[];
  readonly asks: readonly WireLevel[];
}

/** Later frames of `<marketId>@orderbook`: absolute amounts, "0" deletes a level. */
export interface WireBookUpdate {
  readonly event: "update";
  readonly beginSequence: number;
  readonly endSequence: number;
  readonly bids: readonly WireLevel[];
  readonly asks: readonly WireLevel[];
}

/** `<marketId>@market`. */
export interface WireMarketState {
  readonly fundingRate: WireDecimal;
  readonly nextFundingTime: WireMs;
  readonly markPrice: WireDecimal;
  readonly indexPrice: WireDecimal;
  readonly lastTradePrice: WireDecimal;
  readonly liquidationPriceOff: WireDecimal;
  readonly liquidationThreshold: WireDecimal;
  readonly openInterest: WireDecimal;
  readonly "24hVolume": WireDecimal;
  readonly price24HAgo: WireDecimal;
  /** This and the following: of newer versions of the service. */
  readonly "24hQuoteVolume"?: WireDecimal;
  readonly offchainMarkPrice?: WireDecimal;
  readonly offchainMarkPrice24HAgo?: WireDecimal;
}

/** A message of the account stream that a market maker follows, told apart by `event`. */
export type WireAccountEvent =
  | {
      readonly event: "ACCOUNT_UPDATE";
      readonly balances: WireBalances;
      readonly positions: readonly WirePosition[];
    }
  | { readonly event: "ORDER_UPDATE"; readonly order: WireOrder; readonly timestamp: WireMs }
  | { readonly event: "TRADE_UPDATE"; readonly trade: WireUserTrade }
  | { readonly event: "INCOME_UPDATE"; readonly incomes: readonly WireIncome[] };

/** A live change of the streams of a `/multiple` connection. `id` is a non-zero unsigned integer. */
export interface WireStreamRequest {
  readonly id: number;
  readonly method: "SUBSCRIBE" | "UNSUBSCRIBE";
  readonly params: readonly string[];
}
