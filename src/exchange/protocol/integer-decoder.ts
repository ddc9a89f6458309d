import { FormatError } from "../../core/errors.js";
import { decimalToScaled, type Instrument } from "../../core/instrument.js";
import type { Lots, Ticks } from "../../core/units.js";
import { gridCount } from "./wire-parse.js";

const ZERO = 48;
const NINE = 57;
const POINT = 46;
/** No number of the exchange needs more; a longer one is an attempt to waste CPU time. */
const LONGEST_DECIMAL = 64;
const PLAIN_DECIMAL = /^(?=.{1,64}$)\d+(\.\d+)?$/;
/**
 * Above this, one more digit certainly passes 2^53; at it, the check after the last digit decides.
 */
const DIGIT_LIMIT = Math.floor(Number.MAX_SAFE_INTEGER / 10);
const POWERS_OF_TEN = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/**
 * Decodes book levels of one market from the wire to integers (docs/ideas/design.md#numbers): each
 * decimal string is checked while it is read, and nothing is allocated but the result. Refused are
 * signs, exponents, blanks, NaN, anything off the market's grid but what a level has of a finer
 * one, and anything past 2^53.
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { IntegerDecoder } from "marketwright/exchange";
 *
 * const decoder = new IntegerDecoder(
 *   new Instrument({
 *     marketId: "btcusdc",
 *     tickSize: "0.1",
 *     stepSize: "0.001",
 *     creditDecimals: 6,
 *     paperDecimals: 18,
 *   }),
 * );
 * decoder.ticks("30000.5"); // => 300_005
 * decoder.lots("0.02"); // => 20
 * decoder.ticks("-1"); // throws FormatError
 * ```
 */
export class IntegerDecoder {
  readonly #priceDecimals: number;
  readonly #amountDecimals: number;
  readonly #tickScaled: number;
  readonly #stepScaled: number;
  readonly #tickSize: string;
  readonly #stepSize: string;

  constructor(instrument: Instrument) {
    this.#priceDecimals = instrument.priceDecimals;
    this.#amountDecimals = instrument.amountDecimals;
    this.#tickScaled = Number(
      decimalToScaled(instrument.tickSize, instrument.priceDecimals, "tickSize"),
    );
    this.#stepScaled = Number(
      decimalToScaled(instrument.stepSize, instrument.amountDecimals, "stepSize"),
    );
    this.#tickSize = instrument.tickSize;
    this.#stepSize = instrument.stepSize;
  }

  /** A wire price as ticks, at least 1. @throws FormatError */
  ticks(price: unknown): Ticks {
    const ticks = readGrid(price, this.#priceDecimals, this.#tickScaled, "price", this.#tickSize);
    if (ticks === 0)
      throw new FormatError("a price of zero", {
        field: "price",
        value: price,
        expected: "a positive decimal string",
      });
    return ticks;
  }

  /** A wire amount as lots; 0 deletes a level. @throws FormatError */
  lots(amount: unknown): Lots {
    return readGrid(amount, this.#amountDecimals, this.#stepScaled, "amount", this.#stepSize);
  }

  /**
   * Decodes one side of a book frame to flat pairs: ticks, lots, ticks, lots ... in wire order. The
   * remainder of an order from a finer grid may lie between whole lots. It counts as the next lot,
   * because an order that reaches it would trade with it. Its price may lie between ticks too, and
   * stays there.
   * @param onOffGrid called for each such number. @throws FormatError
   */
  levels(side: unknown, field: "bids" | "asks", onOffGrid: () => void): number[] {
    if (!Array.isArray(side))
      throw new FormatError("not a list of levels", { field, expected: "[[price, amount], ...]" });
    const count = side.length;
    const flat = new Array<number>(count * 2);
    for (let level = 0; level < count; level += 1) {
      const pair: unknown = side[level];
      if (!Array.isArray(pair) || pair.length < 2) {
        throw new FormatError("not a level", {
          field: `${field}.${level}`,
          expected: "[price, amount]",
        });
      }
      flat[level * 2] = this.#levelTicks(pair[0], onOffGrid);
      flat[level * 2 + 1] = this.#levelLots(pair[1], onOffGrid);
    }
    return flat;
  }

  #levelTicks(price: unknown, onOffGrid: () => void): number {
    try {
      return this.ticks(price);
    } catch (error) {
      const ticks = finerCount(price, this.#tickSize, "price", error);
      onOffGrid();
      return ticks;
    }
  }

  #levelLots(amount: unknown, onOffGrid: () => void): Lots {
    try {
      return this.lots(amount);
    } catch (error) {
      const lots = Math.ceil(finerCount(amount, this.#stepSize, "amount", error));
      onOffGrid();
      return lots;
    }
  }
}

/**
 * For a valid number off the grid, its number of units, with the fraction. @throws the error of the
 * grid check otherwise
 */
function finerCount(text: unknown, unit: string, field: string, refused: unknown): number {
  const count =
    typeof text === "string" && PLAIN_DECIMAL.test(text) ? gridCount(text, unit, field) : 0;
  if (count === 0) throw refused;
  return count;
}

function readGrid(
  text: unknown,
  decimals: number,
  unit: number,
  field: string,
  gridText: string,
): number {
  if (typeof text !== "string") refuse("not a decimal string", text, field, gridText);
  const scaled = readScaled(text, decimals, field, gridText);
  if (unit === 1) return scaled;
  const count = scaled / unit;
  if (!Number.isInteger(count)) refuse("off the market's grid", text, field, gridText);
  return count;
}

function readScaled(text: string, decimals: number, field: string, gridText: string): number {
  const length = text.length;
  if (length === 0 || length > LONGEST_DECIMAL)
    refuse("not a plain decimal", text.slice(0, LONGEST_DECIMAL), field, gridText);
  let value = 0;
  let point = length;
  // Index of the last digit on the grid.
  let last = length;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE && at <= last) {
      if (value > DIGIT_LIMIT) refuse("past 2^53", text, field, gridText);
      value = value * 10 + (code - ZERO);
    } else if (code === POINT && point === length && at > 0 && at < length - 1) {
      point = at;
      last = at + decimals;
    } else if (code !== ZERO) {
      refuse(
        code > ZERO && code <= NINE ? "off the market's grid" : "not a plain decimal",
        text,
        field,
        gridText,
      );
    }
  }
  const missing = decimals - Math.max(0, length - 1 - point);
  if (missing > 0) value *= POWERS_OF_TEN[missing] ?? 10 ** missing;
  if (value > Number.MAX_SAFE_INTEGER) refuse("past 2^53", text, field, gridText);
  return value;
}

function refuse(summary: string, value: unknown, field: string, gridText: string): never {
  throw new FormatError(summary, {
    field,
    value,
    expected: `an unsigned plain decimal string, a multiple of ${gridText}, below 2^53 units`,
  });
}
