import { decimalToScaled } from "../../core/instrument.js";
import { type ConfigSource, configConflict } from "../markets/config-conflict.js";
import type { ExchangeConfig } from "./config.js";

/** Amounts of credit outside the markets. */
const AMOUNTS: readonly (readonly [
  path: readonly string[],
  of: (config: ExchangeConfig) => string,
])[] = [
  [["creditOnRegistration"], (config) => config.creditOnRegistration],
  [["faucet", "maxQuote"], (config) => config.faucet.maxQuote],
  [["insurance", "initialQuote"], (config) => config.insurance.initialQuote],
  [["gasFee", "ethPriceQuote"], (config) => config.gasFee.ethPriceQuote],
];

/**
 * Checks the amounts of a configuration outside its markets. Credit must be able to hold them
 * (`creditDecimals`), and the bounds of the gas price must leave a range.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function checkAmounts(config: ExchangeConfig, written?: ConfigSource): void {
  for (const [path, of] of AMOUNTS) {
    const value = of(config);
    try {
      decimalToScaled(value, config.creditDecimals);
    } catch (cause) {
      const against = [{ path: ["creditDecimals"], value: config.creditDecimals }];
      const expected = `at most ${config.creditDecimals} decimals`;
      throw configConflict(
        { path, value, summary: "has more decimals than creditDecimals", expected, against, cause },
        written,
      );
    }
  }
  const { minGasPriceWei, maxGasPriceWei } = config.gasFee;
  if (BigInt(minGasPriceWei) > BigInt(maxGasPriceWei)) {
    const against = [{ path: ["gasFee", "minGasPriceWei"], value: minGasPriceWei }];
    const expected = `at least minGasPriceWei, ${minGasPriceWei}`;
    const summary = "is below minGasPriceWei";
    throw configConflict(
      { path: ["gasFee", "maxGasPriceWei"], value: maxGasPriceWei, summary, expected, against },
      written,
    );
  }
}
