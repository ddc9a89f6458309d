import type { WireDecimal, WireInt64, WireMs } from "./wire-values.js";

/** The records of accounts: what one asks of its own, and what all are told of those in danger. */

/** A position; on the account stream some servers write `symbol` for `marketId`. */
export interface WirePosition {
  readonly marketId?: string;
  readonly symbol?: string;
  readonly side: string;
  readonly status: string;
  readonly size: WireDecimal;
  readonly maxSize: WireDecimal;
  readonly unrealizedPnl: WireDecimal;
  readonly realizedPnl: WireDecimal;
  readonly entryPrice: WireDecimal;
  readonly exitPrice: WireDecimal;
  readonly closedAt: WireMs | null;
  readonly sumOpen: WireDecimal;
  readonly sumClose: WireDecimal;
  readonly liquidationPrice: WireDecimal;
  readonly lastUpdatedAt?: WireMs;
}

/** An element of `GET /v1/riskyAccounts`. */
export interface WireRiskyAccount {
  readonly account: string;
  readonly isSafe: boolean;
  readonly risk: WireDecimal;
  readonly positions: readonly WirePosition[];
}

/** `POST` and `GET /v1/account`. */
export interface WireAccount {
  readonly address: string;
  readonly createdAt: WireMs;
}

/** The order structure as JSON; `sender` is a leftover that is not hashed. */
export interface WireOrderStruct {
  readonly perp: string;
  readonly signer: string;
  readonly sender: string;
  readonly paperAmount: string;
  readonly creditAmount: string;
  readonly info: string;
}

/** An order of the account. */
export interface WireOrder {
  readonly id: WireInt64;
  readonly account: string;
  readonly marketId: string;
  readonly side: string;
  readonly price: WireDecimal;
  readonly tif: string;
  readonly type: string;
  readonly amount: WireDecimal;
  readonly availableAmount: WireDecimal;
  readonly filledAmount: WireDecimal;
  readonly canceledAmount: WireDecimal;
  readonly pendingAmount: WireDecimal;
  readonly expiredAmount: WireDecimal;
  readonly failedAmount: WireDecimal;
  readonly averagePrice?: WireDecimal;
  readonly json: WireOrderStruct;
  readonly hash: string;
  readonly createdAt: WireMs;
  readonly status: string;
  readonly trades?: null;
  readonly expiration: WireMs;
}

/** `POST /v1/order/build`. */
export interface WireBuildResult {
  readonly order: WireOrderStruct;
  readonly orderHash: string;
  readonly packedOrder: string;
  readonly gasFeeQuotation: string;
}

/** An element of `GET /v1/userTrades`, and `trade` of TRADE_UPDATE. */
export interface WireUserTrade {
  readonly id: WireInt64;
  readonly commission: WireDecimal;
  readonly isMaker: boolean;
  readonly isBuyer: boolean;
  readonly marketId: string;
  readonly price: WireDecimal;
  readonly amount: WireDecimal;
  readonly quoteAmount: WireDecimal;
  readonly time: WireMs;
  readonly status: string;
  readonly timeInForce: string;
  readonly realizedPNL: WireDecimal;
  readonly orderType: string;
}

/** An element of `GET /v1/incomes`. */
export interface WireIncome {
  readonly id: WireInt64;
  readonly type: string;
  readonly amount: WireDecimal;
  readonly time: WireMs;
  readonly marketId: string;
}

/** `balances` of `GET /v1/balances` and of ACCOUNT_UPDATE. */
export interface WireBalances {
  readonly availableCreditAmounts: Readonly<
    Record<string, { readonly buy: WireDecimal; readonly sell: WireDecimal }>
  >;
  readonly availableMargin: WireDecimal;
  readonly exposure: WireDecimal;
  readonly frozenMargin: WireDecimal;
  readonly isSafe: boolean;
  readonly leverage: WireDecimal;
  readonly marginRate: WireDecimal;
  readonly netValue: WireDecimal;
  readonly pendingWithdrawPrimaryCreditAmount: WireDecimal;
  readonly pendingWithdrawSecondaryCreditAmount: WireDecimal;
  readonly perpetualBalances: Readonly<
    Record<
      string,
      {
        readonly creditAmount: WireDecimal;
        readonly paperAmount: WireDecimal;
        readonly serialNumber: number;
      }
    >
  >;
  readonly positionMargin: WireDecimal;
  readonly primaryCreditAmount: WireDecimal;
  readonly secondaryCreditAmount: WireDecimal;
}

/** `GET /v1/balances`. */
export interface WireBalancesAnswer {
  readonly balances: WireBalances;
  readonly positions: readonly WirePosition[];
}
