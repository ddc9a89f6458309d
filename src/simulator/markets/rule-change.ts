import { checkShape } from "../../core/config/config-shape.js";
import { ConfigError } from "../../core/errors.js";
import { type ExchangeConfig, type MarketConfig, marketConfigShape } from "../config/config.js";
import type { Market } from "./market.js";
import { type MarketRulesOnGrid, marketRules } from "./market-rules.js";

/**
 * The keys of a market's configuration that can change while it runs. Its status is changed
 * separately.
 */
const CHANGEABLE = [
  "tickSize",
  "stepSize",
  "priceQuote",
  "amountBase",
  "marketAmountBase",
  "maxOpenOrders",
  "makerFeeRate",
  "takerFeeRate",
  "maxLeverage",
  "maxExposureQuote",
  "liquidationThreshold",
] as const satisfies readonly (keyof MarketConfig)[];

/** A market's rules as in its configuration. */
export type ChangeableRules = Pick<MarketConfig, (typeof CHANGEABLE)[number]>;

/** The rules to change; of a pair of bounds, either or both. */
export type RuleChange = Partial<
  Omit<ChangeableRules, "priceQuote" | "amountBase" | "marketAmountBase">
> & {
  readonly [Bounds in "priceQuote" | "amountBase" | "marketAmountBase"]?: Partial<
    MarketConfig[Bounds]
  >;
};

/** The changeable rules of a configuration. */
export function changeableRules(config: MarketConfig): ChangeableRules {
  return Object.fromEntries(
    CHANGEABLE.map((name) => [name, config[name]]),
  ) as unknown as ChangeableRules;
}

/**
 * Applies changes to a market's rules. The book stays on its configured grid, where resting orders
 * keep price and amount. So tick and step can only change to multiples of the configured ones.
 * @throws ConfigError naming the first value that is invalid or cannot be changed
 */
export function changedRules(
  { id, rules, instrument, configured }: Market,
  exchange: ExchangeConfig,
  change: RuleChange,
): MarketRulesOnGrid {
  const field = (name: string) => `markets.${id}.${name}`;
  for (const [name, value] of Object.entries(change)) {
    if ((CHANGEABLE as readonly string[]).includes(name)) continue;
    throw new ConfigError("cannot be changed while the exchange runs", {
      field: field(name),
      value,
      expected: CHANGEABLE.join(", "),
    });
  }
  const before = rules.config;
  const merged = {
    ...before,
    ...change,
    priceQuote: { ...before.priceQuote, ...change.priceQuote },
    amountBase: { ...before.amountBase, ...change.amountBase },
    marketAmountBase: { ...before.marketAmountBase, ...change.marketAmountBase },
  };
  const config = checkShape(marketConfigShape, merged, { at: ["markets", id] });
  // A change may set only what a configuration may set.
  const onOwnGrid = marketRules(id, {
    ...exchange,
    markets: { ...exchange.markets, [id]: config },
  });
  const multiple = (name: "tickSize" | "stepSize", count: (text: string) => number): number => {
    try {
      return count(config[name]);
    } catch (cause) {
      const expected = `a whole multiple of the book's ${name}, ${configured[name]}; start the exchange with the smallest value that it will use`;
      throw new ConfigError("does not fit the market's book", {
        field: field(name),
        value: config[name],
        expected,
        cause,
      });
    }
  };
  return {
    ...onOwnGrid,
    instrument,
    tickStep: multiple("tickSize", (text) => instrument.parsePrice(text)),
    lotStep: multiple("stepSize", (text) => instrument.parseAmount(text)),
    minTicks: instrument.parsePrice(config.priceQuote.min),
    maxTicks: instrument.parsePrice(config.priceQuote.max),
    minLots: instrument.parseAmount(config.amountBase.min),
    maxLots: instrument.parseAmount(config.amountBase.max),
    marketMinLots: instrument.parseAmount(config.marketAmountBase.min),
    marketMaxLots: instrument.parseAmount(config.marketAmountBase.max),
  };
}
