import { absolute } from "../core/bigints.js";
import type { CreditUnits, Hex, PaperUnits } from "../core/units.js";
import { mulFixed } from "./fixed-point.js";
import { type AccountMargin, maintenanceMargin } from "./margin.js";

/**
 * The parameters of a market that its holders' margin depends on, at one block. Ratios and rates
 * are 1e18.
 */
export interface MarginMarket {
  /** Lower case. */
  readonly perp: Hex;
  /** Credit units per 1e18 paper. */
  readonly markPrice: bigint;
  readonly initialMarginRatio: bigint;
  readonly maintenanceMarginRatio: bigint;
  /** The discount at which a liquidator acquires a position. */
  readonly liquidationPriceOff: bigint;
  readonly insuranceFeeRate: bigint;
}

/**
 * An account's margin at one block, as `getTraderRisk` reports it, with the size of each of its
 * positions.
 */
export interface MarginAccount extends AccountMargin {
  /** By perp in lower case; no size is zero. */
  readonly papers: ReadonlyMap<Hex, PaperUnits>;
}

/** The holdings of an account on chain, funding applied. */
export interface ChainHoldings {
  readonly primaryCredit: CreditUnits;
  readonly secondaryCredit: CreditUnits;
  readonly positions: readonly {
    readonly perp: Hex;
    readonly paper: PaperUnits;
    readonly credit: CreditUnits;
  }[];
}

/**
 * An account's margin by the published formulas (docs/reference/protocol.md#margin). Undefined if
 * it holds a position in another market than these.
 */
export function computeHoldingsMargin(
  held: ChainHoldings,
  markets: ReadonlyMap<Hex, MarginMarket>,
): MarginAccount | undefined {
  let account: MarginAccount | undefined = {
    netValueCredit: held.primaryCredit + held.secondaryCredit,
    exposureCredit: 0n,
    initialMarginCredit: 0n,
    maintenanceMarginCredit: 0n,
    papers: new Map(),
  };
  for (const { perp, paper, credit } of held.positions) {
    const market = markets.get(perp);
    account =
      market === undefined || account === undefined
        ? undefined
        : applyBalanceChange(account, market, paper, credit);
  }
  return account;
}

/**
 * The account after its balance in one market changed by so much paper and credit
 * (docs/reference/protocol.md#balance-changes), at the same mark prices. The result is exact:
 * margin is a sum over positions, and closing one moves its credit to the primary credit without
 * rounding.
 */
export function applyBalanceChange(
  account: MarginAccount,
  market: MarginMarket,
  paperChange: PaperUnits,
  creditChange: CreditUnits,
): MarginAccount {
  const before = account.papers.get(market.perp) ?? 0n;
  const after = before + paperChange;
  const papers = new Map(account.papers);
  if (after === 0n) papers.delete(market.perp);
  else papers.set(market.perp, after);
  const [old, next] = [computePositionMargin(market, before), computePositionMargin(market, after)];
  return {
    netValueCredit: account.netValueCredit + next.value - old.value + creditChange,
    exposureCredit: account.exposureCredit + next.notional - old.notional,
    initialMarginCredit: account.initialMarginCredit + next.initial - old.initial,
    maintenanceMarginCredit: account.maintenanceMarginCredit + next.maintenance - old.maintenance,
    papers,
  };
}

/**
 * A position's part in the contracts' margin of its holder, at the market's mark price. Credit
 * units; all but `value` without sign.
 */
export function computePositionMargin(market: MarginMarket, paper: PaperUnits) {
  const value = mulFixed(paper, market.markPrice);
  const notional = absolute(value);
  return {
    value,
    notional,
    initial: mulFixed(notional, market.initialMarginRatio),
    maintenance: maintenanceMargin(value, market.maintenanceMarginRatio),
  };
}
