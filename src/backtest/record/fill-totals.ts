import type { CreditUnits, Lots } from "../../core/units.js";
import type { FillCause } from "../matching/matcher.js";
import { AmbiguousFills } from "./ambiguous-fills.js";
import type { ReplayFill } from "./run-observer.js";

/** Every cause, in the order of the reports. */
export const FILL_CAUSES: readonly FillCause[] = ["queue", "through", "cross", "taker"];

/** Sums over fills of one market. */
export interface FillSum {
  readonly fills: number;
  readonly lots: bigint;
  /** Credit that changed hands. */
  readonly quote: CreditUnits;
  /** Paid; below zero a rebate. */
  readonly fees: CreditUnits;
}

class Sum implements FillSum {
  fills = 0;
  lots = 0n;
  quote = 0n;
  fees = 0n;

  add(lots: Lots, quote: CreditUnits, fee: CreditUnits): void {
    this.fills += 1;
    this.lots += BigInt(lots);
    this.quote += quote;
    this.fees += fee;
  }
}

/**
 * Fills of one market by cause, side, and maker or taker; the ambiguous ones; and the number of
 * orders with a fill.
 */
export class FillTotals {
  readonly all = new Sum();
  readonly maker = new Sum();
  readonly taker = new Sum();
  readonly buys = new Sum();
  readonly sells = new Sum();
  readonly byCause: ReadonlyMap<FillCause, FillSum>;
  readonly doubtful = new AmbiguousFills();
  readonly #causes: ReadonlyMap<FillCause, Sum>;
  readonly #orders = new OrderMarks();

  constructor() {
    this.#causes = new Map(FILL_CAUSES.map((cause) => [cause, new Sum()]));
    this.byCause = this.#causes;
  }

  get ordersFilled(): number {
    return this.#orders.count;
  }

  add(fill: ReplayFill): void {
    const { side, lots, quote, fee, isMaker, cause, orderId } = fill;
    for (const sum of [
      this.all,
      isMaker ? this.maker : this.taker,
      side === "BUY" ? this.buys : this.sells,
      cause === undefined ? undefined : this.#causes.get(cause),
    ]) {
      sum?.add(lots, quote, fee);
    }
    this.doubtful.add(fill);
    if (orderId !== undefined) this.#orders.mark(orderId);
  }
}

/** The orders that had a fill, one bit per order: ids ascend, so that the bits stay few. */
class OrderMarks {
  count = 0;
  #bits = new Uint32Array(1024);

  mark(id: number): void {
    const word = Math.floor(id / 32);
    if (word >= this.#bits.length) {
      const wider = new Uint32Array(Math.max(word + 1, 2 * this.#bits.length));
      wider.set(this.#bits);
      this.#bits = wider;
    }
    const bit = 1 << (id % 32);
    const before = this.#bits[word] ?? 0;
    if ((before & bit) !== 0) return;
    this.#bits[word] = before | bit;
    this.count += 1;
  }
}
