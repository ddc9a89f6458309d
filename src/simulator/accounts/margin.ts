import type { CreditUnits, MarketId } from "../../core/units.js";
import { liquidationPrice } from "../../perpetual/liquidation.js";
import {
  type Capacity,
  computeAccountMargin,
  computeOrderCapacity,
  type MarginPosition,
  type OrderMargin,
} from "../../perpetual/margin.js";
import type { Market } from "../markets/market.js";
import type { ExchangeAccount } from "./account.js";

type Markets = ReadonlyMap<MarketId, Market>;

/** Trades as matched, or as settled. The contracts know only the settled ones. */
export type PositionBasis = "matched" | "settled";

/** The margin of an account at the current marks. */
export function computeMargin(
  account: ExchangeAccount,
  markets: Markets,
  as: PositionBasis = "matched",
): OrderMargin {
  return computeAccountMargin(creditOf(account, as), positionsOf(account, markets, as));
}

/** The notional that the account may still buy and sell in a market. */
export function computeCapacity(
  market: Market,
  account: ExchangeAccount,
  markets: Markets,
): Capacity {
  const positions = positionsOf(account, markets, "matched");
  const own = positions.find(({ marketId }) => marketId === market.id);
  const credit = creditOf(account, "matched");
  const { maxExposure } = market.rules;
  return computeOrderCapacity(
    credit,
    positions,
    own ?? positionIn(market, account, "matched"),
    maxExposure,
  );
}

/**
 * The mark at which this position alone would bring its account to maintenance margin; 0 if there
 * is none.
 */
export function computeLiquidationPrice(
  market: Market,
  account: ExchangeAccount,
  markets: Markets,
): CreditUnits {
  const paper = account.markets.get(market.id)?.position.matched.paper ?? 0n;
  return liquidationPrice(computeMargin(account, markets), {
    paper,
    value: market.valueAtMark(paper),
    maintenanceRatio: market.rules.liquidationThreshold,
    paperUnit: market.instrument.paperUnit,
  });
}

/** Credit that belongs to no position. */
function creditOf(account: ExchangeAccount, as: PositionBasis): CreditUnits {
  const { primaryCredit, settledPrimaryCredit, secondaryCredit } = account;
  return secondaryCredit + (as === "matched" ? primaryCredit : settledPrimaryCredit);
}

interface PositionIn extends MarginPosition {
  readonly marketId: MarketId;
}

function positionsOf(
  account: ExchangeAccount,
  markets: Markets,
  as: PositionBasis,
): readonly PositionIn[] {
  return [...account.markets.keys()].map((id) =>
    positionIn(markets.get(id) as Market, account, as),
  );
}

/** The position in a market; zeros where the account has never traded there. */
function positionIn(market: Market, account: ExchangeAccount, as: PositionBasis): PositionIn {
  const part = account.markets.get(market.id);
  const { paper, credit } = part?.position[as] ?? { paper: 0n, credit: 0n };
  return {
    marketId: market.id,
    value: market.valueAtMark(paper),
    credit,
    openBuyCredit: part?.openBuyCredit ?? 0n,
    openSellCredit: part?.openSellCredit ?? 0n,
    maintenanceRatio: market.rules.liquidationThreshold,
    maxLeverage: market.rules.maxLeverage,
  };
}
