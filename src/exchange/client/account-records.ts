import type { CreditUnits, Hex, Int64Id, MarketId, Ms, Side } from "../../core/units.js";
import type { Decimal } from "./decimal.js";
import type { OpenWord, TradeStatus, WithExtra } from "./market-records.js";

/** The account's records as the client gives them, in the same way as the public ones. */

/** `POST` and `GET /v1/account`. */
export interface Account extends WithExtra {
  readonly address: Hex;
  readonly createdAt: Ms;
}

/** The signed structure of an order as the exchange shows it. */
export interface OrderJson extends WithExtra {
  readonly perp: Hex;
  /** The trading account, also where an operator signed. */
  readonly signer: Hex;
  /** A leftover that is not hashed. */
  readonly sender?: Hex | undefined;
  /** Signed, `10^-paperDecimals` of the base asset: positive buys. */
  readonly paperAmount: bigint;
  /** Signed, smallest units of credit: negative buys. */
  readonly creditAmount: CreditUnits;
  readonly info: Hex;
}

/** What has become of an order. FILLED, CANCELED, EXPIRED and FAILED are final. */
export type OrderStatus = OpenWord<
  "CREATED" | "NEW" | "PARTIAL_FILLED" | "FILLED" | "CANCELED" | "EXPIRED" | "FAILED"
>;

/** An order (specification, "Order"). The six parts sum to `amount`; a match is pending until the chain has settled it. */
export interface Order extends WithExtra {
  readonly id: Int64Id;
  readonly account: Hex;
  readonly marketId: MarketId;
  readonly side: Side;
  /** Worst accepted price. */
  readonly price: Decimal;
  readonly tif: OpenWord<"GTC" | "IOC" | "FOK" | "POST_ONLY" | "GTT">;
  readonly type: OpenWord<"LIMIT" | "MARKET">;
  /** Base units, as its parts are. */
  readonly amount: Decimal;
  readonly availableAmount: Decimal;
  readonly filledAmount: Decimal;
  readonly canceledAmount: Decimal;
  readonly pendingAmount: Decimal;
  readonly expiredAmount: Decimal;
  readonly failedAmount: Decimal;
  /** Absent until there is a fill. */
  readonly averagePrice?: Decimal | undefined;
  readonly json: OrderJson;
  readonly hash: Hex;
  readonly createdAt: Ms;
  readonly status: OrderStatus;
  /** Present as null in some answers, and no longer anything else. */
  readonly trades?: null | undefined;
  /** 0 when there is none. */
  readonly expiration: Ms;
}

/** `POST /v1/order/build`, not yet checked against what was asked for. */
export interface BuiltOrder extends WithExtra {
  readonly order: OrderJson;
  readonly orderHash: Hex;
  readonly packedOrder?: Hex | undefined;
  /** A token signed by the service; needed below `waiveGasFeeMinimumAmount`. */
  readonly gasFeeQuotation: string;
}

/** A trade of the account (specification, "User trade"). */
export interface UserTrade extends WithExtra {
  readonly id: Int64Id;
  /** The fee paid, in quote units; negative is a rebate received. */
  readonly commission: Decimal;
  readonly isMaker: boolean;
  readonly isBuyer: boolean;
  readonly marketId: MarketId;
  readonly price: Decimal;
  /** Base units. */
  readonly amount: Decimal;
  readonly quoteAmount: Decimal;
  readonly time: Ms;
  readonly status: TradeStatus;
  readonly timeInForce: string;
  /** Means something on closing trades alone. */
  readonly realizedPNL: Decimal;
  readonly orderType: OpenWord<"LIMIT" | "MARKET">;
}

/** An income of the account (specification, "Income"). */
export interface Income extends WithExtra {
  readonly id: Int64Id;
  /** One of the `type` parameter's values, or one that the specification does not name. */
  readonly type: string;
  /** Signed, quote units. */
  readonly amount: Decimal;
  readonly time: Ms;
  /** Empty where it belongs to no market. */
  readonly marketId: MarketId;
}

/** A position (specification, "Position"). CLOSED exactly when `closedAt` is set. */
export interface Position extends WithExtra {
  readonly marketId: MarketId;
  readonly side: OpenWord<"LONG" | "SHORT">;
  readonly status: OpenWord<"OPEN" | "CLOSED">;
  /** Base units, unsigned. */
  readonly size: Decimal;
  readonly maxSize: Decimal;
  /** Quote units. */
  readonly unrealizedPnl: Decimal;
  readonly realizedPnl: Decimal;
  readonly entryPrice: Decimal;
  readonly exitPrice: Decimal;
  /** null while open. */
  readonly closedAt: Ms | null;
  readonly sumOpen: Decimal;
  readonly sumClose: Decimal;
  readonly liquidationPrice: Decimal;
  /** Present in balances and risky accounts, absent in `GET /v1/positions`. */
  readonly lastUpdatedAt?: Ms | undefined;
}

/** `balances` of `GET /v1/balances` and of ACCOUNT_UPDATE; quote units where nothing else is said. */
export interface AccountBalances extends WithExtra {
  /** By market id. */
  readonly availableCreditAmounts: Readonly<
    Record<MarketId, { readonly buy: Decimal; readonly sell: Decimal }>
  >;
  readonly availableMargin: Decimal;
  readonly exposure: Decimal;
  readonly frozenMargin: Decimal;
  readonly isSafe: boolean;
  readonly leverage: Decimal;
  readonly marginRate: Decimal;
  readonly netValue: Decimal;
  readonly pendingWithdrawPrimaryCreditAmount: Decimal;
  readonly pendingWithdrawSecondaryCreditAmount: Decimal;
  /** By market id: the snapshot on the chain. */
  readonly perpetualBalances: Readonly<Record<MarketId, PerpetualBalance>>;
  readonly positionMargin: Decimal;
  readonly primaryCreditAmount: Decimal;
  readonly secondaryCreditAmount: Decimal;
}

/** What the chain holds of the account in one market. */
export interface PerpetualBalance {
  readonly creditAmount: Decimal;
  readonly paperAmount: Decimal;
  readonly serialNumber: number;
}

/** `GET /v1/balances`. */
export interface Balances extends WithExtra {
  readonly balances: AccountBalances;
  readonly positions: readonly Position[];
}

/** An element of `GET /v1/riskyAccounts`. `isSafe` may be stale: whoever liquidates confirms on the chain. */
export interface RiskyAccount extends WithExtra {
  readonly account: Hex;
  readonly isSafe: boolean;
  readonly risk: Decimal;
  readonly positions: readonly Position[];
}
