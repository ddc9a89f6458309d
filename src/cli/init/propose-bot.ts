import { ceilDivide, larger } from "../../core/bigints.js";
import { ConfigError } from "../../core/errors.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import { type ConfigLine, yamlText } from "./config-line.js";
import type { MarketFacts } from "./market-facts.js";
import { isAroundReference, type NamedStrategy, proposeParams } from "./propose-params.js";
import { proposeSizes, type SizeProposal } from "./propose-sizes.js";
import { proposeSpread, type SpreadProposal, withinCosts } from "./propose-spread.js";
import type { RiskAppetite } from "./risk-appetites.js";

/** The chosen bot, and the state of its markets. */
export interface BotInput {
  readonly rules: VenueRules;
  readonly markets: readonly MarketFacts[];
  readonly balance: CreditUnits;
  readonly appetite: RiskAppetite;
  /** Absent for a bot that only liquidates. */
  readonly strategy?: NamedStrategy | undefined;
  /** True if the bot also liquidates. */
  readonly liquidates: boolean;
  /** True for an exchange of this machine, whose chain is short enough to read from its start. */
  readonly isLocal: boolean;
}

interface MarketProposal {
  readonly facts: MarketFacts;
  readonly spread: SpreadProposal;
  readonly sizes: SizeProposal;
  /** Parameters of the strategy; none without one. */
  readonly params: readonly ConfigLine[];
  /** Name of the source of its reference price; undefined for a strategy that needs none. */
  readonly source: string | undefined;
}

/** Requests of one market that a new set of quotes takes: a cancel and a place a side. */
const REQUESTS_PER_REQUOTE = 4;
/** The quotes may use half of the exchange's rate limits. */
const RATE_PARTS = 2;
const MINUTE_MS = 60_000;
const MIN_GAP_MS = 250;
const MAX_GAP_MS = 60_000;
/** Bounds of `quotes.priceToleranceTicks`. */
const MAX_TOLERANCE_TICKS = 1000;
const MAX_OPEN_ORDERS = 20;
const CENT_DECIMALS = 2;

/**
 * Proposes the sections of a bot's file that depend on its exchange, each value with its reason.
 * @throws ConfigError if the balance is too small, or a market or the strategy cannot be quoted
 */
export function proposeBot(input: BotInput): readonly ConfigLine[] {
  const { rules, markets, balance, appetite, strategy } = input;
  const budget = { balance, marketCount: markets.length, appetite };
  const proposals = markets.map((facts): MarketProposal => {
    const sizes = proposeSizes(facts, rules, budget);
    const proposed = proposeSpread(facts, appetite);
    const spread = strategy?.name === "pegged" ? withinCosts(proposed) : proposed;
    if (strategy === undefined) return { facts, sizes, spread, params: [], source: undefined };
    const params = proposeParams(strategy, { facts, spread, sizes, appetite });
    const source = isAroundReference(strategy, params) ? sourceName(input, facts) : undefined;
    return { facts, sizes, spread, params, source };
  });
  return [
    { key: "quotes", value: quotesLines(proposals, strategy !== undefined) },
    ...(strategy === undefined ? [] : [{ key: "decide", value: decideLines(input) }]),
    ...referencesLines(proposals),
    {
      key: "markets",
      value: proposals.map((proposal) => marketLines(proposal, input)),
    },
    { key: "risk", value: riskLines(input, proposals) },
    ...(input.liquidates ? [{ key: "liquidator", value: liquidatorLines(input, proposals) }] : []),
  ];
}

/** The index price of each market that needs a reference price. */
function referencesLines(proposals: readonly MarketProposal[]): readonly ConfigLine[] {
  const lines = proposals.flatMap(({ source, facts: { marketId } }): ConfigLine[] =>
    source === undefined
      ? []
      : [
          {
            key: yamlText(source),
            value: `{ index: ${yamlText(marketId)} }`,
            reason: "this exchange's index price; add sources of your own",
          },
        ],
  );
  return lines.length === 0 ? [] : [{ key: "references", value: lines }];
}

/** Name of the source that is a market's index price. Names have at most 40 characters. */
function sourceName({ markets }: BotInput, { marketId }: MarketFacts): string {
  const name = markets.length === 1 ? "index" : `index-${marketId}`;
  return name.length > 40 ? marketId : name;
}

function quotesLines(
  proposals: readonly MarketProposal[],
  isMaker: boolean,
): readonly ConfigLine[] {
  const tolerance = Math.min(
    MAX_TOLERANCE_TICKS,
    ...proposals.map(({ spread }) => spread.toleranceTicks),
  );
  const postOnly: ConfigLine = {
    key: "timeInForce",
    value: "POST_ONLY",
    reason: "never takes; the guard cancels these orders if the bot dies",
  };
  if (!isMaker) return [postOnly];
  return [
    postOnly,
    {
      key: "priceToleranceTicks",
      value: `${tolerance}`,
      reason: "an order this close to its wanted price keeps its place in the queue",
    },
    {
      key: "sizeToleranceFraction",
      value: "0.3",
      reason: "a partly filled order stays while 70 % of its size is left",
    },
  ];
}

function decideLines({ rules, markets }: BotInput): readonly ConfigLine[] {
  const perMinute = rules.rateLimits.map(({ limit, intervalMs }) =>
    Math.floor((limit * MINUTE_MS) / intervalMs),
  );
  const gap = Math.ceil(
    (MINUTE_MS * REQUESTS_PER_REQUOTE * markets.length * RATE_PARTS) /
      Math.max(1, Math.min(...perMinute)),
  );
  const gapMs = Math.min(MAX_GAP_MS, Math.max(MIN_GAP_MS, gap));
  return [
    {
      key: "minGapMs",
      value: `${gapMs}`,
      reason:
        perMinute.length === 0
          ? "the exchange names no rate limit"
          : `new quotes this often take at most half of the exchange's ${Math.min(...perMinute)} requests a minute`,
    },
    {
      key: "everyMs",
      value: `${Math.max(1000, gapMs)}`,
      reason: "also without a change of the best prices or a fill",
    },
  ];
}

function marketLines(
  { facts, sizes, params, source }: MarketProposal,
  { strategy }: BotInput,
): ConfigLine {
  const { instrument, rules, marketId } = facts;
  const openOrders = Math.min(rules.maxOpenOrders, MAX_OPEN_ORDERS);
  const limits: readonly ConfigLine[] = [
    {
      key: "maxPositionBase",
      value: instrument.formatAmount(sizes.positionLots),
      reason: sizes.positionReason,
    },
    {
      key: "maxOrderBase",
      value: instrument.formatAmount(sizes.maxOrderLots),
      reason:
        strategy === undefined
          ? "sales of acquired positions are split into such orders"
          : sizes.maxOrderReason,
    },
    {
      key: "maxOpenOrders",
      value: `${openOrders}`,
      reason: `the exchange allows ${rules.maxOpenOrders}`,
    },
  ];
  const quoting: readonly ConfigLine[] =
    strategy === undefined
      ? []
      : [
          { key: "strategy", value: yamlText(strategy.name) },
          { key: "params", value: params },
          ...referenceLines(source),
        ];
  const best = `${instrument.formatPrice(facts.bestBidTicks)} / ${instrument.formatPrice(facts.bestAskTicks)}`;
  return {
    key: yamlText(marketId),
    value: [...quoting, { key: "limits", value: limits }],
    reason: `best prices ${best}; tick ${rules.tickSize}, step ${rules.stepSize}; ${feeText(rules)}`,
  };
}

function referenceLines(source: string | undefined): readonly ConfigLine[] {
  if (source === undefined) return [];
  return [
    {
      key: "reference",
      value: `{ from: [${yamlText(source)}] }`,
      reason: "without a good price of it, the market halts",
    },
  ];
}

function riskLines(
  { rules, markets, balance, appetite }: BotInput,
  proposals: readonly MarketProposal[],
): readonly ConfigLine[] {
  const unit = leastMoney(rules);
  const drawdown = larger(
    ((balance * BigInt(appetite.drawdownPercent)) / 100n / unit) * unit,
    unit,
  );
  if (drawdown >= balance)
    throw new ConfigError("is too little to limit its losses", {
      field: "--balance",
      value: scaledToDecimal(balance, rules.creditDecimals),
      expected: `more than ${scaledToDecimal(drawdown, rules.creditDecimals)}`,
    });
  const exposure = proposals.reduce((sum, { sizes }) => sum + sizes.positionCredit, 0n);
  const wanted = Number(ceilDivide(2n * exposure, balance));
  const allowed = Math.min(...markets.map(({ rules: { maxLeverage } }) => maxLeverage));
  const leverage = Math.max(1, Math.min(wanted, allowed));
  return [
    {
      key: "maxDrawdownQuote",
      value: scaledToDecimal(drawdown, rules.creditDecimals),
      reason: `loss from the peak: init proposed ${appetite.drawdownPercent} % of the balance`,
    },
    { key: "onDrawdown", value: appetite.onDrawdown, reason: appetite.onDrawdownReason },
    {
      key: "maxLeverage",
      value: `${leverage}`,
      reason:
        leverage === allowed
          ? `init proposed ${leverage}: the exchange's own limit`
          : `init proposed ${leverage}: room for twice the positions at their limits`,
    },
  ];
}

function liquidatorLines(
  { rules, balance, appetite, isLocal }: BotInput,
  proposals: readonly MarketProposal[],
): readonly ConfigLine[] {
  const unit = leastMoney(rules);
  const least = larger(
    ceilDivide(balance * BigInt(appetite.takeoverProfitMillionths), 1_000_000n * unit) * unit,
    unit,
  );
  const exposure = proposals.reduce((sum, { sizes }) => sum + sizes.positionCredit, 0n);
  return [
    {
      key: "minProfitQuote",
      value: scaledToDecimal(least, rules.creditDecimals),
      reason: "at the worst price that a takeover accepts and the most gas that it may burn",
    },
    {
      key: "maxNotionalQuote",
      value: scaledToDecimal(
        ceilDivide(larger(exposure, 2n * least), unit) * unit,
        rules.creditDecimals,
      ),
      reason: "takeovers under way and still to be sold: all positions at their limits",
    },
    ...(isLocal
      ? [
          {
            key: "watchFromBlock",
            value: "0",
            reason: "the chain of an embedded exchange is short",
          },
        ]
      : []),
  ];
}

/** The smallest money that is proposed: a hundredth, or the exchange's unit if that is larger. */
function leastMoney({ creditDecimals }: VenueRules): CreditUnits {
  return 10n ** BigInt(Math.max(0, creditDecimals - CENT_DECIMALS));
}

function feeText({ makerFeeRate, takerFeeRate }: MarketFacts["rules"]): string {
  const bps = (rate: bigint): string => scaledToDecimal(rate * 10_000n, 18);
  return `maker fee ${bps(makerFeeRate)} bps, taker fee ${bps(takerFeeRate)} bps`;
}
