import type { CreditUnits, Lots } from "../../core/units.js";
import { heldValue, type MarketTerms, magnitude } from "./market-terms.js";

/** What an account holds in one market of the replayed exchange. */
export class Holding {
  #lots: Lots = 0;
  #mark: CreditUnits | undefined;
  #value: CreditUnits = 0n;
  /** What was paid for the position, negative when bought; the position is worth its value and this. */
  credit: CreditUnits = 0n;
  openBuyLots: Lots = 0;
  openSellLots: Lots = 0;
  openBuyCredit: CreditUnits = 0n;
  openSellCredit: CreditUnits = 0n;
  realized: CreditUnits = 0n;
  #terms: MarketTerms;
  #leverage: bigint;

  constructor(terms: MarketTerms) {
    this.#terms = terms;
    this.#leverage = BigInt(terms.rules.maxLeverage);
  }

  get terms(): MarketTerms {
    return this.#terms;
  }

  set terms(terms: MarketTerms) {
    this.#terms = terms;
    this.#leverage = BigInt(terms.rules.maxLeverage);
  }

  get lots(): Lots {
    return this.#lots;
  }

  set lots(lots: Lots) {
    this.#lots = lots;
    this.#revalue();
  }

  get mark(): CreditUnits | undefined {
    return this.#mark;
  }

  set mark(mark: CreditUnits | undefined) {
    this.#mark = mark;
    this.#revalue();
  }

  /** What the position is worth at its mark. */
  get value(): CreditUnits {
    return this.#value;
  }

  /** Of a base unit on average, as the exchange writes it: "0" without a position. */
  get entryPrice(): string {
    if (this.#lots === 0) return "0";
    const { instrument, paperUnit } = this.terms;
    const perBase =
      (magnitude(this.credit) * paperUnit) /
      (BigInt(Math.abs(this.#lots)) * instrument.paperPerLot);
    return instrument.creditToDecimal(perBase);
  }

  /** Exposure when every open order of the worse side fills. */
  get worst(): CreditUnits {
    const long = magnitude(this.value + this.openBuyCredit);
    const short = magnitude(this.value - this.openSellCredit);
    return long > short ? long : short;
  }

  /** Rounded up, as the exchange does. */
  initialMargin(exposure: CreditUnits): CreditUnits {
    return (exposure + this.#leverage - 1n) / this.#leverage;
  }

  /** The exposure that so much margin carries. */
  levered(margin: CreditUnits): CreditUnits {
    return margin * this.#leverage;
  }

  /** Every request asks what the position is worth; few moments change it. */
  #revalue(): void {
    this.#value = heldValue(this.terms, this.#lots, this.#mark ?? 0n);
  }
}
