import { decimalToScaled } from "../../core/instrument.js";
import { type ConfigSource, configConflict } from "../markets/config-conflict.js";
import type { ExchangeConfig } from "./config.js";

/** Values that the contracts' token and their orders fix. */
const FIXED: readonly (readonly [
  path: readonly string[],
  of: (config: ExchangeConfig) => unknown,
  value: unknown,
])[] = [
  [["creditDecimals"], (config) => config.creditDecimals, 6],
  [["paperDecimals"], (config) => config.paperDecimals, 18],
  [["domain", "name"], (config) => config.domain.name, "JOJO"],
  [["domain", "version"], (config) => config.domain.version, "1"],
];

/**
 * Settings that a chain decides in place of the configuration, with defaults that are compatible
 * with it.
 */
const DECIDED: readonly (readonly [
  path: readonly string[],
  of: (config: ExchangeConfig) => unknown,
  value: unknown,
  by: string,
])[] = [
  [
    ["settlement", "delayMs"],
    (config) => config.settlement.delayMs,
    2000,
    "no such key, since chain.blocks decides when a trade is settled",
  ],
  [
    ["settlement", "failureRate"],
    (config) => config.settlement.failureRate,
    0,
    "no such key, since the contracts decide which trades fail",
  ],
  [
    ["domain", "verifyingContract"],
    (config) => config.domain.verifyingContract.toLowerCase(),
    "0x5fbdb2315678afecb367f032d93f642f64180aa3",
    "no such key, since chain.mnemonic gives the dealer's address",
  ],
];

const WILDCARDS: readonly string[] = ["0.0.0.0", "::"];

/**
 * Checks that the exchange and its chain do not listen on the same port.
 * @throws ConfigError naming the chain's port and what would be right.
 */
export function checkPorts({ host, port, chain }: ExchangeConfig, written?: ConfigSource): void {
  const rpc = chain?.rpc ?? undefined;
  if (rpc === undefined || rpc.port === 0 || rpc.port !== port) return;
  if (rpc.host !== host && ![rpc.host, host].some((name) => WILDCARDS.includes(name))) return;
  throw configConflict(
    {
      path: ["chain", "rpc", "port"],
      value: rpc.port,
      summary: "is already the exchange's port",
      expected: "another port, or 0 for any free port",
      against: [{ path: ["port"], value: port }],
    },
    written,
  );
}

/**
 * Checks that no setting contradicts settlement on chain, if the configuration has a chain.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function checkChainConfig(config: ExchangeConfig, written?: ConfigSource): void {
  const { chain } = config;
  if (chain === undefined) return;
  const against = [{ path: ["chain"], value: "a chain" }];
  const refuse = (path: readonly string[], value: unknown, expected: string): never => {
    throw configConflict(
      { path, value, summary: "is incompatible with chain", expected, against },
      written,
    );
  };
  checkPorts(config, written);
  for (const [path, of, value] of FIXED) {
    if (of(config) !== value) refuse(path, of(config), `${String(value)}, as in the contracts`);
  }
  for (const [path, of, value, expected] of DECIDED) {
    if (of(config) !== value) refuse(path, of(config), expected);
  }
  for (const [id, market] of Object.entries(config.markets)) {
    const path = ["markets", id];
    if (market.perp !== undefined) {
      refuse(
        [...path, "perp"],
        market.perp,
        "no such key, since the market's id and chain.mnemonic give its address",
      );
    }
    const [off, fee, threshold] = [
      market.liquidationPriceOff,
      market.insuranceFeeRate,
      market.liquidationThreshold,
    ].map((ratio) => decimalToScaled(ratio, 18)) as [bigint, bigint, bigint];
    if (off + fee > threshold) {
      refuse(
        [...path, "insuranceFeeRate"],
        market.insuranceFeeRate,
        `at most liquidationThreshold, ${market.liquidationThreshold}, minus liquidationPriceOff, ${market.liquidationPriceOff}`,
      );
    }
    const smallest =
      decimalToScaled(market.priceQuote.min, 18) * decimalToScaled(market.stepSize, 18);
    if (smallest < 10n ** BigInt(36 - 6)) {
      refuse(
        [...path, "priceQuote", "min"],
        market.priceQuote.min,
        `a price at which a step of ${market.stepSize} is worth at least 0.000001`,
      );
    }
  }
}
