import { decimalToScaled, type Instrument, scaledToDecimal } from "../../core/instrument.js";
import type { Lots, Ticks } from "../../core/units.js";

/** The mid as an exact price. It is given as best bid plus best ask in ticks. */
export function midPrice(instrument: Instrument, midHalfTicks: number): string {
  const tick = decimalToScaled(instrument.tickSize, instrument.priceDecimals, "tickSize");
  return scaledToDecimal(BigInt(midHalfTicks) * tick * 5n, instrument.priceDecimals + 1);
}

/** A signed sum of lots as an exact amount. */
export function formatAmount(instrument: Instrument, lots: bigint | Lots): string {
  const step = decimalToScaled(instrument.stepSize, instrument.amountDecimals, "stepSize");
  return scaledToDecimal(BigInt(lots) * step, instrument.amountDecimals);
}

/** A price in ticks as text. 0, which is not a valid price, stands for none. */
export function quotedPrice(instrument: Instrument, ticks: Ticks): string {
  return ticks === 0 ? "0" : instrument.formatPrice(ticks);
}
