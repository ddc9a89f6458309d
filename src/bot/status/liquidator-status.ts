import { scaledToDecimal } from "../../core/instrument.js";
import type { Lots, MarketId } from "../../core/units.js";
import type { LedgerCounts } from "../../liquidator/ledger/ledger-counts.js";
import type { Opportunity } from "../../liquidator/ledger/opportunity.js";
import type { Liquidator } from "../../liquidator/liquidator.js";
import { suggestTip } from "../../liquidator/plan/suggest-tip.js";
import type { RunningLiquidator } from "../run/run-liquidator.js";

/**
 * Most opportunities in a status: the newest open ones, and the last that ended. All are counted,
 * and in the ledger's file.
 */
const OPEN_TOLD = 20;
const ENDED_TOLD = 5;
const GWEI_DECIMALS = 9;

/** One opportunity in a status; amounts are decimal strings. */
export interface OpportunityStatus {
  readonly marketId: string;
  readonly victim: string;
  readonly outcome: string;
  readonly reason: string | undefined;
  readonly atMs: Opportunity["atMs"];
  readonly shortOfQuote: string | undefined;
  readonly expectedProfitQuote: string | undefined;
  readonly profitQuote: string | undefined;
  readonly gasQuote: string | undefined;
  readonly hash: string | undefined;
  /** Remaining amount to be sold, signed. */
  readonly remainingBase: string | undefined;
  /** Whose mark values the remainder in the profit: the worse of the exchange's and the chain's. */
  readonly restBy: string | undefined;
  readonly lostTo:
    | { readonly winner: string; readonly blocksBefore: number; readonly tipGwei: string }
    | undefined;
}

/** The present status of a liquidator: plain JSON. */
export interface LiquidatorStatus {
  readonly dryRun: boolean;
  readonly paused: string | undefined;
  readonly blockNumber: number | undefined;
  readonly watched: number;
  /**
   * Accounts nearest to liquidation as of the last assessment, nearest first: 0 basis points is
   * unsafe.
   */
  readonly nearest: readonly {
    readonly account: string;
    /** Null if no price makes it unsafe. */
    readonly distanceBps: number | null;
    /** Gain against the mark if all its positions were taken over. */
    readonly discountQuote: string;
  }[];
  readonly inFlight: number;
  readonly counts: LiquidationSummary;
  /**
   * The tip that would have won more of the races that were lost to a higher one; undefined if none
   * would have been profitable.
   */
  readonly suggestedTipGwei: string | undefined;
  readonly rpcs: readonly {
    readonly name: string;
    readonly headAgeMs: number | undefined;
    readonly distrust: string | undefined;
  }[];
  /** The newest that are open, oldest first; `counts` has all. */
  readonly open: readonly OpportunityStatus[];
  /** The last that have ended, newest last. */
  readonly ended: readonly OpportunityStatus[];
}

/** Result of a run's liquidations. */
export interface LiquidationSummary extends Omit<LedgerCounts, "profitQuote" | "gasWei"> {
  /**
   * Takeovers with their sale, the remainder at the mark, less the gas of everything that was sent.
   * Gas is paid in ether, which is not part of the account's equity: equity is higher by that
   * amount.
   */
  readonly profitQuote: string;
  readonly gasEth: string;
}

/** The ledger's counts as decimal strings. */
export function summariseLiquidations(
  { profitQuote, gasWei, ...counts }: LedgerCounts,
  creditDecimals: number,
): LiquidationSummary {
  return {
    ...counts,
    profitQuote: scaledToDecimal(profitQuote, creditDecimals),
    gasEth: scaledToDecimal(gasWei, 18),
  };
}

/** The part of a running liquidator that a status reads. */
type LiquidatorStatusSource = Pick<
  RunningLiquidator,
  "ledger" | "rpc" | "dryRun" | "creditPerEth"
> & {
  readonly liquidator: Pick<Liquidator, "view">;
};

/** Units of the amounts. */
interface Scale {
  /** Decimals of the exchange's credit. */
  readonly creditDecimals: number;
  /** Lots of a market as base. */
  readonly baseOf: (marketId: MarketId, lots: Lots) => string;
}

/** The present status of a liquidator. */
export function buildLiquidatorStatus(
  { liquidator, ledger, rpc, dryRun, creditPerEth }: LiquidatorStatusSource,
  scale: Scale,
): LiquidatorStatus {
  const { paused, blockNumber, watched, nearest, inFlight } = liquidator.view();
  const price = creditPerEth();
  const tipWei = price === undefined ? undefined : suggestTip(ledger.lostRaces(), price).tipWei;
  return {
    dryRun,
    paused,
    blockNumber,
    watched,
    nearest: nearest.map(({ account, nearness: { distanceBps }, discountCredit }) => ({
      account,
      distanceBps: Number.isFinite(distanceBps) ? distanceBps : null,
      discountQuote: scaledToDecimal(discountCredit, scale.creditDecimals),
    })),
    inFlight: inFlight.length,
    counts: summariseLiquidations(ledger.counts(), scale.creditDecimals),
    suggestedTipGwei: tipWei === undefined ? undefined : scaledToDecimal(tipWei, GWEI_DECIMALS),
    rpcs: rpc.report().map(({ name, headAgeMs, distrustReason }) => ({
      name,
      headAgeMs,
      distrust: distrustReason,
    })),
    open: ledger.open.slice(-OPEN_TOLD).map((opportunity) => opportunityStatus(opportunity, scale)),
    ended: ledger.ended(ENDED_TOLD).map((opportunity) => opportunityStatus(opportunity, scale)),
  };
}

function opportunityStatus(
  opportunity: Opportunity,
  { creditDecimals, baseOf }: Scale,
): OpportunityStatus {
  const quote = (units: bigint | undefined) =>
    units === undefined ? undefined : scaledToDecimal(units, creditDecimals);
  const {
    marketId,
    victim,
    outcome,
    reason,
    atMs,
    shortOfQuote,
    intended,
    profitQuote,
    gasQuote,
    takenOver,
    unwound,
    lostTo,
  } = opportunity;
  return {
    marketId,
    victim,
    outcome,
    reason,
    atMs,
    shortOfQuote: quote(shortOfQuote),
    expectedProfitQuote: quote(intended?.expectedProfitQuote),
    profitQuote: quote(profitQuote),
    gasQuote: quote(gasQuote),
    hash: takenOver?.hash,
    remainingBase: unwound === undefined ? undefined : baseOf(marketId, unwound.remainingLots),
    restBy: unwound?.restBy,
    lostTo:
      lostTo === undefined
        ? undefined
        : {
            winner: lostTo.winner,
            blocksBefore: lostTo.blocksBefore,
            tipGwei: scaledToDecimal(lostTo.tipWei, GWEI_DECIMALS),
          },
  };
}
