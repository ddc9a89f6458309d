import { requireKind } from "../core/config/config-kind.js";
import { checkShape, textPaths } from "../core/config/config-shape.js";
import { loadYamlFile } from "../core/config/config-yaml.js";
import { type ExchangeConfig, exchangeConfigShape } from "../simulator/config/config.js";
import { checkAmounts } from "../simulator/config/config-amounts.js";
import { checkChainConfig } from "../simulator/config/config-chain.js";
import { checkPerps } from "../simulator/config/config-perps.js";
import { usdmFaultNames } from "../simulator/dialects/binance-usdm/usdm-fault-names.js";
import { checkFaultList } from "../simulator/faults/check-fault-names.js";
import { exchangeFaultNames } from "../simulator/faults/exchange-fault-names.js";
import { checkLeveraged } from "../simulator/flow/leveraged-config.js";
import { marketRules } from "../simulator/markets/market-rules.js";

/**
 * Reads the YAML of an embedded exchange. Decimals keep their written digits.
 * @throws ConfigError naming the path, the value and the expected value.
 */
export function loadExchangeConfig(path: string): ExchangeConfig {
  const { value, locate, isWritten } = loadYamlFile(path, {
    exactNumbers: textPaths(exchangeConfigShape),
  });
  requireKind("exchange", path, { isWritten });
  const config = checkShape(exchangeConfigShape, value, { locate });
  checkAmounts(config, { locate, isWritten });
  checkPerps(config, { locate, isWritten });
  checkChainConfig(config, { locate, isWritten });
  checkLeveraged(config, { locate, isWritten });
  checkFaultList(config.faults, [exchangeFaultNames(config), usdmFaultNames(config)], { locate });
  for (const marketId of Object.keys(config.markets))
    marketRules(marketId, config, { locate, isWritten });
  return config;
}
