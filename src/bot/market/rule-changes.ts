import { scaledToDecimal } from "../../core/instrument.js";
import type { MarketRules, VenueRules } from "../../exchange/records.js";
import { checkDomain } from "../../exchange/signing/domain-check.js";

/**
 * What of a market must not change while orders rest, and did: the contract, the grid, the bounds.
 * Fees and limits are taken over as they come. Undefined when nothing did.
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

/** Whether orders and amounts of before mean the same now. */
export function isSameGrid(before: MarketRules, now: MarketRules): boolean {
  return (
    before.tickSize === now.tickSize && before.stepSize === now.stepSize && before.perp === now.perp
  );
}

/**
 * Everything of a market's rules that is other than it was, each as text: fee rates as shares,
 * other numbers as {@link MarketRules} has them.
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
  if (value === undefined) return "not told";
  return typeof value === "bigint" && field.endsWith("FeeRate")
    ? scaledToDecimal(value, 18)
    : String(value);
}

/** What of the domain that orders are signed for differs from ours; undefined when nothing does. */
export function findDomainMismatch(rules: VenueRules): string | undefined {
  const differences = checkDomain(rules);
  if (differences.length === 0) return undefined;
  return differences
    .map(({ field, value, expected }) => `${field} is ${value}, we compute ${expected}`)
    .join("; ");
}
