import type { WireRiskyAccount } from "../../../exchange/protocol/account.js";
import { type AccountMargin, isSafe } from "../../../perpetual/margin.js";
import type { ExchangeAccount } from "../../accounts/account.js";
import { computeMargin } from "../../accounts/margin.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import { positionRecords, ratio } from "../records/account-records.js";

/**
 * The reported risk of an account without net value, where the ratio has no bound. Liquidation
 * begins at 1.
 */
const BOUNDLESS = "999";

interface Risky {
  readonly account: ExchangeAccount;
  readonly margin: AccountMargin;
}

/**
 * Accounts whose maintenance margin is more than 80 % of their net value
 * (docs/reference/exchange-interface.md#high-risk-account-fields), the riskiest first. Only
 * accounts that hold a position are checked.
 */
export function riskyAccountRecords(state: ExchangeState): WireRiskyAccount[] {
  const { markets } = state;
  const risky: Risky[] = [];
  for (const account of holdersOf(state)) {
    const margin = computeMargin(account, markets);
    const { maintenanceMarginCredit, netValueCredit } = margin;
    if (maintenanceMarginCredit > 0n && maintenanceMarginCredit * 10n > netValueCredit * 8n) {
      risky.push({ account, margin });
    }
  }
  return risky.sort(byRisk).map(({ account, margin }) => ({
    account: account.address,
    isSafe: isSafe(margin),
    risk:
      margin.netValueCredit > 0n
        ? ratio(margin.maintenanceMarginCredit, margin.netValueCredit)
        : BOUNDLESS,
    positions: positionRecords(account, markets, { closed: false, updatedAt: true }),
  }));
}

function holdersOf(state: ExchangeState): Set<ExchangeAccount> {
  const holders = new Set<ExchangeAccount>();
  for (const market of state.markets.values()) {
    for (const account of state.accountsFor(market).holders) {
      if (!account.isHouse) {
        holders.add(account);
      }
    }
  }
  return holders;
}

/**
 * Orders accounts by risk: those without net value first, the deepest in debt leading; then by
 * maintenance margin over net value; then by address.
 */
function byRisk(a: Risky, b: Risky): number {
  const { netValueCredit: aWorth, maintenanceMarginCredit: aMargin } = a.margin;
  const { netValueCredit: bWorth, maintenanceMarginCredit: bMargin } = b.margin;
  const [aIsSolvent, bIsSolvent] = [aWorth > 0n, bWorth > 0n];
  if (aIsSolvent !== bIsSolvent) {
    return aIsSolvent ? 1 : -1;
  }
  const difference = aIsSolvent ? bMargin * aWorth - aMargin * bWorth : aWorth - bWorth;
  return difference === 0n
    ? a.account.address.toLowerCase() < b.account.address.toLowerCase()
      ? -1
      : 1
    : difference < 0n
      ? -1
      : 1;
}
