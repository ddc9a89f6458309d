import { absolute, larger, smaller } from "../../core/bigints.js";
import type { CreditUnits, Ms, PaperUnits } from "../../core/units.js";

/** One side's part of a trade, as a change of its position. */
export interface PositionFill {
  /** Signed: positive buys. A liquidation need not be a whole number of lots. */
  readonly paper: PaperUnits;
  /** Credit exchanged, unsigned and without the fee. */
  readonly quote: CreditUnits;
  /** Credit paid; negative for a rebate. */
  readonly fee: CreditUnits;
  readonly timeMs: Ms;
  /**
   * True if another fill of the same transaction follows. The contracts never see the position
   * between the two.
   */
  continues?: boolean;
}

/**
 * A position in one market with the contracts' two balances
 * (docs/reference/protocol.md#balance-changes): paper, and credit, which becomes primary credit
 * when the paper returns to zero. It also has the figures of the position record since the position
 * was opened. A flip closes one such period and opens the next.
 */
export class PositionState {
  /** Signed: long is positive. */
  paper: PaperUnits = 0n;
  /** The contracts' credit of this market, including fees and funding. */
  credit: CreditUnits = 0n;
  /** Credit that closed positions of this market have moved to the primary credit. */
  realizedCredit: CreditUnits = 0n;
  /** The number of times that the paper has returned to zero (`positionSerialNum`). */
  serial = 0;

  /** +1 or -1 from the first fill of the period on, also after it closed; 0 before the first. */
  direction: 1 | -1 | 0 = 0;
  openedPaper: PaperUnits = 0n;
  closedPaper: PaperUnits = 0n;
  largestPaper: PaperUnits = 0n;
  /** Unsigned credit for which the open paper was bought or sold. */
  openQuote: CreditUnits = 0n;
  /** Unsigned credit for which paper of this period was closed. */
  closeQuote: CreditUnits = 0n;
  /** Profit of the closed paper of this period, without fees and funding. */
  realizedPnl: CreditUnits = 0n;
  openedAtMs: Ms = 0;
  /** null while open. */
  closedAtMs: Ms | null = null;
  updatedAtMs: Ms = 0;

  /**
   * Applies a fill.
   * @returns the profit of the closed part, without fees.
   */
  fill({ paper, quote, fee, timeMs, continues = false }: PositionFill): CreditUnits {
    const size = absolute(paper);
    const closing = paper > 0n === this.paper > 0n ? 0n : smaller(size, absolute(this.paper));
    const closeQuote = closing === size ? quote : (quote * closing) / size;
    const pnl = closing === 0n ? 0n : this.#close(closing, closeQuote, timeMs);
    if (closing < size) {
      this.#open(size - closing, paper > 0n ? 1 : -1, quote - closeQuote, timeMs);
    }
    this.updatedAtMs = timeMs;
    this.paper += paper;
    this.credit += (paper > 0n ? -quote : quote) - fee;
    if (this.paper === 0n && !continues) {
      this.realizedCredit += this.credit;
      this.credit = 0n;
      this.serial += 1;
    }
    return pnl;
  }

  /** Credits funding; negative when the position pays. */
  fund(amount: CreditUnits, timeMs: Ms): void {
    this.updatedAtMs = timeMs;
    if (this.paper === 0n) {
      // Reached only if a match that had opened the position has failed since.
      this.realizedCredit += amount;
    } else {
      this.credit += amount;
    }
  }

  clone(): PositionState {
    return Object.assign(new PositionState(), this);
  }

  #close(size: PaperUnits, quote: CreditUnits, timeMs: Ms): CreditUnits {
    const held = absolute(this.paper);
    const cost = size === held ? this.openQuote : (this.openQuote * size) / held;
    const pnl = this.direction === 1 ? quote - cost : cost - quote;
    this.openQuote -= cost;
    this.closeQuote += quote;
    this.closedPaper += size;
    this.realizedPnl += pnl;
    this.closedAtMs = size === held ? timeMs : null;
    return pnl;
  }

  #open(size: PaperUnits, direction: 1 | -1, quote: CreditUnits, timeMs: Ms): void {
    const held = this.closedAtMs !== null || this.direction === 0 ? 0n : absolute(this.paper);
    if (held === 0n) {
      this.direction = direction;
      this.openedPaper = 0n;
      this.closedPaper = 0n;
      this.largestPaper = 0n;
      this.openQuote = 0n;
      this.closeQuote = 0n;
      this.realizedPnl = 0n;
      this.openedAtMs = timeMs;
      this.closedAtMs = null;
    }
    this.openedPaper += size;
    this.openQuote += quote;
    this.largestPaper = larger(this.largestPaper, held + size);
  }
}
