import type { CreditUnits } from "../../../core/units.js";
import type { WireRiskyAccount } from "../../../exchange/protocol/account.js";
import type { Account } from "../../accounts/account.js";
import { riskOf } from "../../accounts/margin.js";
import type { ExchangeState } from "../../engine/state.js";
import { positionRecords, ratio } from "../records/account-records.js";

/** Without any net value left the risk has no bound; 1 is where liquidation begins, so it is shown as far above it. */
const BOUNDLESS = "999";

interface Risky {
  readonly account: Account;
  readonly maintenanceMargin: CreditUnits;
  readonly netValue: CreditUnits;
  readonly isSafe: boolean;
}

/**
 * Accounts whose maintenance margin is more than 80 % of their net value (specification, "High-risk account"), the riskiest first.
 * Only those that hold a position are looked at.
 */
export function riskyAccountRecords(state: ExchangeState): WireRiskyAccount[] {
  const { markets } = state;
  const risky: Risky[] = [];
  for (const account of holdersOf(state)) {
    const { maintenanceMargin, netValue, isSafe } = riskOf(account, markets);
    if (maintenanceMargin > 0n && maintenanceMargin * 10n > netValue * 8n) {
      risky.push({ account, maintenanceMargin, netValue, isSafe });
    }
  }
  return risky.sort(byRisk).map(({ account, maintenanceMargin, netValue, isSafe }) => ({
    account: account.address,
    isSafe,
    risk: netValue > 0n ? ratio(maintenanceMargin, netValue) : BOUNDLESS,
    positions: positionRecords(account, markets, { closed: false, updatedAt: true }),
  }));
}

function holdersOf({ markets }: ExchangeState): Set<Account> {
  const holders = new Set<Account>();
  for (const market of markets.values()) {
    for (const account of market.holders) {
      if (!account.isHouse) {
        holders.add(account);
      }
    }
  }
  return holders;
}

/** Those without net value first, the deepest in debt at the head; then by maintenance margin over net value; then by address. */
function byRisk(a: Risky, b: Risky): number {
  const [aIsSolvent, bIsSolvent] = [a.netValue > 0n, b.netValue > 0n];
  if (aIsSolvent !== bIsSolvent) {
    return aIsSolvent ? 1 : -1;
  }
  const difference = aIsSolvent
    ? b.maintenanceMargin * a.netValue - a.maintenanceMargin * b.netValue
    : a.netValue - b.netValue;
  return difference === 0n
    ? a.account.address.toLowerCase() < b.account.address.toLowerCase()
      ? -1
      : 1
    : difference < 0n
      ? -1
      : 1;
}
