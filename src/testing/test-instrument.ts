import { Decimal } from "decimal.js";
import { ConfigError, FormatError } from "../core/errors.js";
import { Instrument } from "../core/instrument.js";
import type { Lots, Ticks } from "../core/units.js";

/**
 * The market of a test that names none: `btcusdc` with ticks of 0.1 and lots of 0.001, as the
 * embedded exchange has it.
 */
export const TEST_INSTRUMENT = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

/** A plain number as a decimal string without an exponent. @throws ConfigError for NaN, Infinity */
export function plainDecimal(value: number, field: string): string {
  if (Number.isFinite(value)) return new Decimal(value).toFixed();
  throw new ConfigError("is not a number", { field, value, expected: "a finite number" });
}

/** A price in quote as ticks. @throws ConfigError if it is not on the market's grid */
export function priceToTicks(price: number, instrument: Instrument, field: string): Ticks {
  return onGrid(field, price, () => instrument.parsePrice(plainDecimal(price, field)));
}

/** An amount in base as lots, with its sign. @throws ConfigError if it is not on the grid */
export function amountToLots(amount: number, instrument: Instrument, field: string): Lots {
  const size = plainDecimal(Math.abs(amount), field);
  const lots = onGrid(field, amount, () => instrument.parseAmount(size));
  return amount < 0 ? -lots : lots;
}

function onGrid(field: string, value: number, read: () => number): number {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    const { expected } = cause;
    throw new ConfigError("does not fit the market", {
      field,
      value,
      ...(expected === undefined ? {} : { expected }),
      cause,
    });
  }
}
