import { scaledToDecimal } from "../../core/instrument.js";
import type { MarketRules, VenueRules } from "../../exchange/records.js";
import { checkDomain } from "../../exchange/signing/domain-check.js";

/**
 * A change of a market that must not happen while orders rest: the contract, the grid, the bounds.
 * Changed fees and limits are applied as they come. Undefined if there is no such change.
 */
export function findBreakingChange(before: MarketRules, now: MarketRules): string | undefined {
  for (const field of [
    "perp",
    "tickSize",
    "stepSize",
    "minTicks",
    "maxTicks",
    "minLots",
    "maxLots",
  ] as const) {
    if (String(before[field]).toLowerCase() !== String(now[field]).toLowerCase())
      return `${field} was ${before[field]}, is ${now[field]}`;
  }
  return undefined;
}

/** True if earlier orders and amounts mean the same now. */
export function isSameGrid(before: MarketRules, now: MarketRules): boolean {
  return (
    before.tickSize === now.tickSize && before.stepSize === now.stepSize && before.perp === now.perp
  );
}

/**
 * Every difference between a market's old and new rules, each as text: fee rates as shares, other
 * numbers as {@link MarketRules} has them.
 */
export function listRuleChanges(before: MarketRules, now: MarketRules): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(now)]) as Set<keyof MarketRules>;
  return [...fields].flatMap((field) => {
    const [was, is] = [before, now].map((rules) => valueText(field, rules[field])) as [
      string,
      string,
    ];
    return was === is ? [] : [`${field} was ${was}, is ${is}`];
  });
}

function valueText(field: keyof MarketRules, value: MarketRules[keyof MarketRules]): string {
  if (value === undefined) return "not reported";
  return typeof value === "bigint" && field.endsWith("FeeRate")
    ? scaledToDecimal(value, 18)
    : String(value);
}

/** Difference between the signing domain and ours; undefined if there is none. */
export function findDomainMismatch(rules: VenueRules): string | undefined {
  const differences = checkDomain(rules);
  if (differences.length === 0) return undefined;
  return differences
    .map(({ field, value, expected }) => `${field} is ${value}, the bot computes ${expected}`)
    .join("; ");
}
