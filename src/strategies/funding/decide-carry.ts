/** A carry trade at an instant. All amounts are basis points of the value of one leg. */
export interface CarryState {
  /** 1 if the position is long here and short at the hedge, -1 for the opposite, 0 for none. */
  readonly heldSide: -1 | 0 | 1;
  /** Expected funding of both legs over the holding time, long here. */
  readonly spreadBps: number;
  /** Expected convergence of the basis over the holding time, long here. */
  readonly basisBps: number;
  /** Fees and spreads of the four fills. */
  readonly feesBps: number;
  /**
   * The least that the history of the rates leaves of the expected funding at the configured share,
   * by side, as a difference: 0 or less. Undefined while the history is too short.
   */
  readonly worst: { readonly longBps: number; readonly shortBps: number } | undefined;
}

/** The thresholds of a carry trade, in basis points. */
export interface CarryThresholds {
  /** The expectation has to leave this much after its fees. */
  readonly entryMarginBps: number;
  /** The trade ends when less than this is expected of the rest. */
  readonly exitBps: number;
  /** Largest loss of an entry in the worst case, fees included. */
  readonly maxLossBps: number;
}

/** The decision about a carry trade. */
export interface CarryDecision {
  /** The wanted side; `hold` leaves the position as it is. */
  readonly want: -1 | 0 | 1 | "hold";
  /** Result of an entry on the better side, as expected and in the worst case, after fees. */
  readonly expectedBps: number;
  readonly worstBps: number;
  /** For the reason; undefined if a side is wanted. */
  readonly note: string | undefined;
}

/**
 * Decides if a carry trade is entered, held or ended. It is entered for what leaves a margin after
 * the fees of four fills, and whose worst case by the history of the rates is bearable. Those fees
 * are spent or due in any case once it is held, so it ends only when nothing more is expected.
 */
export function decideCarry(
  { heldSide, spreadBps, basisBps, feesBps, worst }: CarryState,
  { entryMarginBps, exitBps, maxLossBps }: CarryThresholds,
): CarryDecision {
  const grossBps = spreadBps + basisBps;
  const side = grossBps < 0 ? -1 : 1;
  const expectedBps = Math.abs(grossBps) - feesBps;
  const surpriseBps = (side > 0 ? worst?.longBps : worst?.shortBps) ?? Number.NaN;
  const figures = { expectedBps, worstBps: expectedBps + surpriseBps };
  let note: string | undefined;
  if (!(expectedBps >= entryMarginBps)) note = "carry: the spread does not pay its fees";
  else if (worst === undefined) note = "carry: too few rates for a worst case";
  else if (!(figures.worstBps >= -maxLossBps)) note = "carry: the worst case exceeds maxLossBps";
  if (note === undefined && heldSide !== -side) return { ...figures, want: side, note };
  if (heldSide !== 0 && heldSide * grossBps >= exitBps) return { ...figures, want: "hold", note };
  return { ...figures, want: 0, note: note ?? "carry: the other side is paid" };
}
