import { ConfigError, FormatError } from "../../../core/errors.js";
import { decimalToScaled } from "../../../core/instrument.js";

/**
 * The ratio that converts a count of the last decimal place to a count of units: `units of the last
 * place * numerator / denominator`.
 */
interface Scale {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** More decimal places than any market uses. */
const MOST_PLACES = 36;

/** A column of `DECIMAL(18, places)`, as whole numbers of a unit. */
export interface CountedColumn {
  /** SQL of the count, a BIGINT; null for null. A value off the grid is rounded: see `isOff`. */
  readonly count: string;
  /** SQL: true if the value is not a whole number of the unit. */
  readonly isOff: string;
}

/**
 * SQL that counts a decimal column in a unit.
 * @param unit a decimal string such as "0.1".
 * @throws ConfigError for an invalid unit
 */
export function countedColumn(
  name: string,
  places: number,
  unit: string,
  field: string,
): CountedColumn {
  const { numerator, denominator } = scaleOf(unit, places, field);
  const scaled =
    numerator === 1n
      ? whole(name, places)
      : `CAST(${whole(name, places)} AS HUGEINT) * ${numerator}`;
  return denominator === 1n
    ? { count: scaled, isOff: "false" }
    : { count: `(${scaled}) // ${denominator}`, isOff: `(${scaled}) % ${denominator} <> 0` };
}

/** SQL of a decimal column as a whole number of its last place, as Parquet stores it. */
function whole(name: string, places: number): string {
  // At 18 digits the database would multiply within 64 bits and overflow.
  return places === 0
    ? `CAST(${name} AS BIGINT)`
    : `CAST(CAST(${name} AS DECIMAL(38,${places})) * ${10n ** BigInt(places)} AS BIGINT)`;
}

function scaleOf(unit: string, places: number, field: string): Scale {
  let scaledUnit: bigint;
  try {
    scaledUnit = decimalToScaled(unit, MOST_PLACES, field);
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new ConfigError("is not a valid step", {
      field,
      value: unit,
      expected: 'a positive decimal such as "0.01"',
      cause,
    });
  }
  if (scaledUnit <= 0n)
    throw new ConfigError("is not a valid step", {
      field,
      value: unit,
      expected: 'a positive decimal such as "0.01"',
    });
  // value = P / 10^places and unit = U / 10^36, so value / unit = P * 10^36 / (U * 10^places).
  const [over, under] = [10n ** BigInt(MOST_PLACES), scaledUnit * 10n ** BigInt(places)];
  const common = divisorOf(over, under);
  return { numerator: over / common, denominator: under / common };
}

function divisorOf(one: bigint, other: bigint): bigint {
  return other === 0n ? one : divisorOf(other, one % other);
}
