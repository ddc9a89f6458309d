import { ceilDivide } from "../../core/bigints.js";
import type { CreditUnits, Hex } from "../../core/units.js";
import { ONE } from "../../perpetual/fixed-point.js";

/** A race that somebody else won. */
export interface LostRace {
  readonly victim: Hex;
  readonly perp: Hex;
  readonly winner: Hex;
  /** Blocks by which the winner's transaction was before ours; 0 in the same block. */
  readonly blocksBefore: number;
  /** What the winner paid, wei per gas above the base fee, and what we offered. */
  readonly winnerTipWei: bigint;
  readonly ourTipWei: bigint;
  /** Gas that ours would have burnt. */
  readonly gas: bigint;
  /** What we would have earned at our tip, credit units. */
  readonly missedProfitCredit: CreditUnits;
}

/** What could have been had by offering more. */
export interface SuggestedTip {
  /** Wei per gas above the base fee that would have brought the most, after its own cost; undefined where no higher one would have. */
  readonly tipWei: bigint | undefined;
  /** Races that it would have won. */
  readonly wins: number;
  /** Credit units that it would have brought, its cost over what we offered taken off. */
  readonly recoveredCredit: CreditUnits;
  /** Races lost by a block or more: no tip wins those, only being earlier. */
  readonly lostByTime: number;
}

/**
 * The highest tip worth offering, from races that were lost: a race within one block goes to the higher tip, so one wei above the
 * winner's would have had it. Of all such tips the one whose races would have earned the most, each at the cost of that tip.
 * @param creditPerEth credit units of one ether.
 */
export function suggestTip(lost: readonly LostRace[], creditPerEth: CreditUnits): SuggestedTip {
  const byTip = lost.filter(
    ({ blocksBefore, winnerTipWei, ourTipWei }) => blocksBefore === 0 && winnerTipWei >= ourTipWei,
  );
  const recovered = (tipWei: bigint) => {
    const won = byTip.filter(({ winnerTipWei }) => winnerTipWei < tipWei);
    const credit = won.reduce((sum, { missedProfitCredit, ourTipWei, gas }) => {
      const moreWei = tipWei > ourTipWei ? (tipWei - ourTipWei) * gas : 0n;
      return sum + missedProfitCredit - ceilDivide(moreWei * creditPerEth, ONE);
    }, 0n);
    return { tipWei, wins: won.length, credit };
  };
  const tips = [...new Set(byTip.map(({ winnerTipWei }) => winnerTipWei + 1n))];
  const best = tips
    .map(recovered)
    .reduce(
      (a, b) => (b.credit > a.credit || (b.credit === a.credit && b.tipWei < a.tipWei) ? b : a),
      {
        tipWei: 0n,
        wins: 0,
        credit: 0n,
      },
    );
  return {
    tipWei: best.wins === 0 ? undefined : best.tipWei,
    wins: best.wins,
    recoveredCredit: best.credit,
    lostByTime: lost.filter(({ blocksBefore }) => blocksBefore > 0).length,
  };
}
