import type { CreditUnits, Hex, Int64Id, Lots, MarketId, Ms, Side, Ticks } from "../core/units.js";
import type { ORDER_TYPES, TIMES_IN_FORCE } from "./protocol/order.js";

/** Order types of the specification. */
export type OrderType = (typeof ORDER_TYPES)[number];

/** Times in force of the specification. */
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];

/** Types of a change of credit (docs/reference/exchange-interface.md#income-fields). */
export const EVERY_INCOME_TYPE = [
  "DEPOSIT",
  "WITHDRAWAL",
  "LIQUIDATED",
  "LIQUIDATE",
  "TAKER_FEE",
  "MAKER_FEE",
  "BUY",
  "SELL",
  "FUNDING_FEE",
  "COMMISSION",
  "BONUS",
  "SYSTEM",
  "SETTLEMENT",
] as const;

/** One of {@link EVERY_INCOME_TYPE}. */
export type IncomeType = (typeof EVERY_INCOME_TYPE)[number];

/**
 * The order structure that is hashed and signed
 * (docs/reference/exchange-interface.md#order-construction).
 */
export interface OrderStruct {
  readonly perp: Hex;
  readonly signer: Hex;
  /** Signed, `10^-paperDecimals` of the base asset: positive buys. */
  readonly paperAmount: bigint;
  /** Signed, credit units: negative buys. */
  readonly creditAmount: CreditUnits;
  /** 32 bytes: maker rate, taker rate, expiration in seconds, nonce. */
  readonly info: Hex;
}

/** A candle of trades on the market's grid (docs/reference/exchange-interface.md#candle-fields). */
export interface VenueBar {
  /** Start of the bar. */
  readonly startMs: Ms;
  readonly openTicks: Ticks;
  readonly closeTicks: Ticks;
  readonly highTicks: Ticks;
  readonly lowTicks: Ticks;
  /** Volume. */
  readonly lots: Lots;
}

/**
 * An order as the exchange reports it, decoded to the market's grid
 * (docs/reference/exchange-interface.md#order-fields).
 */
export interface VenueOrder {
  readonly id: Int64Id;
  readonly hash: Hex;
  readonly info: Hex;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly type: string;
  readonly timeInForce: string;
  /** Worst accepted price. Fractional only for an order that was placed on another tick grid. */
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly availableLots: Lots;
  readonly pendingLots: Lots;
  readonly filledLots: Lots;
  readonly canceledLots: Lots;
  readonly expiredLots: Lots;
  readonly failedLots: Lots;
  /** Quote for one base unit, a decimal; absent until there is a fill. */
  readonly averagePrice: string | undefined;
  /** CREATED, NEW, PARTIAL_FILLED, FILLED, CANCELED, EXPIRED, FAILED, or an unknown value. */
  readonly status: string;
  readonly createdAtMs: Ms;
  /** 0 when there is none. */
  readonly expirationMs: Ms;
}

/** A trade of the account (docs/reference/exchange-interface.md#user-trade-fields). */
export interface VenueTrade {
  readonly id: Int64Id;
  readonly marketId: MarketId;
  /** The account's side. */
  readonly side: Side;
  readonly isMaker: boolean;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /**
   * Traded amount beyond whole lots, unsigned, in units of paper; absent if there is none. It comes
   * from an order with another step size.
   */
  readonly restPaper?: bigint;
  /** Unsigned credit units that changed hands, including the remainder's. */
  readonly quote: CreditUnits;
  /** Credit units paid; negative is a rebate received. */
  readonly commission: CreditUnits;
  readonly timeMs: Ms;
  /** CREATED, SETTLED, FAILED, or an unknown value. */
  readonly status: string;
}

/** A position (docs/reference/exchange-interface.md#position-fields), decoded. */
export interface VenuePosition {
  readonly marketId: MarketId;
  /** Signed: long is positive. Zero when closed. */
  readonly lots: Lots;
  /**
   * Position beyond whole lots, with the same sign, in units of paper; absent if there is none. No
   * order can trade it.
   */
  readonly restPaper?: bigint;
  readonly status: string;
  /** Quote for one base unit, a decimal. */
  readonly entryPrice: string;
  /** Quote for one base unit, a decimal. */
  readonly liquidationPrice: string;
  readonly unrealizedPnl: CreditUnits;
  readonly realizedPnl: CreditUnits;
}

/** Balances (docs/reference/exchange-interface.md#balances-fields), decoded to credit units. */
export interface VenueBalances {
  readonly availableCredit: Readonly<
    Record<MarketId, { readonly buy: CreditUnits; readonly sell: CreditUnits }>
  >;
  readonly availableMargin: CreditUnits;
  readonly exposure: CreditUnits;
  readonly frozenMargin: CreditUnits;
  readonly positionMargin: CreditUnits;
  readonly netValue: CreditUnits;
  readonly primaryCredit: CreditUnits;
  readonly secondaryCredit: CreditUnits;
  readonly isSafe: boolean;
  /** Exposure over net value, a decimal. */
  readonly leverage: string;
  /** Maintenance margin over net value, a decimal. */
  readonly marginRate: string;
}

/** An income of the account (docs/reference/exchange-interface.md#income-fields). */
export interface VenueIncome {
  readonly id: Int64Id;
  readonly type: string;
  /** Signed credit units. */
  readonly amount: CreditUnits;
  readonly timeMs: Ms;
  readonly marketId: MarketId;
}

/** The rules of one market of `exchangeInfo` for a market maker, checked and on the grid. */
export interface MarketRules {
  readonly marketId: MarketId;
  /** Name of the base asset, such as BTC, for display; absent if the exchange does not name it. */
  readonly baseAsset?: string;
  /** Name of the quote asset, such as USDC, likewise. */
  readonly quoteAsset?: string;
  /** Quote price of one tick, a decimal. */
  readonly tickSize: string;
  /** Base units of one lot, a decimal. */
  readonly stepSize: string;
  readonly minTicks: Ticks;
  readonly maxTicks: Ticks;
  readonly minLots: Lots;
  readonly maxLots: Lots;
  /** Bounds for MARKET orders. */
  readonly marketMinLots: Lots;
  readonly marketMaxLots: Lots;
  /** MARKET orders come in multiples of this number of lots; default 1. */
  readonly marketStepLots?: Lots;
  /** Open orders of one account in the market, a count. */
  readonly maxOpenOrders: number;
  /** A fraction scaled by 10^18 (2 bps is 2 x 10^14), signed: negative is a rebate. */
  readonly makerFeeRate: bigint;
  /** A fraction scaled by 10^18. */
  readonly takerFeeRate: bigint;
  /** Notional over margin, a plain ratio. */
  readonly maxLeverage: number;
  /**
   * The largest notional of one account, with its open orders at their worst; absent if not
   * published.
   */
  readonly maxExposure?: CreditUnits;
  /** Leverage at which an account is liquidated, a plain ratio as a decimal. */
  readonly liquidationLeverage: string;
  readonly perp: Hex;
  readonly stage: string;
  readonly status: string;
  readonly fundingIntervalMs: Ms;
}

/** `exchangeInfo`, checked (docs/reference/exchange-interface.md#exchange-info-fields). */
export interface VenueRules {
  readonly creditDecimals: number;
  readonly paperDecimals: number;
  readonly eip712: {
    readonly domainSeparator: Hex;
    readonly domainTypeHash: Hex;
    readonly orderTypeHash: Hex;
    readonly chainId: number;
    readonly domainName: string;
    readonly domainVersion: string;
    readonly verifyingContract: Hex;
  };
  readonly rateLimits: readonly {
    readonly name: string;
    readonly intervalMs: Ms;
    /** Requests within `intervalMs`. */
    readonly limit: number;
  }[];
  /** Orders below this value need a gas fee; 0 where none does. */
  readonly waiveGasFeeMinimumQuote: CreditUnits;
  /**
   * Gas cost of an order's settlement, added to the fee of an order below the waiver; absent if not
   * published.
   */
  readonly orderGasCredit?: CreditUnits;
  readonly markets: Readonly<Record<MarketId, MarketRules>>;
  /**
   * Errors of listed markets that are not as specified, and so are not among `markets`; absent if
   * there are none.
   */
  readonly unread?: Readonly<Record<MarketId, string>>;
  readonly serverTimeMs: Ms;
}
