import { ceilDivide } from "../../core/bigints.js";
import type { CreditUnits, Hex, MarketId, Ms } from "../../core/units.js";
import { RACE_GAS } from "../../liquidator/ledger/liquidation-ledger.js";
import type {
  AssessedTakeover,
  Opportunity,
  SkipCause,
} from "../../liquidator/ledger/opportunity.js";

/** The stage at which an opportunity was lost (docs/reference/ledger.md#stages). */
export type LostStage =
  | SkipCause
  /** It was gone before the chain confirmed it, or before anything was planned. */
  | "seen-late"
  /** Another transaction in the same block had a higher tip. */
  | "outbid"
  /** Another transaction was mined before ours could be. */
  | "too-late"
  /** Ours failed on the chain, and nobody else took it. */
  | "reverted"
  /** It was planned, and the transaction was not sent or was cancelled. */
  | "not-sent"
  /** The account became safe by itself. */
  | "cured"
  | "dry-run"
  /** The chain could not be read when it was gone. */
  | "unknown";

/** One opportunity that was not won. */
export interface MissedLiquidation {
  readonly id: string;
  readonly seenMs: Ms;
  readonly marketId: MarketId;
  readonly victim: Hex;
  readonly outcome: Opportunity["outcome"];
  readonly stage: LostStage;
  readonly reason: string | undefined;
  /** Profit that it would have brought, by the last assessment; undefined if there was none. */
  readonly profitQuote: CreditUnits | undefined;
  /** The parts of that profit; undefined in entries of older versions. */
  readonly parts: AssessedTakeover | undefined;
  readonly ourTipWei: bigint | undefined;
  readonly winner: Hex | undefined;
  readonly winnerTipWei: bigint | undefined;
  readonly blocksBefore: number | undefined;
  /** The lowest tip that would have won, as far as the chain shows; undefined if no tip would. */
  readonly winningTipWei: bigint | undefined;
  /** Profit at that tip; undefined if the price of ether is not recorded. */
  readonly profitAtWinningTipQuote: CreditUnits | undefined;
}

/**
 * An opportunity that was not won: what it would have brought, at which tip, and which stage lost
 * it. Undefined for one that was won, or is open.
 */
export function describeMissed(opportunity: Opportunity): MissedLiquidation | undefined {
  const { outcome, id, victim, marketId, atMs, reason, assessed, intended } = opportunity;
  if (outcome === "won" || outcome === "open") return undefined;
  const { lostTo, tipWei } = opportunity;
  const stage = findLostStage(opportunity);
  const profitQuote = assessed?.profitQuote ?? intended?.expectedProfitQuote;
  const winningTipWei = stage === "outbid" && lostTo !== undefined ? lostTo.tipWei + 1n : undefined;
  return {
    id,
    seenMs: atMs.seen ?? 0,
    marketId,
    victim,
    outcome,
    stage,
    reason,
    profitQuote,
    parts: assessed,
    ourTipWei: tipWei,
    winner: lostTo?.winner,
    winnerTipWei: lostTo?.tipWei,
    blocksBefore: lostTo?.blocksBefore,
    winningTipWei,
    profitAtWinningTipQuote: profitAt(winningTipWei, opportunity, profitQuote),
  };
}

function findLostStage(opportunity: Opportunity): LostStage {
  const { outcome, skippedFor, intended, lostTo, tipWei = 0n, shortOfQuote } = opportunity;
  if (outcome === "dry-run") return "dry-run";
  if (outcome === "cured") return "cured";
  if (outcome === "reverted") return "reverted";
  if (intended === undefined) {
    if (skippedFor !== undefined) return skippedFor;
    if (outcome === "unprofitable" || shortOfQuote !== undefined) return "unprofitable";
    return outcome === "refused" ? "unknown" : "seen-late";
  }
  if (outcome === "unprofitable") return "unprofitable";
  if (outcome === "refused") return skippedFor ?? "not-sent";
  if (lostTo === undefined) return "unknown";
  return lostTo.blocksBefore === 0 && lostTo.tipWei >= tipWei ? "outbid" : "too-late";
}

/** The profit less what a higher tip costs. */
function profitAt(
  winningTipWei: bigint | undefined,
  { tipWei = 0n, creditPerEth }: Opportunity,
  profitQuote: CreditUnits | undefined,
): CreditUnits | undefined {
  if (winningTipWei === undefined || profitQuote === undefined || creditPerEth === undefined)
    return undefined;
  const more = (winningTipWei - tipWei) * RACE_GAS * creditPerEth;
  return profitQuote - ceilDivide(more, 10n ** 18n);
}
