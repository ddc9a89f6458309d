import { scaledToDecimal } from "../../core/instrument.js";
import type { Lots } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader } from "../market/market-trader.js";
import { findQuotingObstacles } from "../market/quoting-status.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import { readReference } from "../status/reference-status.js";
import { toUnwindDecisionStatus, type UnwindDecisionStatus } from "../status/unwind-status.js";
import type { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import type { UnwindDecision } from "../unwind/unwind-decision.js";
import { explainInventoryPlan } from "./explain-inventory-plan.js";
import { explainQuotes, explainReason, toBps, toQuote } from "./explain-quotes.js";
import { marketTokens } from "./explain-tokens.js";
import { liquidationDistance, type PlannedWorst } from "./explain-worst.js";
import type {
  ExplainedLayOff,
  ExplainedMarket,
  ExplainedQuote,
  ExplainedReference,
  ExplainedUnwinding,
  ExplainedWorst,
} from "./explanation.js";

/** The orders that one market of a dry run would quote now, and why. */
export function explainMarket(
  {
    context,
    tradingGuards,
    liquidatedInventory,
  }: Pick<Bot, "context" | "tradingGuards" | "liquidatedInventory">,
  trader: MarketTrader,
  planned: PlannedWorst,
  registered: boolean,
): ExplainedMarket {
  const { account, config } = context;
  const { marketId, instrument } = trader;
  const touch = trader.touch();
  const midTicks = touch === null ? undefined : (touch.bidTicks + touch.askTicks) / 2;
  const reason = trader.target?.intent.reason ?? trader.quotes?.reason ?? trader.unwind?.reason;
  const quotes = explainQuotes(context, trader, {
    plan: trader.plan,
    refusals: planned.refusals,
    midTicks,
    reason,
  });
  const held = quotes.filter(({ fate }) => fate !== "withheld");
  const laidOff = explainLaidOff(trader, liquidatedInventory);
  const inventoryPlan = explainInventoryPlan(context, trader);
  const isQuoting =
    trader.target === undefined && held.length > 0 && tradingGuards.areQuotesAllowed(marketId);
  return {
    strategy: config.markets[marketId]?.strategy ?? "no strategy",
    state:
      trader.target !== undefined
        ? "working a target"
        : trader.unwind !== undefined
          ? "unwinding"
          : isQuoting
            ? "quoting"
            : "not quoting",
    reasons: reasonsOf(context, tradingGuards, trader, quotes),
    bestBid: touch === null ? undefined : instrument.formatPrice(touch.bidTicks),
    bestAsk: touch === null ? undefined : instrument.formatPrice(touch.askTicks),
    midQuote: midTicks === undefined ? undefined : toQuote(instrument, midTicks).toFixed(),
    markQuote:
      trader.state.mark === undefined
        ? undefined
        : scaledToDecimal(trader.state.mark, instrument.creditDecimals),
    reference: explainReference(context, trader, planned, registered),
    positionBase: registered && account.confirmed ? account.positionBase(marketId) : undefined,
    quotes,
    reason: reason === undefined ? undefined : explainReason(trader, reason),
    ...(inventoryPlan === undefined ? {} : { plan: inventoryPlan }),
    unwinding: explainUnwinding(
      trader,
      liquidatedInventory,
      findQuotingObstacles(context, tradingGuards, trader),
    ),
    ...(laidOff.length === 0 ? {} : { laidOff }),
    cancels: (trader.plan?.cancels ?? []).map(({ hash, why }) => ({ hash, why })),
    worst: explainWorst(trader, planned, registered),
    tokens: marketTokens(context, trader, held.length),
  };
}

/**
 * Remaining lots of a market's takeovers, the trajectory's target, and the next step; undefined if
 * nothing is being unwound.
 * @param blocks why the whole market is halted, for an unwinding that waits with it.
 */
function explainUnwinding(
  trader: MarketTrader,
  unwinding: LiquidatedInventory,
  blocks: readonly string[],
): ExplainedUnwinding | undefined {
  const { marketId, instrument, plan } = trader;
  const takeovers = unwinding.trajectories(marketId);
  if (takeovers.length === 0) return undefined;
  const worked =
    trader.unwind !== undefined && plan !== undefined && "state" in plan ? plan : undefined;
  const sum = (lots: readonly Lots[]): string =>
    instrument.formatAmount(lots.reduce((total, one) => total + one, 0));
  return {
    state: worked?.state ?? "waiting",
    why: worked?.why ?? blocks[0] ?? "it is not planned yet",
    remainingBase: sum(takeovers.map(({ remainingLots }) => remainingLots)),
    allowedBase: sum(takeovers.map(({ allowedLots }) => allowedLots)),
    nextSliceAtMs: worked?.nextSliceAtMs,
    takeovers: takeovers.map(
      ({
        takeoverId,
        remainingLots,
        allowedLots,
        worstTicks,
        nextStepAtMs,
        deadlineMs,
        decision,
      }) => ({
        takeoverId,
        remainingBase: instrument.formatAmount(remainingLots),
        allowedBase: instrument.formatAmount(allowedLots),
        worstPrice: instrument.formatPrice(worstTicks),
        nextStepAtMs,
        deadlineMs,
        ...(decision === undefined ? {} : { decision: explainDecision(instrument, decision) }),
      }),
    ),
  };
}

/** Takeovers of the last day that the market's own position has taken over. */
function explainLaidOff(
  { marketId, instrument }: MarketTrader,
  inventory: LiquidatedInventory,
): readonly ExplainedLayOff[] {
  return inventory.reports().flatMap(({ takeoverId, marketId: at, laidOffLots, decision }) =>
    at !== marketId || laidOffLots === 0 || decision === undefined
      ? []
      : [
          {
            takeoverId,
            laidOffBase: instrument.formatAmount(laidOffLots),
            decision: explainDecision(instrument, decision),
          },
        ],
  );
}

function explainDecision(
  instrument: MarketTrader["instrument"],
  decision: UnwindDecision,
): UnwindDecisionStatus {
  return toUnwindDecisionStatus(decision, (credit) => instrument.creditToDecimal(credit));
}

function explainWorst(
  trader: MarketTrader,
  { worst }: PlannedWorst,
  balancesKnown: boolean,
): ExplainedWorst {
  const { marketId, instrument, state } = trader;
  const market = worst.markets.get(marketId);
  const distance = balancesKnown ? liquidationDistance(worst, marketId) : undefined;
  const mark = state.markTicks * instrument.tickQuote;
  const away = distance?.side === "long" ? -1 : 1;
  const quote = (units: bigint | undefined): string => instrument.creditToDecimal(units ?? 0n);
  return {
    longBase: instrument.formatReportedAmount(market?.longLots ?? 0),
    shortBase: instrument.formatReportedAmount(-(market?.shortLots ?? 0) || 0),
    notionalQuote: quote(market?.notional),
    initialMarginQuote: quote(market?.initialMargin),
    maintenanceQuote: quote(market?.maintenance),
    toLiquidationBps: distance === undefined ? undefined : toBps(distance.fraction),
    liquidationPriceQuote:
      distance === undefined || !Number.isFinite(mark)
        ? undefined
        : Math.max(0, mark * (1 + away * distance.fraction)),
  };
}

/** The reference price, and what a wrong one could do. */
function explainReference(
  context: BotContext,
  trader: MarketTrader,
  planned: PlannedWorst,
  balancesKnown: boolean,
): ExplainedReference | undefined {
  const reference = readReference({ context }, trader);
  if (reference === undefined) return undefined;
  const { maxDeviationBps } = context.config.markets[trader.marketId]?.reference ?? {};
  const { length } = reference.sources;
  const { longBase, shortBase } = explainWorst(trader, planned, balancesKnown);
  return {
    ...reference,
    worst: [
      length === 1
        ? "it has one source: if that is wrong, the quotes follow it at once"
        : length === 2
          ? `two sources: if one is wrong by more than ${maxDeviationBps} bps, the market halts; within that, half of its error moves the quotes`
          : `${length} sources: one that is wrong by more than ${maxDeviationBps} bps is left out; more than half of them have to be wrong together to move the quotes further`,
      `quotes around a wrong price rest at most a tick before the other side's best price, and all of a side fills: long ${longBase} or short ${shortBase}`,
    ],
  };
}

function reasonsOf(
  context: BotContext,
  safety: TradingGuards,
  trader: MarketTrader,
  quotes: readonly ExplainedQuote[],
): readonly string[] {
  const reasons = [...findQuotingObstacles(context, safety, trader)];
  for (const { side, level, fate, why } of quotes)
    if (fate === "withheld") reasons.push(`${side} ${level} withheld: ${why}`);
  return reasons;
}
