import { absolute } from "../../../../core/bigints.js";
import { scaledToDecimal } from "../../../../core/instrument.js";
import type { CreditUnits, MarketId, PaperUnits } from "../../../../core/units.js";
import type { ExchangeAccount } from "../../../accounts/account.js";
import { computeLiquidationPrice, computeMargin } from "../../../accounts/margin.js";
import type { PositionState } from "../../../accounts/position-state.js";
import type { Market } from "../../../markets/market.js";
import { averagePrice } from "../../../rest/records/account-records.js";
import { quotePrice } from "../../../rest/records/market-records.js";
import { symbolOf } from "../usdm-symbols.js";

type Markets = ReadonlyMap<MarketId, Market>;

/** The credit of an account as the dialect divides it, in credit units. */
export interface UsdmFunds {
  /** Without the profit of open positions. */
  readonly wallet: CreditUnits;
  readonly unrealized: CreditUnits;
  /** Wallet and unrealized profit. */
  readonly margin: CreditUnits;
  readonly available: CreditUnits;
  readonly positionMargin: CreditUnits;
  readonly orderMargin: CreditUnits;
  readonly maintenance: CreditUnits;
}

/** Divides an account's credit. */
export function usdmFunds(account: ExchangeAccount, markets: Markets): UsdmFunds {
  const risk = computeMargin(account, markets);
  let unrealized = 0n;
  for (const [id, { position }] of account.markets) {
    unrealized += unrealizedOf(markets.get(id) as Market, position.matched);
  }
  const margin = risk.netValueCredit;
  const free = margin - risk.initialMarginCredit - risk.frozenMarginCredit;
  return {
    wallet: margin - unrealized,
    unrealized,
    margin,
    available: free > 0n ? free : 0n,
    positionMargin: risk.initialMarginCredit,
    orderMargin: risk.frozenMarginCredit,
    maintenance: risk.maintenanceMarginCredit,
  };
}

/** The figures of one position that several endpoints show. */
export interface UsdmPosition {
  readonly symbol: string;
  /** Signed: long is positive. */
  readonly amount: string;
  readonly entryPrice: string;
  readonly breakEvenPrice: string;
  readonly markPrice: string;
  readonly unrealized: string;
  readonly liquidationPrice: string;
  /** Signed. */
  readonly notional: string;
  readonly initialMargin: string;
  readonly maintenance: string;
  /** Notional of the open orders of each side. */
  readonly bidNotional: string;
  readonly askNotional: string;
  readonly realizedBefore: string;
  readonly updatedMs: number;
  /** True if it is open, or has open orders. */
  readonly isShown: boolean;
}

/** An account's position in a market; zeros where it has never traded there. */
export function usdmPosition(
  account: ExchangeAccount,
  market: Market,
  markets: Markets,
): UsdmPosition {
  const { instrument, rules } = market;
  const quote = (units: CreditUnits) => instrument.creditToDecimal(units);
  const part = account.markets.get(market.id);
  const state = part?.position.matched;
  const paper = state?.paper ?? 0n;
  const value = market.valueAtMark(paper);
  const size = absolute(value);
  return {
    symbol: symbolOf(market),
    amount: paperText(market, paper),
    entryPrice: averagePrice(market, state?.openQuote ?? 0n, absolute(paper)),
    breakEvenPrice: breakEvenPrice(market, state),
    markPrice: quotePrice(market, market.prices.mark),
    unrealized: quote(state === undefined ? 0n : unrealizedOf(market, state)),
    liquidationPrice: paper === 0n ? "0" : quote(computeLiquidationPrice(market, account, markets)),
    notional: quote(value),
    initialMargin: quote(size / rules.maxLeverage),
    maintenance: quote((size * rules.liquidationThreshold) / 10n ** 18n),
    bidNotional: quote(part?.openBuyCredit ?? 0n),
    askNotional: quote(part?.openSellCredit ?? 0n),
    realizedBefore: quote(state?.realizedPnl ?? 0n),
    updatedMs: state?.updatedAtMs ?? 0,
    isShown: paper !== 0n || (part?.openOrders ?? 0) > 0,
  };
}

function paperText({ instrument }: Market, paper: PaperUnits): string {
  return scaledToDecimal(paper, instrument.paperDecimals);
}

function unrealizedOf(market: Market, { paper, openQuote }: Readonly<PositionState>): CreditUnits {
  if (paper === 0n) return 0n;
  const value = market.valueAtMark(paper);
  return paper > 0n ? value - openQuote : value + openQuote;
}

/** The price at which closing brings back all that the position has cost, fees included. */
function breakEvenPrice(market: Market, state: Readonly<PositionState> | undefined): string {
  if (state === undefined || state.paper === 0n) return "0";
  const cost = state.paper > 0n ? -state.credit : state.credit;
  return cost > 0n ? averagePrice(market, cost, absolute(state.paper)) : "0";
}
