import { ceilDivide } from "./bigints.js";
import { FormatError } from "./errors.js";
import { FormerInstrumentNames } from "./former-instrument-names.js";
import type { CreditUnits, Lots, MarketId, PaperUnits, Side, Ticks } from "./units.js";

/** More than any token has; guards against an absurd exponent. */
const MOST_DECIMALS = 36;

/**
 * The rounding of a BUY's credit to its smallest unit. `up` lets any two orders of one price match
 * on chain; `down` is for an exchange that truncates. A SELL's is always rounded down
 * (docs/reference/exchange-interface.md#order-construction).
 */
export type BuyRounding = "up" | "down";

/**
 * The decimal strings that define a market's number grid, from `exchangeInfo`
 * (docs/reference/exchange-interface.md#market-fields and
 * docs/reference/exchange-interface.md#exchange-info-fields).
 */
export interface InstrumentGrid {
  readonly marketId: MarketId;
  /** Quote price of one tick, a decimal: PRICE_FILTER.tickSize. */
  readonly tickSize: string;
  /** Base units of one lot, a decimal: AMOUNT_FILTER.stepSize. */
  readonly stepSize: string;
  /** dealerInfo.creditDecimals. */
  readonly creditDecimals: number;
  /** dealerInfo.paperDecimals. */
  readonly paperDecimals: number;
}

/**
 * The exact arithmetic of one market: decimal strings on the wire against integer ticks, lots and
 * credit units. Every conversion is exact or throws {@link FormatError}; nothing rounds unless its
 * name says so.
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 *
 * const btc = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * btc.parsePrice("30000.5"); // => 300_005
 * btc.parseAmount("0.02"); // => 20
 * btc.formatPrice(300_005); // => "30000.5"
 * btc.creditFloor(300_005, 20); // => 600_010_000n
 * btc.parsePrice("30000.55"); // throws FormatError
 * ```
 */
export class Instrument extends FormerInstrumentNames {
  readonly marketId: MarketId;
  /** Quote price of one tick, a decimal. */
  readonly tickSize: string;
  /** Base units of one lot, a decimal. */
  readonly stepSize: string;
  readonly creditDecimals: number;
  readonly paperDecimals: number;
  /** Decimals of the price grid: the most that a printed price has. */
  readonly priceDecimals: number;
  readonly amountDecimals: number;
  /** Base units of one lot as a float, only for a strategy's mathematics. */
  readonly lotBase: number;
  /** Quote price of one tick as a float, only for a strategy's mathematics. */
  readonly tickQuote: number;
  /** One lot in the smallest unit of paper (10^-paperDecimals). */
  readonly paperPerLot: PaperUnits;
  /** One whole base unit of paper. */
  readonly paperUnit: PaperUnits;
  readonly #tickScaled: number;
  readonly #stepScaled: number;
  /** Credit units of one tick times one lot, as a fraction. */
  readonly creditNumerator: bigint;
  /** The denominator of that fraction. */
  readonly creditDenominator: bigint;

  constructor(grid: InstrumentGrid) {
    super();
    requireDecimals(grid.creditDecimals, "creditDecimals");
    requireDecimals(grid.paperDecimals, "paperDecimals");
    this.marketId = grid.marketId;
    this.creditDecimals = grid.creditDecimals;
    this.paperDecimals = grid.paperDecimals;
    const tick = trimmedDecimal(grid.tickSize, "tickSize");
    const step = trimmedDecimal(grid.stepSize, "stepSize");
    this.tickSize = grid.tickSize;
    this.stepSize = grid.stepSize;
    this.priceDecimals = tick.decimals;
    this.amountDecimals = step.decimals;
    this.#tickScaled = tick.scaled;
    this.#stepScaled = step.scaled;
    this.tickQuote = tick.scaled / 10 ** tick.decimals;
    this.lotBase = step.scaled / 10 ** step.decimals;
    if (step.decimals > grid.paperDecimals) {
      throw new FormatError("step is finer than the paper unit", {
        field: "stepSize",
        value: grid.stepSize,
        expected: `at most ${grid.paperDecimals} decimals`,
      });
    }
    this.paperUnit = 10n ** BigInt(grid.paperDecimals);
    this.paperPerLot = BigInt(step.scaled) * 10n ** BigInt(grid.paperDecimals - step.decimals);
    const exponent = grid.creditDecimals - tick.decimals - step.decimals;
    const product = BigInt(tick.scaled) * BigInt(step.scaled);
    this.creditNumerator = exponent >= 0 ? product * 10n ** BigInt(exponent) : product;
    this.creditDenominator = exponent >= 0 ? 1n : 10n ** BigInt(-exponent);
    // Strategies receive the instance that the bot itself uses.
    Object.freeze(this);
  }

  /**
   * Converts a wire price to ticks. @throws FormatError when it is not a positive decimal on the
   * tick grid.
   */
  parsePrice(price: string): Ticks {
    const ticks = onGrid(price, this.priceDecimals, this.#tickScaled, "price", this.tickSize);
    if (ticks === 0) {
      throw new FormatError("not a price", {
        field: "price",
        value: price,
        expected: "a price above zero",
      });
    }
    return ticks;
  }

  /**
   * Converts an unsigned wire amount to lots. @throws FormatError when it is not a decimal on the
   * step grid.
   */
  parseAmount(amount: string): Lots {
    return onGrid(amount, this.amountDecimals, this.#stepScaled, "amount", this.stepSize);
  }

  /** Formats ticks as a wire price: no exponent, no trailing zeros. */
  formatPrice(ticks: Ticks): string {
    return gridDecimal(ticks, this.#tickScaled, this.priceDecimals, "ticks");
  }

  /**
   * Formats lots as a wire amount: no exponent, no trailing zeros; negative lots keep their sign.
   */
  formatAmount(lots: Lots): string {
    return gridDecimal(lots, this.#stepScaled, this.amountDecimals, "lots");
  }

  /**
   * Formats the price of a reported order or trade for display. A price from a finer grid lies
   * between ticks, and gets at most six more digits.
   */
  formatReportedPrice(ticks: number): string {
    return Number.isSafeInteger(ticks)
      ? this.formatPrice(ticks)
      : betweenUnits(ticks, this.#tickScaled, this.priceDecimals);
  }

  /**
   * Formats the amount of a reported order or trade, likewise. @param restPaper of a trade: its
   * part beyond whole lots.
   */
  formatReportedAmount(lots: number, restPaper = 0n): string {
    if (restPaper !== 0n)
      return scaledToDecimal(this.lotsToPaper(lots) + restPaper, this.paperDecimals);
    return Number.isSafeInteger(lots)
      ? this.formatAmount(lots)
      : betweenUnits(lots, this.#stepScaled, this.amountDecimals);
  }

  /** Converts lots to paper, with their sign. */
  lotsToPaper(lots: Lots): PaperUnits {
    return BigInt(lots) * this.paperPerLot;
  }

  /**
   * Values paper at a mark, truncated toward zero and signed as the paper, as the contracts value a
   * position (docs/reference/protocol.md#units and docs/reference/protocol.md#margin).
   * @param mark credit units for one whole base unit
   */
  markValue(paper: PaperUnits, mark: CreditUnits): CreditUnits {
    return (paper * mark) / this.paperUnit;
  }

  /**
   * The credit of an order, unsigned: a seller's is rounded down, a buyer's by {@link BuyRounding}.
   */
  orderCredit(side: Side, ticks: Ticks, lots: Lots, buyRounding: BuyRounding = "up"): CreditUnits {
    return side === "BUY" && buyRounding === "up"
      ? this.creditCeil(ticks, lots)
      : this.creditFloor(ticks, lots);
  }

  /** |price times amount| in credit units, rounded down; exact when the grid's product is whole. */
  creditFloor(ticks: Ticks, lots: Lots): CreditUnits {
    return this.#creditProduct(ticks, lots) / this.creditDenominator;
  }

  /** |price times amount| in credit units, rounded up. */
  creditCeil(ticks: Ticks, lots: Lots): CreditUnits {
    return this.#roundedUp(this.#creditProduct(ticks, lots));
  }

  /**
   * The credit of a sum of ticks times lots over several orders, rounded up. Above 2^53, where a
   * float's sum is not exact, a billionth is added.
   */
  tickLotsToCredit(tickLots: number): CreditUnits {
    const isRounded = tickLots > Number.MAX_SAFE_INTEGER && Number.isFinite(tickLots);
    const whole = isRounded
      ? BigInt(Math.ceil(tickLots * SUM_SLACK))
      : wholeNumber(tickLots, "tickLots");
    return this.#roundedUp(whole * this.creditNumerator);
  }

  /** Formats credit units as a decimal string of quote, for display and the wire. */
  creditToDecimal(units: CreditUnits): string {
    return scaledToDecimal(units, this.creditDecimals);
  }

  #roundedUp(product: bigint): CreditUnits {
    const denominator = this.creditDenominator;
    return denominator === 1n ? product : ceilDivide(product, denominator);
  }

  #creditProduct(ticks: Ticks, lots: Lots): bigint {
    return wholeNumber(ticks, "ticks") * wholeNumber(Math.abs(lots), "lots") * this.creditNumerator;
  }
}

/** Checks that a tick or a step can form a market's grid. @throws FormatError naming the field */
export function requireGridUnit(text: string, field: "tickSize" | "stepSize"): void {
  trimmedDecimal(text, field);
}

/** A decimal string as `scaled / 10^decimals`, trailing zeros dropped. */
function trimmedDecimal(text: string, field: string): { scaled: number; decimals: number } {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  const fraction = (match?.[2] ?? "").replace(/0+$/, "");
  const scaled = match ? Number(match[1] + fraction) : Number.NaN;
  if (Number.isNaN(scaled) || scaled <= 0) {
    throw new FormatError("not a positive decimal", {
      field,
      value: text,
      expected: 'a decimal string such as "0.01"',
    });
  }
  if (!Number.isSafeInteger(scaled)) {
    throw new FormatError("more digits than a grid can have", {
      field,
      value: text,
      expected: `at most ${SAFE_DIGITS} digits`,
    });
  }
  return { scaled, decimals: fraction.length };
}

function onGrid(
  text: string,
  decimals: number,
  unit: number,
  field: string,
  gridText: string,
): number {
  const short = shortScaled(text, decimals);
  // The remainder of two whole numbers below 2^53 is exact.
  if (short % unit === 0) return short / unit;
  const scaled = decimalToScaled(text, decimals, field, gridText);
  const divisor = BigInt(unit);
  const count = Number(scaled / divisor);
  // The remainder is computed before any rounding to a float, which could move a number onto the
  // grid.
  if (scaled % divisor !== 0n || !Number.isSafeInteger(count) || count < 0) {
    throw new FormatError("off the market's grid", {
      field,
      value: text,
      expected: `a whole multiple of ${gridText}`,
    });
  }
  return count;
}

/**
 * Formats a count of grid units as a decimal; a product below 2^53, the usual case, needs no
 * bigint.
 */
function gridDecimal(count: number, unitScaled: number, decimals: number, field: string): string {
  if (count === 0) return "0";
  const scaled = count * unitScaled;
  return Number.isSafeInteger(count) && Number.isSafeInteger(scaled)
    ? placedDecimal(scaled < 0, String(Math.abs(scaled)), decimals)
    : scaledToDecimal(wholeNumber(count, field) * BigInt(unitScaled), decimals);
}

const DIGITS_BEYOND = 6;

function betweenUnits(count: number, unitScaled: number, decimals: number): string {
  return scaledToDecimal(
    BigInt(Math.round(count * unitScaled * 10 ** DIGITS_BEYOND)),
    decimals + DIGITS_BEYOND,
  );
}

/** Above the error of a sum of floats over a million terms. */
const SUM_SLACK = 1 + 1e-9;

function wholeNumber(count: number, field: string): bigint {
  if (!Number.isSafeInteger(count)) {
    throw new FormatError("not a whole number", {
      field,
      value: count,
      expected: "an integer within 2^53",
    });
  }
  return BigInt(count);
}

function requireDecimals(decimals: number, field: string): void {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MOST_DECIMALS) {
    throw new FormatError("not a number of decimals", {
      field,
      value: decimals,
      expected: `an integer from 0 to ${MOST_DECIMALS}`,
    });
  }
}

/**
 * Converts a decimal string times `10^decimals` to a bigint, exactly.
 * @throws FormatError when it is not a plain decimal, or has more significant decimals than that.
 * @param gridText the caller's grid, for the error.
 */
export function decimalToScaled(
  text: string,
  decimals: number,
  field = "decimal",
  gridText?: string,
): bigint {
  const short = shortScaled(text, decimals);
  if (!Number.isNaN(short)) return BigInt(short);
  const match = typeof text === "string" ? /^(-?)(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text) : null;
  const fraction = (match?.[3] ?? "").replace(/0+$/, "");
  if (!match || fraction.length > decimals) {
    throw new FormatError(match ? "more decimals than the unit holds" : "not a plain decimal", {
      field,
      value: text,
      expected:
        gridText === undefined
          ? `a decimal string with at most ${decimals} decimals`
          : `a whole multiple of ${gridText}`,
    });
  }
  const magnitude = BigInt(match[2] + fraction.padEnd(decimals, "0"));
  return match[1] === "-" ? -magnitude : magnitude;
}

/**
 * Converts an unsigned plain decimal times `10^decimals` to a number, exactly: most on the wire are
 * short enough. NaN for any other text, and if the product may exceed 15 digits.
 */
export function shortScaled(text: string, decimals: number): number {
  if (typeof text !== "string" || text.length > SAFE_DIGITS + 1) return Number.NaN;
  const { length } = text;
  let scaled = 0;
  let place = 0;
  for (; place < length; place++) {
    const digit = text.charCodeAt(place) - ZERO;
    if (digit < 0 || digit > 9) break;
    scaled = scaled * 10 + digit;
  }
  if (place === 0) return Number.NaN;
  let missing = decimals;
  if (place < length) {
    if (text.charCodeAt(place) !== POINT || place + 1 === length) return Number.NaN;
    for (place++; place < length; place++) {
      const digit = text.charCodeAt(place) - ZERO;
      // The slow path handles zeros beyond the last decimal.
      if (digit < 0 || digit > 9 || missing === 0) return Number.NaN;
      scaled = scaled * 10 + digit;
      missing--;
    }
  }
  const product =
    missing < POWERS_OF_TEN.length ? scaled * (POWERS_OF_TEN[missing] as number) : Number.NaN;
  return product < LARGEST_SAFE ? product : Number.NaN;
}

/** Formats `scaled / 10^decimals` as a plain decimal string without trailing zeros. */
export function scaledToDecimal(scaled: bigint, decimals: number): string {
  if (scaled === 0n) return "0";
  const negative = scaled < 0n;
  return placedDecimal(negative, (negative ? -scaled : scaled).toString(), decimals);
}

/** Places the point before the last `decimals` digits, and drops trailing zeros. */
function placedDecimal(negative: boolean, unsigned: string, decimals: number): string {
  const digits = unsigned.padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  const whole = digits.slice(0, point);
  return `${negative ? "-" : ""}${whole}${end === point ? "" : `.${digits.slice(point, end)}`}`;
}

const ZERO = 48;
const POINT = 46;
/** Any number with this many digits is below 2^53. */
const SAFE_DIGITS = 15;
const LARGEST_SAFE = 10 ** SAFE_DIGITS;
const POWERS_OF_TEN = Array.from({ length: SAFE_DIGITS + 1 }, (_, exponent) => 10 ** exponent);
