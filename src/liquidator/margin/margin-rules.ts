import type { CreditUnits } from "../../core/units.js";
import { absolute, divFixed, mulFixed, ONE } from "./fixed-point.js";
import type { MarginAccount, MarginMarket, Paper } from "./margin-account.js";

/** The dealer's judgement: net value covers maintenance margin (protocol 7.3). */
export function isSafe({ netValueCredit, maintenanceMarginCredit }: MarginAccount): boolean {
  return netValueCredit >= maintenanceMarginCredit;
}

/**
 * The account after its balance in one market changed by so much paper and credit (protocol 7.5), at the same mark prices. Exact:
 * margin is a sum over positions, and closing one moves its credit to the primary credit to the unit.
 */
export function marginAfter(
  account: MarginAccount,
  market: MarginMarket,
  paperChange: Paper,
  creditChange: CreditUnits,
): MarginAccount {
  const before = account.papers.get(market.perp) ?? 0n;
  const after = before + paperChange;
  const papers = new Map(account.papers);
  if (after === 0n) papers.delete(market.perp);
  else papers.set(market.perp, after);
  const [old, next] = [weightOf(market, before), weightOf(market, after)];
  return {
    netValueCredit: account.netValueCredit + next.value - old.value + creditChange,
    exposureCredit: account.exposureCredit + next.notional - old.notional,
    initialMarginCredit: account.initialMarginCredit + next.initial - old.initial,
    maintenanceMarginCredit: account.maintenanceMarginCredit + next.maintenance - old.maintenance,
    papers,
  };
}

/**
 * The mark price at which the account becomes unsafe, all else equal; 0 for never, already or no position (protocol 7.3, as
 * `Dealer.getLiquidationPrice` rounds it). A long is safe at it and unsafe a unit below, a short safe up to a unit above.
 */
export function liquidationPriceOf(account: MarginAccount, market: MarginMarket): bigint {
  const paper = account.papers.get(market.perp) ?? 0n;
  if (paper === 0n) return 0n;
  const { value, maintenance } = weightOf(market, paper);
  // Its own credit stays in net value once its value is taken out.
  const missing = account.maintenanceMarginCredit - maintenance - (account.netValueCredit - value);
  const ratio = market.maintenanceMarginRatio;
  const price = divFixed(divFixed(missing, paper), paper > 0n ? ONE - ratio : ONE + ratio);
  return price > 0n ? price : 0n;
}

/** What a position counts in its holder's margin at the market's mark price. Credit units; all but `value` without sign. */
export function weightOf(market: MarginMarket, paper: Paper) {
  const value = mulFixed(paper, market.markPrice);
  const notional = absolute(value);
  return {
    value,
    notional,
    initial: mulFixed(notional, market.initialMarginRatio),
    maintenance: mulFixed(notional, market.maintenanceMarginRatio),
  };
}
