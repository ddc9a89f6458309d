import { findNearestName } from "./find-nearest-name.js";

interface UnitSuffix {
  readonly suffix: string;
  /** Name in messages. */
  readonly words: string;
  /** Milliseconds of one unit, if it is a duration. */
  readonly ms?: number;
}

/** Unit suffixes of config keys, and those that users write instead. Longer suffixes first. */
const UNITS: readonly UnitSuffix[] = [
  { suffix: "PerMinute", words: "per minute" },
  { suffix: "Fraction", words: "as a fraction of one" },
  { suffix: "Milliseconds", words: "milliseconds", ms: 1 },
  { suffix: "Millis", words: "milliseconds", ms: 1 },
  { suffix: "Seconds", words: "seconds", ms: 1000 },
  { suffix: "Minutes", words: "minutes", ms: 60_000 },
  { suffix: "Percent", words: "percent" },
  { suffix: "Hours", words: "hours", ms: 3_600_000 },
  { suffix: "Quote", words: "in units of the quote asset" },
  { suffix: "Secs", words: "seconds", ms: 1000 },
  { suffix: "Mins", words: "minutes", ms: 60_000 },
  { suffix: "Ticks", words: "in ticks" },
  { suffix: "Base", words: "in units of the base asset" },
  { suffix: "Lots", words: "in lots" },
  { suffix: "Usdc", words: "USDC" },
  { suffix: "Sec", words: "seconds", ms: 1000 },
  { suffix: "Min", words: "minutes", ms: 60_000 },
  { suffix: "Pct", words: "percent" },
  { suffix: "Usd", words: "USD" },
  { suffix: "Bps", words: "in basis points" },
  { suffix: "Bp", words: "in basis points" },
  { suffix: "Ms", words: "milliseconds", ms: 1 },
  { suffix: "S", words: "seconds", ms: 1000 },
  { suffix: "M", words: "minutes", ms: 60_000 },
  { suffix: "H", words: "hours", ms: 3_600_000 },
];

/** Splits a key into its unit and the rest. */
export function splitUnit(key: string): {
  readonly stem: string;
  readonly unit: UnitSuffix | undefined;
} {
  const unit = UNITS.find(({ suffix }) => key.length > suffix.length && key.endsWith(suffix));
  return { stem: unit === undefined ? key : key.slice(0, -unit.suffix.length), unit };
}

/**
 * Suggests the intended key for an unknown one, as text: the same key in its right unit (with the
 * value converted if it is a duration), otherwise the nearest known key.
 */
export function suggestKey(
  wrong: string,
  value: unknown,
  known: readonly string[],
): string | undefined {
  const { stem, unit } = splitUnit(wrong);
  const nearest = findNearestName(wrong, known);
  for (const key of [...known].sort((a, b) => Number(b === nearest) - Number(a === nearest))) {
    const right = splitUnit(key);
    if (
      right.unit === undefined ||
      right.stem.toLowerCase() !== stem.toLowerCase() ||
      key === wrong
    )
      continue;
    if (right.unit.suffix === unit?.suffix) break;
    const factor =
      unit?.ms === undefined || right.unit.ms === undefined ? undefined : unit.ms / right.unit.ms;
    const converted =
      factor === undefined || factor === 1 || typeof value !== "number"
        ? ""
        : `: ${value * factor}`;
    return `did you mean ${key}${converted} (${right.unit.words})?`;
  }
  return nearest === undefined ? undefined : `did you mean ${nearest}?`;
}
