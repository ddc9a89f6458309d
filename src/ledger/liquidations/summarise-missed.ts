import type { CreditUnits } from "../../core/units.js";
import type { Opportunity } from "../../liquidator/ledger/opportunity.js";
import type { LedgerPeriod } from "../account-ledger.js";
import { describeMissed, type LostStage, type MissedLiquidation } from "./missed-liquidation.js";

/** The opportunities that one stage lost. */
export interface StageSum {
  readonly stage: LostStage;
  readonly count: number;
  /** Sum of the profits that are known and above zero: what the stage cost. */
  readonly missedQuote: CreditUnits;
  /** Opportunities whose value was never computed. */
  readonly unassessed: number;
  /** Those that a higher tip would have won with a profit, and that profit. */
  readonly winnable: number;
  readonly winnableQuote: CreditUnits;
}

/** The opportunities of a period that were not won. */
export interface MissedLiquidations {
  readonly missed: readonly MissedLiquidation[];
  /** The costliest first. */
  readonly stages: readonly StageSum[];
  readonly won: number;
  /** Realised by those that were won. */
  readonly wonQuote: CreditUnits;
  readonly open: number;
}

/** Lists and sums what was not won of the opportunities that were first seen in a period. */
export function summariseMissed(
  opportunities: readonly Opportunity[],
  { fromMs, toMs }: LedgerPeriod,
): MissedLiquidations {
  const inPeriod = opportunities.filter(
    ({ atMs: { seen = 0 } }) =>
      seen >= (fromMs ?? Number.NEGATIVE_INFINITY) && seen < (toMs ?? Number.POSITIVE_INFINITY),
  );
  const missed = inPeriod.flatMap((opportunity) => describeMissed(opportunity) ?? []);
  const stages = new Map<LostStage, StageSum>();
  for (const one of missed)
    stages.set(one.stage, added(stages.get(one.stage) ?? emptySum(one.stage), one));
  const won = inPeriod.filter(({ outcome }) => outcome === "won");
  return {
    missed: missed.toSorted((one, other) => one.seenMs - other.seenMs),
    stages: [...stages.values()].toSorted((one, other) =>
      one.missedQuote === other.missedQuote ? 0 : one.missedQuote > other.missedQuote ? -1 : 1,
    ),
    won: won.length,
    wonQuote: won.reduce((sum, { profitQuote = 0n }) => sum + profitQuote, 0n),
    open: inPeriod.filter(({ outcome }) => outcome === "open").length,
  };
}

function emptySum(stage: LostStage): StageSum {
  return { stage, count: 0, missedQuote: 0n, unassessed: 0, winnable: 0, winnableQuote: 0n };
}

function added(
  sum: StageSum,
  { profitQuote, profitAtWinningTipQuote = 0n }: MissedLiquidation,
): StageSum {
  const isWinnable = profitAtWinningTipQuote > 0n;
  return {
    ...sum,
    count: sum.count + 1,
    missedQuote:
      sum.missedQuote + (profitQuote !== undefined && profitQuote > 0n ? profitQuote : 0n),
    unassessed: sum.unassessed + (profitQuote === undefined ? 1 : 0),
    winnable: sum.winnable + (isWinnable ? 1 : 0),
    winnableQuote: sum.winnableQuote + (isWinnable ? profitAtWinningTipQuote : 0n),
  };
}
