import type { CreditUnits, Lots, Ms } from "../../core/units.js";

/** One side's part in a trade, as it changes a position. */
export interface PositionFill {
  /** Signed: positive buys. */
  readonly lots: Lots;
  /** Credit that changes hands, unsigned and without the fee. */
  readonly quote: CreditUnits;
  /** Credit paid; negative is a rebate. */
  readonly fee: CreditUnits;
  readonly timeMs: Ms;
}

/**
 * A position in one market with the contracts' two balances (protocol 7.5): paper as signed lots, and credit, which becomes
 * primary credit when the paper returns to zero. Besides, the figures that the position record shows of the stretch since
 * the position was opened; a flip closes one stretch and opens the next.
 */
export class PositionState {
  /** Signed: long is positive. */
  lots: Lots = 0;
  /** The contracts' credit of this market, fees and funding included. */
  credit: CreditUnits = 0n;
  /** Credit that closed positions of this market have given to the primary credit. */
  realizedCredit: CreditUnits = 0n;
  /** How often the paper has returned to zero (`positionSerialNum`). */
  serial = 0;

  /** +1 or -1 from the first fill of the stretch on, and after it closed; 0 before any. */
  direction: 1 | -1 | 0 = 0;
  openedLots: Lots = 0;
  closedLots: Lots = 0;
  largestLots: Lots = 0;
  /** Unsigned credit for which the lots that are still open were opened. */
  openQuote: CreditUnits = 0n;
  /** Unsigned credit for which lots of this stretch were closed. */
  closeQuote: CreditUnits = 0n;
  /** Profit of the closed lots of this stretch, without fees and funding. */
  realizedPnl: CreditUnits = 0n;
  openedAtMs: Ms = 0;
  /** null while open. */
  closedAtMs: Ms | null = null;
  updatedAtMs: Ms = 0;

  /** Applies a fill. @returns the profit of what it closed, without fees. */
  fill({ lots, quote, fee, timeMs }: PositionFill): CreditUnits {
    const closing = this.lots !== 0 && Math.sign(lots) !== Math.sign(this.lots) ? Math.min(Math.abs(lots), Math.abs(this.lots)) : 0;
    const closeQuote = closing === Math.abs(lots) ? quote : (quote * BigInt(closing)) / BigInt(Math.abs(lots));
    const pnl = closing === 0 ? 0n : this.#close(closing, closeQuote, timeMs);
    if (closing < Math.abs(lots)) {
      this.#open(Math.abs(lots) - closing, lots > 0 ? 1 : -1, quote - closeQuote, timeMs);
    }
    this.updatedAtMs = timeMs;
    this.lots += lots;
    this.credit += (lots > 0 ? -quote : quote) - fee;
    if (this.lots === 0) {
      this.realizedCredit += this.credit;
      this.credit = 0n;
      this.serial += 1;
    }
    return pnl;
  }

  /** Credits funding (negative: paid). */
  fund(amount: CreditUnits, timeMs: Ms): void {
    this.updatedAtMs = timeMs;
    if (this.lots === 0) {
      // Only when a match that had opened the position failed meanwhile.
      this.realizedCredit += amount;
    } else {
      this.credit += amount;
    }
  }

  clone(): PositionState {
    return Object.assign(new PositionState(), this);
  }

  #close(lots: Lots, quote: CreditUnits, timeMs: Ms): CreditUnits {
    const held = Math.abs(this.lots);
    const cost = lots === held ? this.openQuote : (this.openQuote * BigInt(lots)) / BigInt(held);
    const pnl = this.direction === 1 ? quote - cost : cost - quote;
    this.openQuote -= cost;
    this.closeQuote += quote;
    this.closedLots += lots;
    this.realizedPnl += pnl;
    this.closedAtMs = lots === held ? timeMs : null;
    return pnl;
  }

  #open(lots: Lots, direction: 1 | -1, quote: CreditUnits, timeMs: Ms): void {
    const held = this.closedAtMs !== null || this.direction === 0 ? 0 : Math.abs(this.lots);
    if (held === 0) {
      this.direction = direction;
      this.openedLots = 0;
      this.closedLots = 0;
      this.largestLots = 0;
      this.openQuote = 0n;
      this.closeQuote = 0n;
      this.realizedPnl = 0n;
      this.openedAtMs = timeMs;
      this.closedAtMs = null;
    }
    this.openedLots += lots;
    this.openQuote += quote;
    this.largestLots = Math.max(this.largestLots, held + lots);
  }
}
