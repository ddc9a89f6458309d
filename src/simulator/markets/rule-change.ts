import { checkShape } from "../../core/config/config-shape.js";
import { ConfigError } from "../../core/errors.js";
import { type ExchangeConfig, type MarketConfig, marketConfigShape } from "../config/config.js";
import type { Market } from "./market.js";
import { type MarketRulesOnGrid, marketRules } from "./market-rules.js";

/**
 * What of a market's configuration can be changed while it runs; its status has a way of its own.
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

/** Rules of a market as its configuration writes them. */
export type ChangeableRules = Pick<MarketConfig, (typeof CHANGEABLE)[number]>;

/** What is to be another: of bounds, either or both. */
export type RuleChange = Partial<
  Omit<ChangeableRules, "priceQuote" | "amountBase" | "marketAmountBase">
> & {
  readonly [Bounds in "priceQuote" | "amountBase" | "marketAmountBase"]?: Partial<
    MarketConfig[Bounds]
  >;
};

/** Those of a configuration. */
export function changeableRules(config: MarketConfig): ChangeableRules {
  return Object.fromEntries(
    CHANGEABLE.map((name) => [name, config[name]]),
  ) as unknown as ChangeableRules;
}

/**
 * A market's rules with some of them changed. Its book stays on the grid that it was configured
 * with: what rests keeps its price and amount, so a tick and a step can be changed to multiples of
 * those alone.
 * @throws ConfigError naming the first value that cannot be, or cannot be changed
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
  // Whatever a configuration may not say, a change may not either.
  const onOwnGrid = marketRules(id, {
    ...exchange,
    markets: { ...exchange.markets, [id]: config },
  });
  const multiple = (name: "tickSize" | "stepSize", count: (text: string) => number): number => {
    try {
      return count(config[name]);
    } catch (cause) {
      const expected = `a whole multiple of the book's own, ${configured[name]}: an exchange begins with the finest that it will have`;
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
    tickStep: multiple("tickSize", (text) => instrument.ticksOf(text)),
    lotStep: multiple("stepSize", (text) => instrument.lotsOf(text)),
    minTicks: instrument.ticksOf(config.priceQuote.min),
    maxTicks: instrument.ticksOf(config.priceQuote.max),
    minLots: instrument.lotsOf(config.amountBase.min),
    maxLots: instrument.lotsOf(config.amountBase.max),
    marketMinLots: instrument.lotsOf(config.marketAmountBase.min),
    marketMaxLots: instrument.lotsOf(config.marketAmountBase.max),
  };
}
