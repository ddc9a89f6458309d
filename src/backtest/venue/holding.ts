import { absolute } from "../../core/bigints.js";
import type { CreditUnits, Lots } from "../../core/units.js";
import type { MarginPosition } from "../../perpetual/margin.js";
import type { MarketTerms } from "./market-terms.js";

/** The position of an account in one market of the replayed exchange. */
export class Holding implements MarginPosition {
  #lots: Lots = 0;
  #mark: CreditUnits | undefined;
  #value: CreditUnits = 0n;
  /**
   * Credit paid for the position, negative when bought. The net value of the position is its value
   * plus this.
   */
  credit: CreditUnits = 0n;
  openBuyLots: Lots = 0;
  openSellLots: Lots = 0;
  openBuyCredit: CreditUnits = 0n;
  openSellCredit: CreditUnits = 0n;
  realized: CreditUnits = 0n;
  #terms: MarketTerms;
  #maxLeverage: bigint;

  constructor(terms: MarketTerms) {
    this.#terms = terms;
    this.#maxLeverage = BigInt(terms.rules.maxLeverage);
  }

  get terms(): MarketTerms {
    return this.#terms;
  }

  set terms(terms: MarketTerms) {
    this.#terms = terms;
    this.#maxLeverage = BigInt(terms.rules.maxLeverage);
  }

  get maxLeverage(): bigint {
    return this.#maxLeverage;
  }

  get maintenanceRatio(): bigint {
    return this.#terms.maintenanceRatio;
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

  /** Value of the position at its mark. */
  get value(): CreditUnits {
    return this.#value;
  }

  /** Average price per base unit, as the exchange writes it: "0" without a position. */
  get entryPrice(): string {
    if (this.#lots === 0) return "0";
    const { instrument } = this.#terms;
    const perBase =
      (absolute(this.credit) * instrument.paperUnit) / absolute(instrument.lotsToPaper(this.#lots));
    return instrument.creditToDecimal(perBase);
  }

  /** Every request reads the position's value; it rarely changes. */
  #revalue(): void {
    const { instrument } = this.#terms;
    this.#value =
      this.#lots === 0
        ? 0n
        : instrument.markValue(instrument.lotsToPaper(this.#lots), this.#mark ?? 0n);
  }
}
