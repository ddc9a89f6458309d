import { bytesToHex } from "../../../core/crypto/hex.js";
import { scaledToDecimal } from "../../../core/instrument.js";
import type { WireExchangeInfo, WireMarket } from "../../../exchange/protocol/market.js";
import { TIMES_IN_FORCE } from "../../../exchange/protocol/order.js";
import { ONE } from "../../../perpetual/fixed-point.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { Market } from "../../markets/market.js";
import {
  DOMAIN_TYPE_HASH,
  ORDER_TYPE_HASH,
  venueDomainSeparator,
} from "../../signing/order-hash.js";
import { waiverText } from "./order-fees.js";

/** GET /v1/exchangeInfo. */
export function exchangeInfoRecord(state: ExchangeState): WireExchangeInfo {
  const { config } = state;
  const { domain, rateLimits } = config;
  const assets = new Set(
    [...state.markets.values()].flatMap(({ rules }) => [
      rules.config.baseAsset,
      rules.config.quoteAsset,
    ]),
  );
  const intervalSeconds = Math.ceil(rateLimits.intervalMs / 1000);
  return {
    assets: [...assets].map((name) => ({ fullName: name, name })),
    dealerInfo: {
      creditDecimals: config.creditDecimals,
      paperDecimals: config.paperDecimals,
      insuranceAmount: scaledToDecimal(state.insuranceCredit, config.creditDecimals),
      totalTraders: state.accounts.size,
      totalVolume: scaledToDecimal(
        [...state.markets.values()].reduce((sum, market) => sum + market.volumeQuote, 0n),
        config.creditDecimals,
      ),
    },
    eip712: {
      EIP712_DOMAIN_SEPARATOR: bytesToHex(venueDomainSeparator(domain)),
      EIP712_DOMAIN_TYPEHASH: bytesToHex(DOMAIN_TYPE_HASH),
      EIP712_ORDER_TYPE: bytesToHex(ORDER_TYPE_HASH),
      chainId: domain.chainId,
      domainName: domain.name,
      domainVersion: domain.version,
      verifyingContract: domain.verifyingContract,
    },
    gasFeeInfo: {
      gasLimit: String(config.gasFee.gasLimit),
      gasPrice: scaledToDecimal(
        state.gas.priceWei(state.nowMs()),
        GAS_PRICE_DECIMALS[config.choices.gasPriceUnit],
      ),
      lastEthIndexPrice: scaledToDecimal(state.gas.ethCredit, config.creditDecimals),
      waiveGasFeeMinimumAmount: waiverText(state),
    },
    markets: [...state.markets.values()].map((market) => marketRecord(state, market)),
    rateLimits: [
      { name: "COMMON", intervalSeconds, limit: rateLimits.common || UNLIMITED },
      { name: "ORDER", intervalSeconds, limit: rateLimits.order || UNLIMITED },
    ],
    serverTime: state.runtime.clock.nowMs(),
    timezone: "UTC",
  };
}

const GAS_PRICE_DECIMALS = { wei: 0, gwei: 9, eth: 18 } as const;

/** The reported value of a disabled limit. */
const UNLIMITED = 1_000_000_000;

function marketRecord(state: ExchangeState, market: Market): WireMarket {
  const { rules, instrument } = market;
  const { config } = rules;
  const refused = state.config.choices.postOnly === "reject";
  return {
    id: market.id,
    pair: market.id,
    symbol: market.id,
    baseAssetName: config.baseAsset,
    quoteAssetName: config.quoteAsset,
    desc: `${config.baseAsset}/${config.quoteAsset} perpetual`,
    OrderType: ["LIMIT", "MARKET"],
    timeInForce: TIMES_IN_FORCE.filter((word) => !(refused && word === "POST_ONLY")),
    filters: [
      {
        filterType: "PRICE_FILTER",
        maxPrice: instrument.formatPrice(rules.maxTicks),
        minPrice: instrument.formatPrice(rules.minTicks),
        tickSize: config.tickSize,
      },
      {
        filterType: "AMOUNT_FILTER",
        maxAmount: instrument.formatAmount(rules.maxLots),
        minAmount: instrument.formatAmount(rules.minLots),
        stepSize: config.stepSize,
      },
      {
        filterType: "MARKET_AMOUNT_FILTER",
        maxAmount: instrument.formatAmount(rules.marketMaxLots),
        minAmount: instrument.formatAmount(rules.marketMinLots),
        stepSize: config.stepSize,
      },
      { filterType: "MAX_OPEN_ORDERS_FILTER", limit: config.maxOpenOrders },
    ],
    fundingIntervalSeconds: Math.ceil(config.funding.intervalMs / 1000),
    indexPriceSource: { text: "the order flow's reference", url: "" },
    markPriceSource: { text: "the order flow's reference", url: "" },
    liquidatedAt: market.status === "DELISTED" ? market.statusChangedMs : null,
    suspendedAt: market.status === "SUSPENDED" ? market.statusChangedMs : null,
    liquidationLeverage: scaledToDecimal((ONE * 10n ** 8n) / rules.liquidationThreshold, 8),
    makerFee: config.makerFeeRate,
    takerFee: config.takerFeeRate,
    maxExposure: config.maxExposureQuote,
    maxLeverage: config.maxLeverage,
    perpetualContractAddress: rules.perp,
    stage: market.status,
    status: market.status,
  };
}
