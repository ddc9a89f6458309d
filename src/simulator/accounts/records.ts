import type { CreditUnits, Int64Id, MarketId, Ms } from "../../core/units.js";
import type { IncomeType, OrderType, TimeInForce } from "../../exchange/records.js";
import type { Trade } from "../markets/market.js";
import type { ExchangeAccount } from "./account.js";

/** A change of an account's credit. */
export interface Income {
  readonly id: Int64Id;
  readonly type: IncomeType;
  /** Signed. */
  readonly amount: CreditUnits;
  readonly timeMs: Ms;
  /** Empty when it belongs to no market. */
  readonly marketId: MarketId;
}

/** One account's side of a trade. */
export interface UserTrade {
  readonly trade: Trade;
  readonly account: ExchangeAccount;
  /** Of its order; the house's count as LIMIT and GTC. */
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly isMaker: boolean;
  readonly isBuyer: boolean;
  /** Credit paid; negative is a rebate. */
  readonly commission: CreditUnits;
  readonly realizedPnl: CreditUnits;
}
