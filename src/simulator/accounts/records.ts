import type { CreditUnits, Int64Id, Lots, MarketId, Ms, Ticks } from "../../core/units.js";
import type { IncomeType, OrderType, TimeInForce } from "../../exchange/records.js";
import type { Market } from "../markets/market.js";
import type { Account } from "./account.js";

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

/** A match of two orders, of which it settles or fails as a whole. */
export interface Trade {
  readonly id: Int64Id;
  readonly market: Market;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** Unsigned credit that changes hands. */
  readonly quote: CreditUnits;
  readonly timeMs: Ms;
  readonly isBuyerMaker: boolean;
  /** CREATED, SETTLED, or the venue's name for a failed one. */
  status: string;
  /** When a trade among house agents counts as settled; null where a settlement of its own tells. */
  readonly settlesAtMs: Ms | null;
}

/** One account's side of a trade. */
export interface UserTrade {
  readonly trade: Trade;
  readonly account: Account;
  /** Of its order; the house's count as LIMIT and GTC. */
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly isMaker: boolean;
  readonly isBuyer: boolean;
  /** Credit paid; negative is a rebate. */
  readonly commission: CreditUnits;
  readonly realizedPnl: CreditUnits;
}
