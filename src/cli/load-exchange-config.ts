import { checkShape } from "../core/config-shape.js";
import { type ConfigPath, loadYamlFile } from "../core/config-yaml.js";
import { type ExchangeConfig, exchangeConfigShape } from "../simulator/config.js";

/** Keys whose values are exact decimals: a YAML number there keeps its digits. What a flow holds is the flow's own. */
const DECIMALS: ReadonlySet<string | number> = new Set([
  "tickSize",
  "stepSize",
  "min",
  "max",
  "makerFeeRate",
  "takerFeeRate",
  "maxExposureQuote",
  "liquidationThreshold",
  "liquidationPriceOff",
  "rate",
  "creditOnRegistration",
  "maxQuote",
  "firstId",
]);

/**
 * Reads the YAML of an embedded exchange.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function loadExchangeConfig(path: string): ExchangeConfig {
  const exactNumbers = (at: ConfigPath): boolean => !at.includes("flow") && DECIMALS.has(at.at(-1) ?? "");
  const { value, locate } = loadYamlFile(path, { exactNumbers });
  return checkShape(exchangeConfigShape, value, { locate });
}
