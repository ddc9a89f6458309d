import { FormatError } from "../../../core/errors.js";
import { decimalToScaled, type Instrument } from "../../../core/instrument.js";
import type { Lots, Ticks } from "../../../core/units.js";

/**
 * Converts a capture's decimal strings to ticks and lots, exactly, at about a tenth of
 * {@link Instrument}'s cost: a capture has hundreds of thousands of levels. The instrument decides
 * about any text that is not plainly on the grid.
 */
export class GridDecoder {
  readonly #instrument: Instrument;
  readonly #tickUnit: number;
  readonly #stepUnit: number;

  constructor(instrument: Instrument) {
    this.#instrument = instrument;
    this.#tickUnit = Number(
      decimalToScaled(instrument.tickSize, instrument.priceDecimals, "tickSize"),
    );
    this.#stepUnit = Number(
      decimalToScaled(instrument.stepSize, instrument.amountDecimals, "stepSize"),
    );
  }

  /**
   * A price as ticks, at least 1.
   * @throws FormatError when it is off the tick grid or not positive.
   */
  parsePrice(price: string): Ticks {
    const quick = scaledOf(price, this.#instrument.priceDecimals) / this.#tickUnit;
    const ticks = Number.isSafeInteger(quick) ? quick : this.#instrument.parsePrice(price);
    if (ticks > 0) return ticks;
    throw new FormatError("is not a price", {
      field: "price",
      value: price,
      expected: "a positive decimal",
    });
  }

  /** An amount as lots, zero included. @throws FormatError when it is off the step grid. */
  parseAmount(amount: string): Lots {
    const lots = scaledOf(amount, this.#instrument.amountDecimals) / this.#stepUnit;
    return Number.isSafeInteger(lots) ? lots : this.#instrument.parseAmount(amount);
  }
}

const ZERO = 48;
const NINE = 57;
const POINT = 46;
/** A double holds this many digits exactly. */
const SAFE_DIGITS = 15;

/**
 * `text` times 10^decimals, or NaN unless it is a short plain decimal with at most that many
 * significant decimals.
 */
function scaledOf(text: string, decimals: number): number {
  let value = 0;
  let fractionDigits = -1;
  const length = text.length;
  if (length === 0 || length > SAFE_DIGITS) return Number.NaN;
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === POINT && fractionDigits < 0 && i > 0 && i < length - 1) {
      fractionDigits = 0;
      continue;
    }
    if (code < ZERO || code > NINE) return Number.NaN;
    if (fractionDigits >= decimals) {
      // Digits beyond the grid must be zeros.
      if (code !== ZERO) return Number.NaN;
      continue;
    }
    value = value * 10 + (code - ZERO);
    if (fractionDigits >= 0) fractionDigits += 1;
  }
  for (let missing = decimals - Math.max(0, fractionDigits); missing > 0; missing -= 1) value *= 10;
  return value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
}
