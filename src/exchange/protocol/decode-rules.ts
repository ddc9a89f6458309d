import { z } from "zod";
import { ceilDivide } from "../../core/bigints.js";
import { ConfigError, FormatError } from "../../core/errors.js";
import { decimalToScaled, Instrument } from "../../core/instrument.js";
import type { CreditUnits, MarketId } from "../../core/units.js";
import type { MarketRules, VenueRules } from "../records.js";
import { exchangeInfoFields, filterFields, marketFields } from "./market.js";
import { marketId, ms, TEXT } from "./values.js";
import { fractionDigits, parseWire, toCreditUnits } from "./wire-parse.js";

/* The parts of `exchangeInfo` that the bot reads. */

const parts = exchangeInfoFields(TEXT);
const filters = filterFields(TEXT);

/** Each market is parsed separately, because one that the bot does not trade may be malformed. */
const exchangeInfoSchema = z.object({
  dealerInfo: z.object(parts.dealerInfo).pick({ creditDecimals: true, paperDecimals: true }),
  eip712: z.object(parts.eip712),
  gasFeeInfo: z
    .object(parts.gasFeeInfo)
    .partial({ gasLimit: true, gasPrice: true, lastEthIndexPrice: true }),
  markets: z.array(z.looseObject({ id: marketId })),
  rateLimits: z.array(z.object(parts.rateLimit)),
  serverTime: ms,
});

/** The name of an asset is only shown: one that no terminal should print is as good as none. */
const assetName = z
  .string()
  .regex(/^[\w.:+$-]{1,20}$/)
  .optional()
  .catch(undefined);

const marketSchema = z
  .object({
    ...marketFields(TEXT),
    filters: z.array(z.looseObject({ filterType: z.string() })),
  })
  .pick({
    id: true,
    filters: true,
    fundingIntervalSeconds: true,
    liquidationLeverage: true,
    makerFee: true,
    takerFee: true,
    maxExposure: true,
    maxLeverage: true,
    perpetualContractAddress: true,
    stage: true,
    status: true,
  })
  .partial({ maxExposure: true })
  .extend({ baseAssetName: assetName, quoteAssetName: assetName });

/** The filters that the bot knows, by type. Others are ignored. */
const filterSchemas = {
  PRICE_FILTER: z.object(filters.PRICE_FILTER),
  AMOUNT_FILTER: z.object(filters.AMOUNT_FILTER),
  MARKET_AMOUNT_FILTER: z.object(filters.MARKET_AMOUNT_FILTER),
  MAX_OPEN_ORDERS_FILTER: z.object(filters.MAX_OPEN_ORDERS_FILTER),
} as const;

const FEE_RATE_DECIMALS = 18;

/**
 * A market's `exchangeInfo` record lacks a filter that every order check needs.
 * @example
 * ```ts
 * import { MissingFilterError } from "marketwright/exchange";
 *
 * const error = new MissingFilterError("btcusdc", "PRICE_FILTER");
 * error.field; // => "markets.btcusdc.filters"
 * error.filterType; // => "PRICE_FILTER"
 * ```
 */
export class MissingFilterError extends FormatError {
  readonly marketId: MarketId;
  readonly filterType: string;

  constructor(marketId: MarketId, filterType: string) {
    super("filter is missing", {
      field: `markets.${marketId}.filters`,
      expected: `a ${filterType}`,
    });
    this.marketId = marketId;
    this.filterType = filterType;
  }
}

/**
 * Decodes `exchangeInfo` for the bot, with its filters checked and converted to the grid.
 * @param traded the bot's markets: each must be there and be whole. Any other one that is not as
 * specified is told as unread.
 * @throws FormatError and its kind {@link MissingFilterError}
 * @example
 * ```ts
 * import { connect, decodeRules } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 * });
 * const rules = decodeRules(await client.call("exchangeInfo"), ["btcusdc"]);
 * close();
 * rules.creditDecimals; // => 6
 * rules.markets.btcusdc?.marketId; // => "btcusdc"
 * ```
 */
export function decodeRules(value: unknown, traded: readonly MarketId[]): VenueRules {
  const info = parseWire(exchangeInfoSchema, value, "exchangeInfo");
  const { creditDecimals, paperDecimals } = info.dealerInfo;
  const markets: [MarketId, MarketRules][] = [];
  const unread: [MarketId, string][] = [];
  for (const wire of info.markets) {
    try {
      markets.push([wire.id, decodeMarket(wire, creditDecimals, paperDecimals)]);
    } catch (error) {
      if (!(error instanceof FormatError) || traded.includes(wire.id)) throw error;
      unread.push([wire.id, error.message]);
    }
  }
  const byId = Object.fromEntries(markets);
  const missing = traded.find((marketId) => !Object.hasOwn(byId, marketId));
  if (missing !== undefined) {
    throw new ConfigError("the exchange has no such market", {
      field: `markets.${missing}`,
      expected: `one of ${info.markets.map((market) => market.id).join(", ") || "none"}`,
    });
  }
  const { eip712 } = info;
  const orderGasCredit = orderGasOf(info.gasFeeInfo, creditDecimals);
  return {
    creditDecimals,
    paperDecimals,
    eip712: {
      domainSeparator: eip712.EIP712_DOMAIN_SEPARATOR,
      domainTypeHash: eip712.EIP712_DOMAIN_TYPEHASH,
      orderTypeHash: eip712.EIP712_ORDER_TYPE,
      chainId: eip712.chainId,
      domainName: eip712.domainName,
      domainVersion: eip712.domainVersion,
      verifyingContract: eip712.verifyingContract,
    },
    // A limit of 0 is disabled: an exchange that accepted no requests would not express it by a
    // budget.
    rateLimits: info.rateLimits
      .filter(({ limit }) => limit > 0)
      .map(({ name, intervalSeconds, limit }) => ({
        name,
        intervalMs: intervalSeconds * 1000,
        limit,
      })),
    waiveGasFeeMinimumQuote: toCreditUnits(
      info.gasFeeInfo.waiveGasFeeMinimumAmount,
      creditDecimals,
      "gasFeeInfo.waiveGasFeeMinimumAmount",
    ),
    ...(orderGasCredit !== undefined && { orderGasCredit }),
    markets: byId,
    ...(unread.length > 0 && { unread: Object.fromEntries(unread) }),
    serverTimeMs: info.serverTime,
  };
}

/** Computes the gas of one order at a price in wei, rounded up like the fee derived from it. */
function orderGasOf(
  { gasLimit, gasPrice, lastEthIndexPrice }: z.infer<typeof exchangeInfoSchema>["gasFeeInfo"],
  creditDecimals: number,
): CreditUnits | undefined {
  if (gasLimit === undefined || gasPrice === undefined || lastEthIndexPrice === undefined)
    return undefined;
  const [limitE18, priceWeiE18] = [
    toCreditUnits(gasLimit, 18, "gasFeeInfo.gasLimit"),
    toCreditUnits(gasPrice, 18, "gasFeeInfo.gasPrice"),
  ];
  const cost =
    limitE18 *
    priceWeiE18 *
    toCreditUnits(lastEthIndexPrice, creditDecimals, "gasFeeInfo.lastEthIndexPrice");
  // Both scales, and the wei per ether.
  const scale = 10n ** 54n;
  return ceilDivide(cost, scale);
}

/**
 * Creates the exact arithmetic of every market in the rules.
 * @example
 * ```ts
 * import { connect, decodeRules, createInstruments } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 * });
 * const rules = decodeRules(await client.call("exchangeInfo"), ["btcusdc"]);
 * close();
 * const btc = createInstruments(rules).get("btcusdc");
 * btc?.formatPrice(btc.parsePrice("30000.5")); // => "30000.5"
 * ```
 */
export function createInstruments(rules: VenueRules): Map<MarketId, Instrument> {
  const { creditDecimals, paperDecimals } = rules;
  return new Map(
    Object.values(rules.markets).map(({ marketId, tickSize, stepSize }) => [
      marketId,
      new Instrument({ marketId, tickSize, stepSize, creditDecimals, paperDecimals }),
    ]),
  );
}

function decodeMarket(
  wire: { readonly id: MarketId },
  creditDecimals: number,
  paperDecimals: number,
): MarketRules {
  const market = parseWire(marketSchema, wire, `exchangeInfo.markets.${wire.id}`);
  const marketId = market.id;
  const price = filterOf(market, "PRICE_FILTER");
  const amount = filterOf(market, "AMOUNT_FILTER");
  const marketAmount = filterOf(market, "MARKET_AMOUNT_FILTER");
  const openOrders = filterOf(market, "MAX_OPEN_ORDERS_FILTER");
  const { tickSize } = price;
  const { stepSize } = amount;
  // Rejects a tick or step of zero, and a step finer than the unit of paper.
  new Instrument({ marketId, tickSize, stepSize, creditDecimals, paperDecimals });
  const field = (name: string): string => `markets.${marketId}.filters.${name}`;
  const { baseAssetName: baseAsset, quoteAssetName: quoteAsset } = market;
  const rules: MarketRules = {
    marketId,
    ...(baseAsset !== undefined && { baseAsset }),
    ...(quoteAsset !== undefined && { quoteAsset }),
    tickSize,
    stepSize,
    minTicks: Math.max(
      1,
      boundOnGrid(price.minPrice, tickSize, "up", field("PRICE_FILTER.minPrice")),
    ),
    maxTicks: boundOnGrid(price.maxPrice, tickSize, "down", field("PRICE_FILTER.maxPrice")),
    minLots: Math.max(
      1,
      boundOnGrid(amount.minAmount, stepSize, "up", field("AMOUNT_FILTER.minAmount")),
    ),
    maxLots: boundOnGrid(amount.maxAmount, stepSize, "down", field("AMOUNT_FILTER.maxAmount")),
    marketMinLots: Math.max(
      1,
      boundOnGrid(marketAmount.minAmount, stepSize, "up", field("MARKET_AMOUNT_FILTER.minAmount")),
    ),
    marketMaxLots: boundOnGrid(
      marketAmount.maxAmount,
      stepSize,
      "down",
      field("MARKET_AMOUNT_FILTER.maxAmount"),
    ),
    marketStepLots: stepInLots(
      marketAmount.stepSize,
      stepSize,
      field("MARKET_AMOUNT_FILTER.stepSize"),
    ),
    maxOpenOrders: openOrders.limit,
    makerFeeRate: decimalToScaled(
      market.makerFee,
      FEE_RATE_DECIMALS,
      `markets.${marketId}.makerFee`,
    ),
    takerFeeRate: decimalToScaled(
      market.takerFee,
      FEE_RATE_DECIMALS,
      `markets.${marketId}.takerFee`,
    ),
    maxLeverage: market.maxLeverage,
    ...(market.maxExposure !== undefined && {
      maxExposure: toCreditUnits(
        market.maxExposure,
        creditDecimals,
        `markets.${marketId}.maxExposure`,
      ),
    }),
    liquidationLeverage: market.liquidationLeverage,
    perp: market.perpetualContractAddress,
    stage: market.stage,
    status: market.status,
    fundingIntervalMs: market.fundingIntervalSeconds * 1000,
  };
  requireRoom(rules.minTicks, rules.maxTicks, field("PRICE_FILTER"));
  requireRoom(rules.minLots, rules.maxLots, field("AMOUNT_FILTER"));
  requireRoom(rules.marketMinLots, rules.marketMaxLots, field("MARKET_AMOUNT_FILTER"));
  return rules;
}

type FilterType = keyof typeof filterSchemas;
type FilterOf<Type extends FilterType> = (typeof filterSchemas)[Type]["_zod"]["output"];

function filterOf<Type extends FilterType>(
  market: { readonly id: MarketId; readonly filters: readonly { readonly filterType: string }[] },
  filterType: Type,
): FilterOf<Type> {
  const found = market.filters.find((filter) => filter.filterType === filterType);
  if (found === undefined) throw new MissingFilterError(market.id, filterType);
  return parseWire(
    filterSchemas[filterType],
    found,
    `markets.${market.id}.filters.${filterType}`,
  ) as FilterOf<Type>;
}

/**
 * The strictest whole number of grid units for a bound that may be off the grid; a bound past 2^53
 * does not limit.
 */
function boundOnGrid(bound: string, unitText: string, round: "up" | "down", field: string): number {
  const decimals = Math.max(fractionDigits(bound), fractionDigits(unitText));
  const scaled = decimalToScaled(bound, decimals, field);
  const unit = decimalToScaled(unitText, decimals, field);
  const count = round === "up" ? ceilDivide(scaled, unit) : scaled / unit;
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(count);
}

/** The smallest number of lots that is a multiple of a MARKET order's own step. */
function stepInLots(marketStep: string, lot: string, field: string): number {
  const decimals = Math.max(fractionDigits(marketStep), fractionDigits(lot));
  const step = decimalToScaled(marketStep, decimals, field);
  let divisor = decimalToScaled(lot, decimals, field);
  for (let rest = step; rest !== 0n; ) [divisor, rest] = [rest, divisor % rest];
  const lots = step / divisor;
  if (lots < 1n || lots > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new FormatError("not a step", {
      field,
      value: marketStep,
      expected: `a positive multiple of ${lot}`,
    });
  }
  return Number(lots);
}

function requireRoom(min: number, max: number, field: string): void {
  if (min > max) {
    throw new FormatError("bounds leave no room on the grid", {
      field,
      value: `${min} to ${max} units`,
      expected: "a minimum below the maximum",
    });
  }
}
