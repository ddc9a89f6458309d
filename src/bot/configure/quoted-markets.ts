import type { MarketId } from "../../core/units.js";
import type { Plan } from "../../executor/plan.js";
import { checkIntent } from "../../risk/check-intent.js";
import type { QuotesIntent } from "../../strategies/intent.js";
import type { Bot } from "../engine/bot.js";
import { marketLimitsOf } from "../engine/configuration.js";
import type { BotContext } from "../engine/context.js";
import { viewInputsFor } from "../engine/decision-scheduler.js";
import { intentContextFor } from "../engine/strategy-signals.js";
import { findOrdersOverLimits } from "../execution/orders-over-limits.js";
import { explainQuotes } from "../explain/explain-quotes.js";
import { plannedWorst } from "../explain/explain-worst.js";
import type { MarketTrader } from "../market/market-trader.js";
import { quotingStatusFor } from "../market/quoting-status.js";
import { accountLimitsFor } from "../safety/configured-limits.js";
import type { QuotedMarket } from "./config-difference.js";
import type { PreparedChange } from "./prepare-change.js";

/** The quotes of every market of a bot. */
export type QuotedMarkets = Readonly<Record<MarketId, QuotedMarket>>;

/** A plan with the intent that it is for. */
interface MarketPlan {
  readonly plan: Plan | undefined;
  readonly intent: QuotesIntent | undefined;
  readonly reasons: readonly string[];
}

/** Lists the quotes of every market by its newest plan, as `explain` would show it. */
export function quotedMarkets({ context, tradingGuards }: Bot): QuotedMarkets {
  return explainPlans(context, (trader) => ({
    plan: trader.plan,
    intent: trader.quotes,
    reasons: quotingStatusFor(context, tradingGuards, trader).reasons,
  }));
}

/** Lists the quotes that every market would have after a change; it changes nothing. */
export function previewMarkets(bot: Bot, change: PreparedChange): QuotedMarkets {
  const { context } = bot;
  const { config } = change;
  const changed: BotContext = {
    ...context,
    config,
    marketLimits: marketLimitsOf({ config, traderList: context.traderList }),
    accountLimits: accountLimitsFor(config, context.rules.creditDecimals),
  };
  const over = findOrdersOverLimits(changed, context);
  const plans = new Map(
    context.traderList.map((trader) => {
      const overLimit = over.get(trader.marketId) ?? new Map();
      return [trader, previewPlan(bot, changed, trader, { change, overLimit })];
    }),
  );
  return explainPlans(changed, (trader) => plans.get(trader) ?? NO_PLAN);
}

const NO_PLAN: MarketPlan = { plan: undefined, intent: undefined, reasons: [] };

function previewPlan(
  bot: Bot,
  changed: BotContext,
  trader: MarketTrader,
  {
    change,
    overLimit,
  }: { readonly change: PreparedChange; readonly overLimit: MarketTrader["overLimit"] },
): MarketPlan {
  const reasons = [...quotingStatusFor(bot.context, bot.tradingGuards, trader).reasons];
  const present = { plan: trader.plan, intent: trader.quotes, reasons };
  if (trader.target !== undefined || trader.unwind !== undefined) return present;
  const rebound = change.strategies.get(trader.marketId);
  const limit = changed.marketLimits.get(trader.marketId)?.maxPositionLots;
  const maxPositionLots = limit ?? Number.POSITIVE_INFINITY;
  const isAsked =
    trader.running &&
    trader.strategy !== undefined &&
    (rebound !== undefined ||
      (trader.isStrategyFollowing && maxPositionLots !== trader.maxPositionLots));
  const preview =
    isAsked && trader.strategy !== undefined
      ? trader.preview(
          rebound ?? trader.strategy,
          viewInputsFor(bot.context, trader),
          maxPositionLots,
        )
      : undefined;
  if (preview?.problem !== undefined) reasons.push(`the strategy fails: ${preview.problem}`);
  const wanted = preview?.intent ?? (preview?.isFromStart === true ? undefined : trader.submitted);
  if (wanted === undefined) {
    const plan = bot.previewPlan(trader, { quotes: [], config: changed.config.quotes, overLimit });
    return { plan, intent: undefined, reasons };
  }
  const verdict = checkIntent(wanted, intentContextFor(changed, trader));
  if (!verdict.accepted) {
    reasons.push(`${verdict.refusal}: ${verdict.why}`);
    const plan = bot.previewPlan(trader, { quotes: [], config: changed.config.quotes, overLimit });
    return { plan, intent: undefined, reasons };
  }
  const { intent } = verdict;
  // A target is worked slice by slice: its plan of now says nothing about quotes.
  if (intent.kind !== "quotes") return present;
  const { quotes } = intent;
  const plan = bot.previewPlan(trader, { quotes, config: changed.config.quotes, overLimit });
  return { plan, intent, reasons };
}

function explainPlans(
  context: BotContext,
  planFor: (trader: MarketTrader) => MarketPlan,
): QuotedMarkets {
  const { account, traderList } = context;
  const plans = new Map(traderList.map((trader) => [trader, planFor(trader)]));
  const { refusals } = plannedWorst(
    context,
    account.equity !== undefined,
    (trader) => plans.get(trader)?.plan,
  );
  return Object.fromEntries(
    traderList.map((trader): [MarketId, QuotedMarket] => {
      const { plan, intent, reasons } = plans.get(trader) ?? NO_PLAN;
      const quotes = explainQuotes(context, trader, {
        plan,
        refusals,
        midTicks: trader.netMidTicks,
        reason: intent?.reason,
      });
      return [
        trader.marketId,
        {
          quotes: quotes.map(({ side, level, price, amountBase, fromMidBps, fate, why }) => ({
            side,
            level,
            price,
            amountBase,
            fromMidBps,
            fate,
            why,
          })),
          cancels: plan?.cancels.length ?? 0,
          reasons,
        },
      ];
    }),
  );
}
