import { Decimal } from "decimal.js";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketRules, VenueRules } from "../../exchange/records.js";
import type { BotConfig } from "./config.js";

/**
 * Checks a config against exchangeInfo. Each market has to exist there. Every size in its limits
 * and parameters (keys that end in `Base`) has to be a whole number of the market's lots within its
 * order filters. Every limit in money (keys that end in `Quote`) has to be a whole number of the
 * exchange's smallest unit.
 * @throws ConfigError naming the path, the value, and the nearest sizes on the grid.
 */
export function checkOnGrid(config: BotConfig, rules: VenueRules): void {
  checkQuotes("risk", config.risk, rules);
  for (const measure of ["drawdown", "dailyLoss"] as const) {
    for (const [index, rung] of (config.risk.ladder?.[measure] ?? []).entries())
      checkQuotes(`risk.ladder.${measure}.${index}`, rung, rules);
  }
  for (const [marketId, market] of Object.entries(config.markets)) {
    const field = `markets.${marketId}`;
    const marketRules = rules.markets[marketId];
    if (marketRules === undefined) throw unknownMarket(field, marketId, Object.keys(rules.markets));
    for (const [key, value] of Object.entries(market.limits)) {
      if (key.endsWith("Base") && typeof value === "string")
        checkSize(`${field}.limits.${key}`, value, marketRules);
    }
    checkQuotes(`${field}.limits`, market.limits, rules);
    const { maxOrderBase, maxOpenOrders } = market.limits;
    if (maxOrderBase !== undefined)
      checkOrderSize(`${field}.limits.maxOrderBase`, maxOrderBase, marketRules);
    if (maxOpenOrders !== undefined && maxOpenOrders > marketRules.maxOpenOrders) {
      throw new ConfigError("is above what the exchange allows in this market", {
        field: `${field}.limits.maxOpenOrders`,
        value: maxOpenOrders,
        expected: `at most ${marketRules.maxOpenOrders}`,
      });
    }
    checkParams(`${field}.params`, market.params, marketRules);
  }
}

function unknownMarket(field: string, marketId: string, known: readonly string[]): ConfigError {
  const near = findNearestName(marketId, known);
  return new ConfigError(
    `is not a market of this exchange${near === undefined ? "" : `, did you mean ${near}?`}`,
    {
      field,
      value: marketId,
      expected: `one of ${known.join(", ")}`,
    },
  );
}

function checkQuotes(field: string, limits: object, { creditDecimals }: VenueRules): void {
  for (const [key, value] of Object.entries(limits)) {
    if (
      !key.endsWith("Quote") ||
      typeof value !== "string" ||
      (decimalOf(value)?.decimalPlaces() ?? 0) <= creditDecimals
    )
      continue;
    throw new ConfigError("has more decimals than the exchange's money", {
      field: `${field}.${key}`,
      value,
      expected: `at most ${creditDecimals} decimals, such as ${new Decimal(value).toFixed(creditDecimals, Decimal.ROUND_UP)}`,
    });
  }
}

function checkParams(field: string, value: unknown, rules: MarketRules): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, held] of Object.entries(value)) {
    const path = `${field}.${key}`;
    if (!key.endsWith("Base")) {
      checkParams(path, held, rules);
      continue;
    }
    const sizes: readonly unknown[] = Array.isArray(held) ? held : [held];
    sizes.forEach((size, index) => {
      if (typeof size !== "number" && typeof size !== "string") return;
      const at = Array.isArray(held) ? `${path}.${index}` : path;
      checkSize(at, size, rules);
      if (/^sizes?Base$/.test(key)) checkOrderSize(at, size, rules);
    });
  }
}

/** A size that is not a number is reported by the strategy's own check. */
function checkSize(field: string, size: number | string, rules: MarketRules): void {
  const step = new Decimal(rules.stepSize);
  const held = decimalOf(size);
  if (held === undefined || held.mod(step).isZero()) return;
  const below = held.div(step).floor().times(step);
  const above = below.plus(step);
  const near = below.gt(0) ? `${below.toFixed()} or ${above.toFixed()}` : above.toFixed();
  throw new ConfigError("is off the market's grid", {
    field,
    value: size,
    expected: `a whole multiple of the step ${rules.stepSize}, such as ${near}`,
  });
}

function checkOrderSize(field: string, size: number | string, rules: MarketRules): void {
  const held = decimalOf(size);
  if (held === undefined) return;
  const lots = held.div(rules.stepSize);
  if (lots.gte(rules.minLots) && lots.lte(rules.maxLots)) return;
  throw new ConfigError(
    `is ${lots.lt(rules.minLots) ? "below the smallest" : "above the largest"} order of this market`,
    {
      field,
      value: size,
      expected: `from ${baseOf(rules.minLots, rules)} to ${baseOf(rules.maxLots, rules)}`,
    },
  );
}

function baseOf(lots: number, rules: MarketRules): string {
  return new Decimal(rules.stepSize).times(lots).toFixed();
}

function decimalOf(size: number | string): Decimal | undefined {
  try {
    const value = new Decimal(size);
    return value.isFinite() ? value : undefined;
  } catch {
    return undefined;
  }
}
