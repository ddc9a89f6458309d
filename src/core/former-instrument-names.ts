import { warnRenamed } from "./renamed.js";
import type { CreditUnits, Lots, PaperUnits, Ticks } from "./units.js";

/** The former names of the methods of {@link Instrument}: each warns once and calls the new one. */
export abstract class FormerInstrumentNames {
  abstract parsePrice(price: string): Ticks;
  abstract parseAmount(amount: string): Lots;
  abstract formatPrice(ticks: Ticks): string;
  abstract formatAmount(lots: Lots): string;
  abstract formatReportedPrice(ticks: number): string;
  abstract formatReportedAmount(lots: number, restPaper?: bigint): string;
  abstract lotsToPaper(lots: Lots): PaperUnits;
  abstract tickLotsToCredit(tickLots: number): CreditUnits;

  /** @deprecated Use {@link Instrument.parsePrice}. */
  ticksOf(price: string): Ticks {
    warnRenamed("Instrument.ticksOf", "Instrument.parsePrice");
    return this.parsePrice(price);
  }

  /** @deprecated Use {@link Instrument.parseAmount}. */
  lotsOf(amount: string): Lots {
    warnRenamed("Instrument.lotsOf", "Instrument.parseAmount");
    return this.parseAmount(amount);
  }

  /** @deprecated Use {@link Instrument.formatPrice}. */
  priceOf(ticks: Ticks): string {
    warnRenamed("Instrument.priceOf", "Instrument.formatPrice");
    return this.formatPrice(ticks);
  }

  /** @deprecated Use {@link Instrument.formatAmount}. */
  amountOf(lots: Lots): string {
    warnRenamed("Instrument.amountOf", "Instrument.formatAmount");
    return this.formatAmount(lots);
  }

  /** @deprecated Use {@link Instrument.formatReportedPrice}. */
  toldPriceOf(ticks: number): string {
    warnRenamed("Instrument.toldPriceOf", "Instrument.formatReportedPrice");
    return this.formatReportedPrice(ticks);
  }

  /** @deprecated Use {@link Instrument.formatReportedAmount}. */
  toldAmountOf(lots: number, restPaper?: bigint): string {
    warnRenamed("Instrument.toldAmountOf", "Instrument.formatReportedAmount");
    return this.formatReportedAmount(lots, restPaper);
  }

  /** @deprecated Use {@link Instrument.lotsToPaper}. */
  paperOf(lots: Lots): PaperUnits {
    warnRenamed("Instrument.paperOf", "Instrument.lotsToPaper");
    return this.lotsToPaper(lots);
  }

  /** @deprecated Use {@link Instrument.tickLotsToCredit}. */
  creditOfTickLots(tickLots: number): CreditUnits {
    warnRenamed("Instrument.creditOfTickLots", "Instrument.tickLotsToCredit");
    return this.tickLotsToCredit(tickLots);
  }
}
