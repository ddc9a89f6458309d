import type { CreditUnits, Int64Id, MarketId, Ms, PaperUnits, Side } from "../../core/units.js";
import type { FillState } from "../ledger-event.js";
import type { MarketUnits } from "../market-units.js";

/** A trade of the account as the exchange lists it. */
export interface StatementTrade {
  readonly marketId: MarketId;
  readonly id: Int64Id;
  readonly side: Side;
  readonly isMaker: boolean;
  readonly price: string;
  /** Unsigned. */
  readonly paper: PaperUnits;
  readonly quote: CreditUnits;
  /** Credit paid; negative for a rebate. */
  readonly commission: CreditUnits;
  readonly timeMs: Ms;
  readonly state: FillState;
}

/** A change of credit as the exchange lists it. */
export interface StatementIncome {
  readonly id: Int64Id;
  readonly type: string;
  /** Signed. */
  readonly amount: CreditUnits;
  readonly timeMs: Ms;
  /** Undefined if it belongs to no market. */
  readonly marketId: MarketId | undefined;
}

/** The balances of the account at an instant. */
export interface StatementBalances {
  readonly atMs: Ms;
  /** Primary credit and the credit of all markets, of settled trades alone. */
  readonly credit: CreditUnits;
  /** Credit that counts as margin alone. No list of the exchange has its changes. */
  readonly secondaryCredit: CreditUnits;
  /** Signed positions of settled trades, without those that are zero. */
  readonly settledPaper: ReadonlyMap<MarketId, PaperUnits>;
  /** Signed positions of matched trades, without those that are zero. */
  readonly matchedPaper: ReadonlyMap<MarketId, PaperUnits>;
}

/** Everything that the exchange states about the account. */
export interface ExchangeStatement {
  readonly units: MarketUnits;
  /** By market in the order of their ids. */
  readonly trades: readonly StatementTrade[];
  /** In the order of time. */
  readonly incomes: readonly StatementIncome[];
  readonly balances: StatementBalances;
  /** False if the account changed during every reading: differences may then be of the reading. */
  readonly isStable: boolean;
}
