import { type CreditUnits, sideSign } from "../../core/units.js";
import type { ReplayFill } from "./run-observer.js";

/** Sums over ambiguous fills: history does not show whether their orders rested first. */
export interface AmbiguousFillSum {
  readonly fills: number;
  readonly lots: bigint;
  /** Credit that changed hands. */
  readonly quote: CreditUnits;
  /** Paid; below zero a rebate. */
  readonly fees: CreditUnits;
  /** Fees by the other rule for ambiguous fills. */
  readonly feesOtherwise: CreditUnits;
  /** Against the mid at each, in lots times half a tick; above zero is a gain. */
  readonly spread: bigint;
}

/** The sentence for the fills of each sum. */
export const AMBIGUITY_TEXTS = {
  asTakers: "may have been taker or maker fills and are charged as taker fills",
  asMakers: "may have been taker or maker fills and are charged as maker fills",
  postOnly: "are of post-only orders that may have been rejected",
} as const;

/**
 * A sentence on the fees of ambiguous fills: by the rule in use, and by the other one.
 * @param fees by the rule in use, a decimal; a rebate is below zero.
 * @param feesOtherwise by the other one.
 */
export function describeAmbiguousFees(fees: string, feesOtherwise: string): string {
  const [paid, amount] = charged(fees);
  if (fees === feesOtherwise) return `they ${paid} ${amount} under either rule`;
  const [paidOtherwise, other] = charged(feesOtherwise);
  return `they ${paid} ${amount}, and would have ${paidOtherwise} ${other} under the other rule`;
}

/** Fees as text: the verb, and the amount. */
function charged(fees: string): readonly [verb: string, amount: string] {
  return fees.startsWith("-")
    ? ["earned", `${fees.slice(1)} in rebates`]
    : ["paid", `${fees} in fees`];
}

class Sum implements AmbiguousFillSum {
  fills = 0;
  lots = 0n;
  quote = 0n;
  fees = 0n;
  feesOtherwise = 0n;
  spread = 0n;

  add(
    { side, ticks, lots, quote, fee, midHalfTicks }: ReplayFill,
    feeOtherwise: CreditUnits,
  ): void {
    this.fills += 1;
    this.lots += BigInt(lots);
    this.quote += quote;
    this.fees += fee;
    this.feesOtherwise += feeOtherwise;
    if (!Number.isNaN(midHalfTicks))
      this.spread += BigInt(sideSign(side) * lots) * BigInt(midHalfTicks - 2 * ticks);
  }
}

/** Sums over the ambiguous fills of one market. */
export class AmbiguousFills {
  /** Orders that may take, charged as takers. */
  readonly asTakers: AmbiguousFillSum;
  /** Orders that may take, charged as makers: by the recorded book, or where a maker pays more. */
  readonly asMakers: AmbiguousFillSum;
  /**
   * POST_ONLY orders, which may have been refused: without rebate where the rule is conservative.
   */
  readonly postOnly: AmbiguousFillSum;
  readonly #sums = { asTakers: new Sum(), asMakers: new Sum(), postOnly: new Sum() };

  constructor() {
    this.asTakers = this.#sums.asTakers;
    this.asMakers = this.#sums.asMakers;
    this.postOnly = this.#sums.postOnly;
  }

  /** Counts a fill, if it is ambiguous. */
  add(fill: ReplayFill): void {
    const { ambiguity, isMaker } = fill;
    if (ambiguity === undefined) return;
    const kind =
      ambiguity.kind === "may-have-been-refused" ? "postOnly" : isMaker ? "asMakers" : "asTakers";
    this.#sums[kind].add(fill, ambiguity.feeOtherwise);
  }
}
