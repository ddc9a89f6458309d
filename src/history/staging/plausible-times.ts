import { NS_A_MS, requireDayStart } from "../day.js";
import { type HistoryKind, layoutFor, type RowRule } from "../kinds.js";

const [FIRST_MS, END_MS] = [requireDayStart("2009-01-01"), requireDayStart("2100-01-01")];

/**
 * The unit, other than microseconds, in which a stamp lies from 2009 to 2099; undefined if there is
 * none.
 */
export function guessStampUnit(stampUs: number): "seconds" | "milliseconds" | undefined {
  const isWithin = (ms: number): boolean => ms >= FIRST_MS && ms < END_MS;
  if (isWithin(stampUs)) return "milliseconds";
  return isWithin(stampUs * 1000) ? "seconds" : undefined;
}

/**
 * A rule of a column of instants: each lies from 2009 to 2099. In a wrong unit it would lie in 1970
 * or after this century, since the units of stamps differ by a factor of a thousand.
 * @param isAlsoZero true if a source writes 0 for a missing instant.
 */
export function plausibleTimes(
  column: string,
  unit: "ms" | "ns",
  expected: string,
  isAlsoZero = false,
): RowRule {
  const scale = unit === "ns" ? NS_A_MS : 1n;
  const [first, end] = [BigInt(FIRST_MS) * scale, BigInt(END_MS) * scale];
  return {
    broken: `(${column} < ${first} OR ${column} >= ${end})${isAlsoZero ? ` AND ${column} <> 0` : ""}`,
    expected,
    isRuledOut: (of) => {
      const { least, most } = of(column) ?? {};
      return (
        least !== undefined && most !== undefined && BigInt(least) >= first && BigInt(most) < end
      );
    },
  };
}

/** The rules of columns other than the exchange's stamp. */
const OTHER_TIMES: Readonly<Record<string, RowRule>> = {
  recvNs: plausibleTimes(
    "recvNs",
    "ns",
    "local times from 2009 to 2099, all in the unit of the file's shape or of the mapping (recvTimeUnit, --recv-time-unit)",
  ),
  nextFundingMs: plausibleTimes(
    "nextFundingMs",
    "ms",
    "milliseconds from 2009 to 2099, or 0 for none; in a mapping nextFundingTime, in its timeUnit",
    true,
  ),
};

/**
 * The rules for rows of an imported file, besides those of their kind. A recording keeps the
 * exchange's values, whatever they are.
 */
export function importRules(kind: HistoryKind): readonly RowRule[] {
  return layoutFor(kind).columns.flatMap(({ name }) => OTHER_TIMES[name] ?? []);
}
