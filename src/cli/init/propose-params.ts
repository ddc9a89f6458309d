import { Decimal } from "decimal.js";
import { z } from "zod";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { Strategy } from "../../strategies/strategy.js";
import type { ConfigLine } from "./config-line.js";
import type { MarketFacts } from "./market-facts.js";
import type { SizeProposal } from "./propose-sizes.js";
import { type SpreadProposal, ticksToBps } from "./propose-spread.js";
import type { RiskAppetite } from "./risk-appetites.js";

/** The strategy of a market, as its YAML file names it. */
export interface NamedStrategy {
  readonly name: string;
  readonly strategy: Strategy;
}

/** The proposals from which a strategy's parameters follow. */
export interface ParamsInput {
  readonly facts: MarketFacts;
  readonly spread: SpreadProposal;
  readonly sizes: SizeProposal;
  readonly appetite: RiskAppetite;
}

/** Horizon over which the models count the risk of holding, in seconds. */
const HORIZON_SECONDS = 60;
/** Share of the half spread by which an order held moves the quotes, of an appetite of 1. */
const SHIFT_PER_ORDER = 0.2;
/** Volatility of a market in which nothing has traded yet: the strategies' own default. */
const DEFAULT_SIGMA_BPS = 1;
/** Bounds of the models' parameters. */
const MAX_PER_BPS = 1000;
const MIN_RISK_AVERSION = 1e-9;
const MAX_INVENTORY_ORDERS = 200;
const RATE_DECIMALS = 18;
/** Carry beyond the fees at which `funding` wants a full position, and how long it holds one. */
const FULL_CARRY_BPS = 5;
const FUNDING_SECONDS = 28_800;
const SECONDS_A_DAY = 86_400;
/** Typical moves of a day that a grid reaches, each way. */
const GRID_DAYS_OF_MOVES = 3;
const MAX_GRID_CELLS = 100;
/** Bounds of the edge of the pegged ladder. */
const MIN_EDGE_BPS = 0.001;
const MAX_EDGE_BPS = 5000;

/**
 * Proposes the parameters of a strategy: those of a built-in one, and of another one those whose
 * names it shares with them.
 * @throws ConfigError if the strategy needs parameters beyond these
 */
export function proposeParams(
  { name, strategy }: NamedStrategy,
  input: ParamsInput,
): readonly ConfigLine[] {
  const lines = linesFor(name, strategy, input);
  try {
    strategy.bind(toValues(lines), { at: ["markets", input.facts.marketId, "params"] });
  } catch (error) {
    if (!(error instanceof MarketwrightError)) throw error;
    throw new ConfigError(
      `takes parameters that cannot be proposed: ${error.message.split("; expected")[0]}`,
      {
        field: "--strategy",
        value: name,
        expected: `defaults for all but ${Object.keys(toValues(ownLines(input))).join(", ")}`,
        cause: error,
      },
    );
  }
  return lines;
}

function linesFor(name: string, strategy: Strategy, input: ParamsInput): readonly ConfigLine[] {
  if (name === "ladder") return ladderLines(input);
  if (name === "pegged") return peggedLines(input);
  if (name === "imbalance") return ladderLines(input);
  if (name === "funding") return fundingLines(input);
  if (name === "grid") return gridLines(input);
  if (name === "glft") return glftLines(input);
  if (name === "avellaneda-stoikov") return avellanedaStoikovLines(input);
  const known = paramNames(strategy);
  return ownLines(input).filter(({ key }) => known.includes(key));
}

function ladderLines(input: ParamsInput): readonly ConfigLine[] {
  return [halfSpread(input), sizeBase(input), priceSkew(input), tolerance(input)];
}

/** The carry that fills the position, with the model's `carry / (gamma sigma^2 T)`, gives gamma. */
function fundingLines(input: ParamsInput): readonly ConfigLine[] {
  const { sigma } = modelInputs(input);
  const orders = Math.max(1, Math.floor(input.sizes.positionLots / input.sizes.orderLots));
  const riskAversion = FULL_CARRY_BPS / (orders * sigma * sigma * FUNDING_SECONDS);
  return [
    {
      key: "riskAversion",
      value: figures(Math.min(MAX_PER_BPS, Math.max(MIN_RISK_AVERSION, riskAversion))),
      reason: `gamma: ${FULL_CARRY_BPS} bps of carry beyond the fees fill the position`,
    },
    {
      key: "holdingMs",
      value: `${FUNDING_SECONDS * 1000}`,
      reason: "mean time of holding: eight hours, as by default",
    },
    sigmaLine(input),
    ...ladderLines(input),
  ];
}

/** The margin of the pegged ladder, its fee and its edge, is the half spread of the others. */
function peggedLines(input: ParamsInput): readonly ConfigLine[] {
  const { facts, spread } = input;
  const margin = ticksToBps(spread.halfSpreadTicks, facts);
  const fee = scaledToDecimal(facts.rules.makerFeeRate * 10_000n, RATE_DECIMALS);
  const edge = Decimal.min(MAX_EDGE_BPS, Decimal.max(MIN_EDGE_BPS, new Decimal(margin).minus(fee)));
  return [
    {
      key: "edgeBps",
      value: edge.toFixed(),
      reason: `with a maker fee of ${fee} bps, ${margin} bps from the reference: ${spread.reason}`,
    },
    sizeBase(input),
    priceSkew(input),
    tolerance(input),
  ];
}

/**
 * A range of some days' moves around the mid, in as many cells as orders fit into the position. No
 * cell is narrower than two half spreads and four fees, of which a round trip pays two.
 */
function gridLines({ facts, spread, sizes }: ParamsInput): readonly ConfigLine[] {
  const { instrument, bestBidTicks, bestAskTicks } = facts;
  const mid = (bestBidTicks + bestAskTicks) / 2;
  const feeBps = Math.max(0, Number(facts.rules.makerFeeRate) / 1e14);
  const leastBps = 2 * Number(ticksToBps(spread.halfSpreadTicks, facts)) + 4 * feeBps;
  const dayBps = (facts.sigmaBps ?? DEFAULT_SIGMA_BPS) * Math.sqrt(SECONDS_A_DAY);
  const orders = Math.floor(sizes.positionLots / sizes.orderLots);
  const eachWay = Math.min(MAX_GRID_CELLS / 2, Math.max(1, orders));
  const reach = 1 + Math.max(GRID_DAYS_OF_MOVES * dayBps, eachWay * leastBps) / 10_000;
  const price = (ticks: number): string => instrument.formatPrice(Math.max(1, Math.round(ticks)));
  return [
    {
      key: "lowerPrice",
      value: price(mid / reach),
      reason: `${figures((1 - 1 / reach) * 100)} % below the mid: at least ${GRID_DAYS_OF_MOVES} typical moves of a day`,
    },
    {
      key: "upperPrice",
      value: price(mid * reach),
      reason: `${figures((reach - 1) * 100)} % above it; beyond the range the position stays as it is`,
    },
    { key: "flatPrice", value: price(mid), reason: "no position at the present mid" },
    {
      key: "cells",
      value: `${2 * eachWay}`,
      reason: "as many each way as orders of sizeBase fit into maxPositionBase",
    },
    {
      key: "sizeBase",
      value: instrument.formatAmount(sizes.orderLots),
      reason: sizes.orderReason,
    },
  ];
}

function ownLines(input: ParamsInput): readonly ConfigLine[] {
  return [...ladderLines(input), minHalfSpread(input)];
}

/**
 * The half spread of the model at no inventory is near to 1 / k for so little risk aversion. The
 * model's shift per order held, `gamma sigma^2 T`, gives the risk aversion.
 */
function avellanedaStoikovLines(input: ParamsInput): readonly ConfigLine[] {
  const { sigma, wanted, shift } = modelInputs(input);
  const riskAversion = (shift * wanted) / (sigma * sigma * HORIZON_SECONDS);
  return [
    {
      key: "riskAversion",
      value: figures(Math.min(MAX_PER_BPS, Math.max(MIN_RISK_AVERSION, riskAversion))),
      reason: `gamma: each order held moves the quotes by about ${percent(shift)} of the half spread`,
    },
    { key: "horizonMs", value: `${HORIZON_SECONDS * 1000}`, reason: "T: a minute, as by default" },
    ...modelLines(input),
  ];
}

/** The model's shift per order held, `sigma sqrt(gamma e / (2 k A))`, gives the risk aversion. */
function glftLines(input: ParamsInput): readonly ConfigLine[] {
  const { sigma, wanted, shift } = modelInputs(input);
  const riskAversion = (shift * shift * 2 * wanted) / (sigma * sigma * Math.E);
  const orders = Math.floor(input.sizes.positionLots / input.sizes.orderLots);
  return [
    {
      key: "riskAversion",
      value: figures(Math.min(MAX_PER_BPS, Math.max(MIN_RISK_AVERSION, riskAversion))),
      reason: `gamma: each order held moves the quotes by about ${percent(shift)} of the half spread`,
    },
    {
      key: "inventoryOrders",
      value: `${Math.min(MAX_INVENTORY_ORDERS, Math.max(1, orders))}`,
      reason: "orders of sizeBase that maxPositionBase holds",
    },
    { key: "aPerSecond", value: "1", reason: "A: fills a second at distance 0, as by default" },
    ...modelLines(input),
  ];
}

function modelLines(input: ParamsInput): readonly ConfigLine[] {
  const { facts, spread } = input;
  const { wanted } = modelInputs(input);
  return [
    sizeBase(input),
    {
      key: "kPerBps",
      value: figures(Math.min(MAX_PER_BPS, 1 / wanted)),
      reason: `k: at first a half spread of about ${ticksToBps(spread.halfSpreadTicks, facts)} bps; ${spread.reason}`,
    },
    sigmaLine(input),
    minHalfSpread(input),
    tolerance(input),
  ];
}

function sigmaLine(input: ParamsInput): ConfigLine {
  const { sigmaBps, sigmaSpanMs } = input.facts;
  const minutes = Math.max(1, Math.round(sigmaSpanMs / 60_000));
  return {
    key: "sigma",
    value: `{ estimator: ewma, initialBps: ${figures(modelInputs(input).sigma)} }`,
    reason:
      sigmaBps === undefined
        ? "estimated while it trades; nothing has traded yet"
        : `estimated while it trades; at first from ${minutes} min of candles`,
  };
}

/** True if a strategy with such parameters quotes around a reference price. */
export function isAroundReference(
  { strategy }: NamedStrategy,
  lines: readonly ConfigLine[],
): boolean {
  return strategy.bind(toValues(lines)).needsReference === true;
}

/** In basis points: the volatility, the half spread, and the shift per order as a share of it. */
function modelInputs({ facts, spread, appetite }: ParamsInput) {
  return {
    sigma: facts.sigmaBps ?? DEFAULT_SIGMA_BPS,
    wanted: Number(ticksToBps(spread.halfSpreadTicks, facts)),
    shift: SHIFT_PER_ORDER * appetite.skewMultiple,
  };
}

function halfSpread({ facts, spread }: ParamsInput): ConfigLine {
  return {
    key: "halfSpreadBps",
    value: ticksToBps(spread.halfSpreadTicks, facts),
    reason: spread.reason,
  };
}

function minHalfSpread({ facts, spread }: ParamsInput): ConfigLine {
  return {
    key: "minHalfSpreadBps",
    value: ticksToBps(spread.floorTicks, facts),
    reason: spread.floorReason,
  };
}

function sizeBase({ facts: { instrument }, sizes }: ParamsInput): ConfigLine {
  return {
    key: "sizeBase",
    value: instrument.formatAmount(sizes.orderLots),
    reason: sizes.orderReason,
  };
}

function priceSkew({ facts, spread, appetite }: ParamsInput): ConfigLine {
  const skew = new Decimal(ticksToBps(spread.halfSpreadTicks, facts)).times(appetite.skewMultiple);
  return {
    key: "priceSkewBps",
    value: Decimal.min(MAX_SKEW_BPS, skew).toFixed(),
    reason: `lean of the quotes at a full position: ${appetite.skewMultiple} times the half spread`,
  };
}

const MAX_SKEW_BPS = 5000;

function tolerance({ spread }: ParamsInput): ConfigLine {
  return {
    key: "refreshToleranceTicks",
    value: `${spread.toleranceTicks}`,
    reason: spread.toleranceReason,
  };
}

/** The names of a strategy's parameters; none if its schema does not list them. */
function paramNames({ params }: Strategy): readonly string[] {
  const { properties } = z.toJSONSchema(params, { io: "input", unrepresentable: "any" });
  return Object.keys(properties ?? {});
}

function toValues(lines: readonly ConfigLine[]): Record<string, unknown> {
  return Object.fromEntries(
    lines.map(({ key, value }) => [
      key,
      key === "sigma" ? { estimator: "ewma" } : Number(value as string),
    ]),
  );
}

function figures(value: number): string {
  return new Decimal(value).toSignificantDigits(3).toFixed();
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
