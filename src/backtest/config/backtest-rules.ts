import { resolve } from "node:path";
import { Decimal } from "decimal.js";
import { ConfigError, FormatError } from "../../core/errors.js";
import { readPlainText } from "../../core/files/plain-files.js";
import { decimalToScaled, Instrument, requireGridUnit } from "../../core/instrument.js";
import { DEFAULT_TOKEN_LIMITS } from "../../core/token-limits.js";
import { type CreditUnits, type Hex, type MarketId, MINUTE_MS } from "../../core/units.js";
import { decodeRules } from "../../exchange/protocol/decode-rules.js";
import type { MarketRules, VenueRules } from "../../exchange/records.js";
import {
  DOMAIN_TYPE_HASH,
  domainSeparator,
  ORDER_TYPE_HASH,
} from "../../exchange/signing/order-signing.js";
import type { BacktestFile } from "./backtest-schema.js";

type RulesFile = BacktestFile["rules"];

/** The rules that a backtest's file states for the exchange. */
export interface BacktestRules {
  readonly rules: VenueRules;
  /** Name of the settlement asset. */
  readonly asset: string;
  /**
   * The exchange's own answer as JSON, of the replayed markets alone; undefined where the file
   * itself has the rules.
   */
  readonly exchangeInfo: string | undefined;
}

type MarketRulesFile = NonNullable<RulesFile["markets"]>[MarketId];

/** The default name and decimals of `credit` (docs/reference/protocol.md#units). */
const ASSET = "USDC";
const LEAST_CREDIT_DECIMALS = 6;
const MOST_CREDIT_DECIMALS = 18;
const PAPER_DECIMALS = 18;

/**
 * Reads the rules of a backtest: from an exchange's own answer, or from what the file states for
 * each market.
 * @param markets the bot's ids of those that are replayed.
 * @throws ConfigError naming the file or the market
 */
export function readBacktestRules(
  file: RulesFile,
  markets: readonly MarketId[],
  folder: string,
): BacktestRules {
  const found =
    file.exchangeInfo === undefined
      ? {
          rules: buildRulesFromFile(file.markets ?? {}, markets),
          asset: ASSET,
          exchangeInfo: undefined,
        }
      : readExchangeInfoRules(resolve(folder, file.exchangeInfo), markets, file.quoteAsset);
  const rateLimits = rateLimitsFor(file, found.rules.rateLimits);
  const rules = {
    ...found.rules,
    rateLimits,
    ...(file.gas !== undefined && gasOf(file.gas, found.rules)),
  };
  return { ...found, rules, asset: file.quoteAsset ?? found.asset };
}

/**
 * The file's own limits, else those of the exchange's answer, else the defaults of the bot and the
 * embedded exchange.
 */
function rateLimitsFor(
  file: RulesFile,
  reported: VenueRules["rateLimits"],
): VenueRules["rateLimits"] {
  const limits = new Map(reported.map((limit) => [limit.name, limit]));
  for (const [name, limit] of Object.entries(DEFAULT_TOKEN_LIMITS))
    if (!limits.has(name)) limits.set(name, { name, ...limit });
  const written = { ORDER: file.orderTokensPerMinute, COMMON: file.commonTokensPerMinute };
  for (const [name, limit] of Object.entries(written))
    if (limit !== undefined) limits.set(name, { name, limit, intervalMs: MINUTE_MS });
  return [...limits.values()];
}

/** {@link readBacktestRules}, for callers that need only the exchange's rules. */
export function readVenueRules(
  file: RulesFile,
  markets: readonly MarketId[],
  folder: string,
): VenueRules {
  return readBacktestRules(file, markets, folder).rules;
}

function readExchangeInfoRules(
  path: string,
  markets: readonly MarketId[],
  asset: string | undefined,
): BacktestRules {
  const wrong = (message: string, cause: unknown): ConfigError =>
    new ConfigError(`does not hold an exchange's rules: ${message}`, {
      field: "rules.exchangeInfo",
      value: path,
      expected: "a file with the output of `marketwright call exchangeInfo`",
      cause,
    });
  try {
    const reported: unknown = JSON.parse(readPlainText(path));
    const rules = decodeRules(reported, markets);
    const info = reported as { readonly markets: readonly ExchangeInfoMarket[] };
    const replayed = info.markets.filter(({ id }) => markets.includes(id));
    return {
      rules,
      asset: asset ?? assetOf(replayed),
      exchangeInfo: JSON.stringify({ ...info, markets: replayed }, null, 2),
    };
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    if (cause instanceof FormatError || cause instanceof SyntaxError)
      throw wrong(cause.message, cause);
    if (cause instanceof Error && "code" in cause) throw wrong("it cannot be read", cause);
    throw cause;
  }
}

function gasOf(
  { waivedFrom, orderQuote }: NonNullable<RulesFile["gas"]>,
  { creditDecimals }: VenueRules,
) {
  return {
    waiveGasFeeMinimumQuote: creditOf("rules.gas.waivedFrom", waivedFrom, creditDecimals),
    orderGasCredit: creditOf("rules.gas.orderQuote", orderQuote, creditDecimals),
  };
}

/** The fields of a market that are read beside its rules. */
interface ExchangeInfoMarket {
  readonly id: MarketId;
  readonly quoteAssetName?: unknown;
}

/**
 * The one asset that markets are quoted in.
 * @throws ConfigError where there are several: an account holds one.
 */
function assetOf(markets: readonly ExchangeInfoMarket[]): string {
  const names = [...new Set(markets.map(({ quoteAssetName }) => String(quoteAssetName ?? ASSET)))];
  if (names.length === 1) return names[0] as string;
  throw new ConfigError("is missing: the markets are quoted in different assets", {
    field: "rules.quoteAsset",
    value: names.join(", "),
    expected: "the name of the asset that the account holds",
  });
}

function buildRulesFromFile(
  files: Readonly<Record<MarketId, MarketRulesFile>>,
  markets: readonly MarketId[],
): VenueRules {
  const domain = {
    chainId: 31337,
    domainName: "Replay",
    domainVersion: "1",
    verifyingContract: addressOf(0),
  };
  const replayed = markets.map((marketId): [MarketId, MarketRulesFile] => {
    const file = files[marketId];
    if (file !== undefined) return [marketId, file];
    throw new ConfigError("has no rules", {
      field: `rules.markets.${marketId}`,
      expected: "its tickSizeQuote, stepSizeBase, makerFeeRate and takerFeeRate",
    });
  });
  const creditDecimals = creditDecimalsFor(replayed.map(([, { tickSizeQuote }]) => tickSizeQuote));
  const rules: Record<MarketId, MarketRules> = {};
  for (const [at, [marketId, file]] of replayed.entries())
    rules[marketId] = marketRules(marketId, file, creditDecimals, addressOf(at + 1));
  return {
    creditDecimals,
    paperDecimals: PAPER_DECIMALS,
    eip712: {
      ...domain,
      domainSeparator: domainSeparator(domain),
      domainTypeHash: DOMAIN_TYPE_HASH,
      orderTypeHash: ORDER_TYPE_HASH,
    },
    rateLimits: [],
    waiveGasFeeMinimumQuote: 0n,
    markets: rules,
    serverTimeMs: 0,
  };
}

/**
 * As many decimals as make a mid of every market a whole number of credit units, since a mark price
 * is counted in them. With fewer, a position in a token of 0.000012 was valued at 0.000012 until
 * the token had fallen by 4 %, and a token below half a millionth was worth nothing.
 */
function creditDecimalsFor(tickSizes: readonly string[]): number {
  const wanted = tickSizes.map((tickSize) => new Decimal(tickSize).div(2).decimalPlaces());
  return Math.min(MOST_CREDIT_DECIMALS, Math.max(LEAST_CREDIT_DECIMALS, ...wanted));
}

function marketRules(
  marketId: MarketId,
  file: MarketRulesFile,
  creditDecimals: number,
  perp: Hex,
): MarketRules {
  const { tickSizeQuote: tickSize, stepSizeBase: stepSize, maxExposureQuote: maxExposure } = file;
  const field = (name: string): string => `rules.markets.${marketId}.${name}`;
  // The grid is made of both, and an error of one would be reported as the other's.
  guarded(field("tickSizeQuote"), tickSize, () => requireGridUnit(tickSize, "tickSize"));
  const grid = guarded(field("stepSizeBase"), stepSize, () => {
    return new Instrument({
      marketId,
      tickSize,
      stepSize,
      creditDecimals,
      paperDecimals: PAPER_DECIMALS,
    });
  });
  const lots = (name: "minAmountBase" | "maxAmountBase", other: number): number => {
    const amount = file[name];
    return amount === undefined
      ? other
      : guarded(field(name), amount, () => grid.parseAmount(amount));
  };
  const minLots = lots("minAmountBase", 1);
  const maxLots = lots("maxAmountBase", 1_000_000);
  if (minLots > maxLots) {
    throw new ConfigError("is above maxAmountBase", {
      field: field("minAmountBase"),
      value: file.minAmountBase,
      expected: `at most ${file.maxAmountBase}`,
    });
  }
  return {
    marketId,
    tickSize,
    stepSize,
    minTicks: 1,
    maxTicks: 2 ** 31 - 1,
    minLots,
    maxLots,
    marketMinLots: minLots,
    marketMaxLots: maxLots,
    maxOpenOrders: file.maxOpenOrders,
    makerFeeRate: guarded(field("makerFeeRate"), file.makerFeeRate, () =>
      decimalToScaled(file.makerFeeRate, 18),
    ),
    takerFeeRate: guarded(field("takerFeeRate"), file.takerFeeRate, () =>
      decimalToScaled(file.takerFeeRate, 18),
    ),
    maxLeverage: file.maxLeverage,
    ...(maxExposure !== undefined && {
      maxExposure: creditOf(field("maxExposureQuote"), maxExposure, creditDecimals),
    }),
    liquidationLeverage: new Decimal(1).div(file.liquidationThreshold).toFixed(8),
    perp,
    stage: "NORMAL",
    status: "TRADING",
    fundingIntervalMs: 8 * 60 * MINUTE_MS,
  };
}

/** @throws ConfigError naming the field, for more decimals than credit has */
function creditOf(field: string, text: string, creditDecimals: number): CreditUnits {
  return guarded(
    field,
    text,
    () => decimalToScaled(text, creditDecimals),
    `at most ${creditDecimals} decimals`,
  );
}

function guarded<Value>(
  field: string,
  value: unknown,
  read: () => Value,
  expected = "a decimal on the market's grid",
): Value {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new ConfigError(`does not fit: ${cause.message}`, { field, value, expected, cause });
  }
}

function addressOf(at: number): Hex {
  return `0x${(at + 1).toString(16).padStart(40, "0")}`;
}
