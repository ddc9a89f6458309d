import type { CreditUnits, MarketId, Ms } from "../core/units.js";
import type { VenueBalances } from "../exchange/records.js";
import type { Profit } from "./profit.js";

/** Balances and when they were told. */
export interface BalancesTold {
  readonly balances: VenueBalances;
  readonly atMs: Ms;
}

/** What the account is worth: the net value that the exchange told last, moved by the marks since. */
export class NetValue {
  readonly #profit: Profit;
  readonly #marks = new Map<MarketId, CreditUnits>();
  #told: BalancesTold | undefined;
  /** The marks that the net value last told is taken to be made at. */
  #marksThen = new Map<MarketId, CreditUnits>();
  #known: { readonly serial: number; readonly told: BalancesTold; readonly value: CreditUnits } | undefined;

  constructor(profit: Profit) {
    this.#profit = profit;
  }

  /** The balances last told; undefined before the first. */
  get told(): BalancesTold | undefined {
    return this.#told;
  }

  /** Credit units; undefined before the exchange has told any. */
  get now(): CreditUnits | undefined {
    if (this.#told === undefined) return undefined;
    // Every view and every order on its way out asks, and little of it changes between two of them.
    const { valuesSerial } = this.#profit;
    if (this.#known?.serial !== valuesSerial || this.#known.told !== this.#told) {
      this.#known = { serial: valuesSerial, told: this.#told, value: this.#told.balances.netValue + this.#moved() };
    }
    return this.#known.value;
  }

  /** A market's mark, in credit units per whole base unit; undefined before the first. */
  markOf(marketId: MarketId): CreditUnits | undefined {
    return this.#marks.get(marketId);
  }

  tell(balances: VenueBalances, atMs: Ms): void {
    this.#told = { balances, atMs };
    this.#marksThen = new Map(this.#marks);
  }

  mark(marketId: MarketId, mark: CreditUnits): void {
    this.#marks.set(marketId, mark);
    if (!this.#marksThen.has(marketId)) this.#marksThen.set(marketId, mark);
    this.#profit.mark(marketId, mark);
  }

  /** What the positions are worth at our marks now, less what they were worth at those of the net value that was told. */
  #moved(): CreditUnits {
    let moved = 0n;
    for (const [marketId, mark] of this.#marks) {
      const then = this.#marksThen.get(marketId) ?? mark;
      if (then !== mark) moved += this.#profit.positionValue(marketId, mark) - this.#profit.positionValue(marketId, then);
    }
    return moved;
  }
}
