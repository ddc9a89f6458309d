import { ceilDivide } from "../../core/bigints.js";
import type { CreditUnits, Hex } from "../../core/units.js";
import { ONE } from "../../perpetual/fixed-point.js";

/** A race that another account won. */
export interface LostRace {
  readonly victim: Hex;
  readonly perp: Hex;
  readonly winner: Hex;
  /** Blocks by which the winner's transaction was before ours; 0 in the same block. */
  readonly blocksBefore: number;
  /** The winner's tip and ours, wei per gas above the base fee. */
  readonly winnerTipWei: bigint;
  readonly ourTipWei: bigint;
  /** Gas that our transaction would have burnt. */
  readonly gas: bigint;
  /** Profit that we would have had at our tip, credit units. */
  readonly missedProfitCredit: CreditUnits;
}

/** Result of a higher tip over the lost races. */
export interface SuggestedTip {
  /**
   * The most profitable tip, wei per gas above the base fee and after its own cost; undefined if no
   * higher tip would have paid.
   */
  readonly tipWei: bigint | undefined;
  /** Number of races that it would have won. */
  readonly wins: number;
  /** Credit units that it would have brought, less its cost above our tip. */
  readonly recoveredCredit: CreditUnits;
  /** Races lost by a block or more. No tip wins those, only an earlier transaction. */
  readonly lostByTime: number;
}

/**
 * Suggests the most profitable tip from lost races. A race within one block goes to the higher tip,
 * so one wei above the winner's would have won it. Of these tips, it takes the one with the largest
 * total profit at the cost of that tip.
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
