import type { BotConfig } from "../../bot/config/config.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { type ExchangeConfig, parseExchangeConfig } from "../../simulator/config/config.js";
import type { FaultStretch } from "../rehearsal-plan.js";
import type { RehearsedFault } from "../rehearsed-fault.js";

/** The exchange of a rehearsal, as its file describes it. */
export interface RehearsalExchange {
  readonly config: ExchangeConfig;
  /** Folder of the file, to which its paths are relative. */
  readonly baseFolder: string;
}

/** The exchange of a rehearsal's runs, and what differs from the user's own. */
export interface RehearsalMarket extends RehearsalExchange {
  /** Sentences for the reader. */
  readonly notes: readonly string[];
}

/** Prices at which unnamed synthetic markets begin, by base asset; 100 for any other. */
const START_PRICES: Readonly<Record<string, number>> = { BTC: 60_000, ETH: 3_000, SOL: 150 };
const OTHER_START_PRICE = 100;
/** Orders of magnitude between a price and its tick. */
const TICK_DIGITS = 5;
const FUNDING_INTERVAL_MS = 60_000;
const LEAST_FUNDING_RATE = 0.002;
const MOST_FUNDING_RATE = 0.0075;

/**
 * The exchange on which a bot is rehearsed: that of the file, without its chain, its state and its
 * own faults, or a synthetic one.
 * @throws ConfigError for a market of the bot that the exchange does not have
 */
export function prepareMarket(
  bot: BotConfig,
  exchange: RehearsalExchange | undefined,
): RehearsalMarket {
  const marketIds = Object.keys(bot.markets);
  if (exchange === undefined)
    return {
      config: parseExchangeConfig({
        markets: Object.fromEntries(marketIds.map((id) => [id, syntheticMarket(id)])),
      }),
      baseFolder: process.cwd(),
      notes: [
        "No exchange file: the markets are synthetic, with the default rules and fees of the embedded exchange.",
      ],
    };
  const { config, baseFolder } = exchange;
  const { chain, dataDir: _dataDir, faults, ...kept } = config;
  const { ethMarketId } = config.gasFee;
  const wanted = [...marketIds, ...(ethMarketId === undefined ? [] : [ethMarketId])];
  for (const id of marketIds)
    if (config.markets[id] === undefined)
      throw new ConfigError("is not a market of the exchange", {
        field: `markets.${id}`,
        expected: `one of ${Object.keys(config.markets).join(", ")}`,
      });
  const flows = Object.values(config.markets).map(({ flow }) => flow);
  const notes = [
    ...(chain === undefined
      ? []
      : [
          `Trades settle in memory, ${config.settlement.delayMs} ms after the match: the chain of the exchange file is left out.`,
        ]),
    ...(marketIds.some((id) => config.markets[id]?.flow.kind === "replay")
      ? ["A recorded market is the same in each seed: only delays and faults differ."]
      : []),
    ...(faults === undefined ? [] : ["The faults of the exchange file are left out."]),
    ...(flows.some((flow) => flow.kind === "synthetic" && flow.leveraged !== undefined)
      ? ["The leveraged traders of the exchange file are left out."]
      : []),
  ];
  const markets = Object.fromEntries(
    Object.entries(config.markets)
      .filter(([id]) => wanted.includes(id))
      .map(([id, market]) => [id, { ...market, flow: withoutSeed(market.flow) }]),
  );
  return { config: { ...kept, dialects: {}, markets }, baseFolder, notes };
}

/** The configuration of one run: that of the rehearsal with the fault of the exchange itself. */
export function exchangeForRun(
  config: ExchangeConfig,
  seed: number,
  fault: RehearsedFault,
  [stretch]: readonly FaultStretch[],
): ExchangeConfig {
  const seeded = { ...config, seed: `rehearsal ${seed}` };
  if (stretch === undefined) return seeded;
  if (fault === "settlement-failed")
    return {
      ...seeded,
      settlement: { ...config.settlement, failureRate: stretch.probability },
    };
  if (fault !== "funding-extreme") return seeded;
  const { sign, severity } = stretch;
  const rate = LEAST_FUNDING_RATE + severity * (MOST_FUNDING_RATE - LEAST_FUNDING_RATE);
  const markets = Object.fromEntries(
    Object.entries(config.markets).map(([id, market]) => [
      id,
      {
        ...market,
        funding: {
          ...market.funding,
          mode: "fixed" as const,
          rate: (sign * rate).toFixed(6),
          intervalMs: FUNDING_INTERVAL_MS,
          speedMultiplier: 0,
        },
      },
    ]),
  );
  return { ...seeded, markets };
}

/** Each seed of a rehearsal has its own market, whatever seed the file names. */
function withoutSeed(flow: ExchangeConfig["markets"][MarketId]["flow"]) {
  if (flow.kind !== "synthetic") return flow;
  const { seed: _seed, ...unseeded } = flow;
  return unseeded;
}

function syntheticMarket(marketId: MarketId) {
  const base = marketId.replace(/(usdc|usdt|usd)$/, "").toUpperCase();
  const startPriceQuote = START_PRICES[base] ?? OTHER_START_PRICE;
  const tickSize = (10 ** (Math.floor(Math.log10(startPriceQuote)) - TICK_DIGITS)).toFixed(
    Math.max(0, TICK_DIGITS - Math.floor(Math.log10(startPriceQuote))),
  );
  const stepSize = base === "BTC" ? "0.001" : "0.01";
  return {
    baseAsset: base === "" ? "BASE" : base,
    tickSize,
    stepSize,
    priceQuote: { min: tickSize, max: "10000000" },
    amountBase: { min: stepSize, max: "10000" },
    marketAmountBase: { min: stepSize, max: "1000" },
    flow: { kind: "synthetic", preset: "fitted", startPriceQuote },
  };
}
