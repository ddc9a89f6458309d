import type { CreditUnits, Lots, MarketId, Side } from "../../core/units.js";
import type { Market } from "../markets/market.js";
import { ONE } from "../markets/market-rules.js";
import type { Account, AccountMarket } from "./account.js";

/** An account's risk over all its markets (protocol 7.3, and initial margin on the open orders' worst case). */
export interface AccountRisk {
  readonly netValue: CreditUnits;
  readonly exposure: CreditUnits;
  readonly maintenanceMargin: CreditUnits;
  /** Initial margin of the positions. */
  readonly positionMargin: CreditUnits;
  /** Initial margin that open orders add when those of the worse side all fill. */
  readonly frozenMargin: CreditUnits;
  readonly isSafe: boolean;
}

/** How much more notional an account may buy and sell in a market, and what bounds it. */
export interface Capacity {
  readonly buy: CreditUnits;
  readonly sell: CreditUnits;
  /** Whether the market's exposure limit, and not margin, is what binds. */
  readonly boundByExposure: boolean;
}

type Markets = ReadonlyMap<MarketId, Market>;

/**
 * The risk of an account at the present marks.
 * @param as by trades as matched, or by what has been settled, which is all that the contracts know of.
 */
export function riskOf(
  account: Account,
  markets: Markets,
  as: "matched" | "settled" = "matched",
): AccountRisk {
  let netValue =
    account.secondaryCredit +
    (as === "matched" ? account.primaryCredit : account.settledPrimaryCredit);
  let exposure = 0n;
  let maintenanceMargin = 0n;
  let positionMargin = 0n;
  let worstMargin = 0n;
  for (const [id, part] of account.markets) {
    const market = markets.get(id) as Market;
    const position = part.position[as];
    const value = market.valueOf(position.paper);
    netValue += value + position.credit;
    exposure += magnitude(value);
    maintenanceMargin += (magnitude(value) * market.rules.liquidationThreshold) / ONE;
    positionMargin += initialMargin(market, magnitude(value));
    worstMargin += initialMargin(market, worstExposure(part, value));
  }
  return {
    netValue,
    exposure,
    maintenanceMargin,
    positionMargin,
    frozenMargin: worstMargin - positionMargin,
    isSafe: netValue >= maintenanceMargin,
  };
}

/** What may still be bought and sold in a market: the smaller of the margin that is free there and its exposure limit. */
export function capacityOf(account: Account, market: Market, markets: Markets): Capacity {
  let freeMargin = account.primaryCredit + account.secondaryCredit;
  let value = 0n;
  let own: AccountMarket | undefined;
  for (const [id, part] of account.markets) {
    const other = markets.get(id) as Market;
    const worth = other.valueOf(part.position.matched.paper);
    freeMargin += worth + part.position.matched.credit;
    if (other === market) {
      value = worth;
      own = part;
    } else {
      freeMargin -= initialMargin(other, worstExposure(part, worth));
    }
  }
  const byMargin = freeMargin > 0n ? freeMargin * market.rules.maxLeverage : 0n;
  const boundByExposure = exceedsExposure(market, byMargin);
  const largest = boundByExposure ? market.rules.maxExposure : byMargin;
  return {
    buy: atLeastZero(largest - value - (own?.openBuyCredit ?? 0n)),
    sell: atLeastZero(largest + value - (own?.openSellCredit ?? 0n)),
    boundByExposure,
  };
}

/** Whether a market lets no account take on so much. */
function exceedsExposure({ rules }: Market, notional: CreditUnits): boolean {
  return notional > rules.maxExposure;
}

/** Whether an order of that side and size, with all others of its side filled first, would only reduce the position. */
export function onlyReduces(part: AccountMarket, market: Market, side: Side, lots: Lots): boolean {
  const held = part.position.matched.paper;
  return side === "BUY"
    ? market.paperOf(part.openBuyLots + lots) <= -held
    : market.paperOf(part.openSellLots + lots) <= held;
}

/**
 * The mark at which the position alone would bring its account to maintenance, in credit units per whole base unit; 0 when
 * there is none (protocol 7.3).
 */
export function liquidationPriceOf(
  account: Account,
  market: Market,
  markets: Markets,
): CreditUnits {
  const paper = account.markets.get(market.id)?.position.matched.paper ?? 0n;
  if (paper === 0n) {
    return 0n;
  }
  let otherMargin = 0n;
  let credit = account.primaryCredit + account.secondaryCredit;
  for (const [id, part] of account.markets) {
    const other = markets.get(id) as Market;
    credit += part.position.matched.credit;
    if (other !== market) {
      const value = other.valueOf(part.position.matched.paper);
      credit += value;
      otherMargin += (magnitude(value) * other.rules.liquidationThreshold) / ONE;
    }
  }
  const threshold = market.rules.liquidationThreshold;
  const keep = paper > 0n ? ONE - threshold : ONE + threshold;
  const price = (((otherMargin - credit) * market.rules.paperUnit) / paper) * ONE;
  return atLeastZero(price / keep);
}

/** The largest notional that the market can come to when the open orders of either side all fill. */
function worstExposure(part: AccountMarket, value: CreditUnits): CreditUnits {
  const bought = magnitude(value + part.openBuyCredit);
  const sold = magnitude(value - part.openSellCredit);
  const worst = bought > sold ? bought : sold;
  return worst > magnitude(value) ? worst : magnitude(value);
}

function initialMargin(market: Market, notional: CreditUnits): CreditUnits {
  return (notional + market.rules.maxLeverage - 1n) / market.rules.maxLeverage;
}

function magnitude(value: CreditUnits): CreditUnits {
  return value < 0n ? -value : value;
}

function atLeastZero(value: CreditUnits): CreditUnits {
  return value < 0n ? 0n : value;
}
