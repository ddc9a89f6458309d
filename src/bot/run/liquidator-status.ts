import { scaledToDecimal } from "../../core/instrument.js";
import type { Opportunity } from "../../liquidator/ledger/opportunity.js";
import { suggestedTip } from "../../liquidator/plan/suggested-tip.js";
import type { RunningLiquidator } from "./run-liquidator.js";
import { type LiquidationSummary, liquidationSummary } from "./run-summary.js";

/** Opportunities that a status tells of. */
const TOLD = 20;
const GWEI_DECIMALS = 9;

/** One opportunity as a status tells it; amounts are decimal strings. */
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
  readonly remainingLots: number | undefined;
  readonly lostTo: { readonly winner: string; readonly blocksBefore: number; readonly tipGwei: string } | undefined;
}

/** A liquidator as it is now: plain JSON. */
export interface LiquidatorStatus {
  readonly dryRun: boolean;
  readonly paused: string | undefined;
  readonly blockNumber: number | undefined;
  readonly watched: number;
  readonly inFlight: number;
  readonly counts: LiquidationSummary;
  /** The tip that would have won more of the races that were lost to a higher one; undefined where none would have paid. */
  readonly suggestedTipGwei: string | undefined;
  readonly rpcs: readonly { readonly name: string; readonly headAgeMs: number | undefined; readonly distrust: string | undefined }[];
  /** Newest last. */
  readonly opportunities: readonly OpportunityStatus[];
}

/** @param creditDecimals of the exchange's credit. */
export function liquidatorStatus(
  { liquidator, ledger, rpc, dryRun, creditPerEth }: RunningLiquidator,
  creditDecimals: number,
): LiquidatorStatus {
  const { paused, blockNumber, watched, inFlight } = liquidator.view();
  const price = creditPerEth();
  const tipWei = price === undefined ? undefined : suggestedTip(ledger.lostRaces(), price).tipWei;
  return {
    dryRun,
    paused,
    blockNumber,
    watched,
    inFlight: inFlight.length,
    counts: liquidationSummary(ledger.counts(), creditDecimals),
    suggestedTipGwei: tipWei === undefined ? undefined : scaledToDecimal(tipWei, GWEI_DECIMALS),
    rpcs: rpc.report().map(({ name, headAgeMs, distrust }) => ({ name, headAgeMs, distrust })),
    opportunities: ledger.recent(TOLD).map((opportunity) => opportunityStatus(opportunity, creditDecimals)),
  };
}

function opportunityStatus(opportunity: Opportunity, creditDecimals: number): OpportunityStatus {
  const quote = (units: bigint | undefined) => (units === undefined ? undefined : scaledToDecimal(units, creditDecimals));
  const { marketId, victim, outcome, reason, atMs, shortOfQuote, intended, profitQuote, gasQuote, takenOver, unwound, lostTo } =
    opportunity;
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
    remainingLots: unwound?.remainingLots,
    lostTo:
      lostTo === undefined
        ? undefined
        : { winner: lostTo.winner, blocksBefore: lostTo.blocksBefore, tipGwei: scaledToDecimal(lostTo.tipWei, GWEI_DECIMALS) },
  };
}
