import { absolute } from "../../../core/bigints.js";
import { scaledToDecimal } from "../../../core/instrument.js";
import type { CreditUnits, MarketId, PaperUnits } from "../../../core/units.js";
import type {
  WireBalances,
  WireIncome,
  WirePosition,
  WireUserTrade,
} from "../../../exchange/protocol/account.js";
import { isSafe } from "../../../perpetual/margin.js";
import type { ExchangeAccount, Income, UserTrade } from "../../accounts/account.js";
import { computeCapacity, computeLiquidationPrice, computeMargin } from "../../accounts/margin.js";
import type { PositionState } from "../../accounts/position-state.js";
import type { Market } from "../../markets/market.js";
import { publicTradeFields } from "./market-records.js";

/** Decimals of prices that are averages, and of ratios. */
const AVERAGE_DECIMALS = 8;

/** The balances of an account (docs/reference/exchange-interface.md#balances-fields). */
export function balancesRecord(
  account: ExchangeAccount,
  markets: ReadonlyMap<MarketId, Market>,
  creditDecimals: number,
): WireBalances {
  const quote = (units: CreditUnits) => scaledToDecimal(units, creditDecimals);
  const risk = computeMargin(account, markets);
  const { netValueCredit, exposureCredit, initialMarginCredit, frozenMarginCredit } = risk;
  const availableCreditAmounts: Record<string, { buy: string; sell: string }> = {};
  const perpetualBalances: Record<
    string,
    { creditAmount: string; paperAmount: string; serialNumber: number }
  > = {};
  for (const market of markets.values()) {
    const { buy, sell } = computeCapacity(market, account, markets);
    availableCreditAmounts[market.id] = { buy: quote(buy), sell: quote(sell) };
    const settled = account.markets.get(market.id)?.position.settled;
    if (settled !== undefined) {
      perpetualBalances[market.id] = {
        creditAmount: quote(settled.credit),
        paperAmount: scaledToDecimal(settled.paper, market.instrument.paperDecimals),
        serialNumber: settled.serial,
      };
    }
  }
  return {
    availableCreditAmounts,
    availableMargin: quote(netValueCredit - initialMarginCredit - frozenMarginCredit),
    exposure: quote(exposureCredit),
    frozenMargin: quote(frozenMarginCredit),
    isSafe: isSafe(risk),
    leverage: ratio(exposureCredit, netValueCredit),
    marginRate: ratio(risk.maintenanceMarginCredit, netValueCredit),
    netValue: quote(netValueCredit),
    pendingWithdrawPrimaryCreditAmount: quote(
      (account.pendingWithdrawal?.amount ?? 0n) +
        account.leavingCredit +
        account.lockedPrimaryWithdrawal,
    ),
    pendingWithdrawSecondaryCreditAmount: quote(account.lockedSecondaryWithdrawal),
    perpetualBalances,
    positionMargin: quote(initialMarginCredit),
    primaryCreditAmount: quote(account.settledPrimaryCredit),
    secondaryCreditAmount: quote(account.secondaryCredit),
  };
}

/**
 * The positions of an account, one for each market, without those never opened
 * (docs/reference/exchange-interface.md#position-fields).
 * @param closed true to list a market's last position after it closed.
 * @param updatedAt true to add `lastUpdatedAt`, as inside balances.
 */
export function positionRecords(
  account: ExchangeAccount,
  markets: ReadonlyMap<MarketId, Market>,
  { closed, updatedAt }: { closed: boolean; updatedAt: boolean },
): WirePosition[] {
  const records: WirePosition[] = [];
  for (const market of markets.values()) {
    const state = account.markets.get(market.id)?.position.matched;
    if (state !== undefined && state.direction !== 0 && (closed || state.paper !== 0n)) {
      const record = positionRecord(account, market, state, markets);
      records.push(updatedAt ? { ...record, lastUpdatedAt: state.updatedAtMs } : record);
    }
  }
  return records;
}

function positionRecord(
  account: ExchangeAccount,
  market: Market,
  state: Readonly<PositionState>,
  markets: ReadonlyMap<MarketId, Market>,
): WirePosition {
  const { instrument } = market;
  const quote = (units: CreditUnits) => instrument.creditToDecimal(units);
  const amount = (paper: PaperUnits) => scaledToDecimal(paper, instrument.paperDecimals);
  const size = absolute(state.paper);
  const value = market.valueAtMark(state.paper);
  const open = state.paper !== 0n;
  return {
    marketId: market.id,
    side: state.direction === 1 ? "LONG" : "SHORT",
    status: open ? "OPEN" : "CLOSED",
    size: amount(size),
    maxSize: amount(state.largestPaper),
    unrealizedPnl: quote(state.paper >= 0n ? value - state.openQuote : value + state.openQuote),
    realizedPnl: quote(state.realizedPnl),
    entryPrice: averagePrice(market, state.openQuote, size),
    exitPrice: averagePrice(market, state.closeQuote, state.closedPaper),
    closedAt: open ? null : state.closedAtMs,
    sumOpen: amount(state.openedPaper),
    sumClose: amount(state.closedPaper),
    liquidationPrice: scaledToDecimal(
      computeLiquidationPrice(market, account, markets),
      instrument.creditDecimals,
    ),
  };
}

/** Credit over unsigned paper as a price, rounded half up; "0" for no paper. */
export function averagePrice(
  { instrument }: Market,
  quote: CreditUnits,
  paper: PaperUnits,
): string {
  if (paper === 0n) {
    return "0";
  }
  const scale = 10n ** BigInt(instrument.paperDecimals + AVERAGE_DECIMALS);
  const base = paper * 10n ** BigInt(instrument.creditDecimals);
  return scaledToDecimal((2n * quote * scale + base) / (2n * base), AVERAGE_DECIMALS);
}

/** An account's side of a trade (docs/reference/exchange-interface.md#user-trade-fields). */
export function userTradeRecord({
  trade,
  orderType,
  timeInForce,
  isMaker,
  isBuyer,
  commission,
  realizedPnl,
}: UserTrade): WireUserTrade {
  const { instrument, id } = trade.market;
  const { isBuyerMaker: _, ...fields } = publicTradeFields(trade, trade.status);
  return {
    ...fields,
    commission: instrument.creditToDecimal(commission),
    isMaker,
    isBuyer,
    marketId: id,
    timeInForce,
    realizedPNL: instrument.creditToDecimal(realizedPnl),
    orderType,
  };
}

/** A change of an account's credit (docs/reference/exchange-interface.md#income-fields). */
export function incomeRecord(
  { id, type, amount, timeMs, marketId }: Income,
  creditDecimals: number,
): WireIncome {
  return { id, type, amount: scaledToDecimal(amount, creditDecimals), time: timeMs, marketId };
}

/** A ratio of two credits, truncated; "0" where the denominator is not positive. */
export function ratio(numerator: CreditUnits, denominator: CreditUnits): string {
  return denominator <= 0n
    ? "0"
    : scaledToDecimal(
        (numerator * 10n ** BigInt(AVERAGE_DECIMALS)) / denominator,
        AVERAGE_DECIMALS,
      );
}
