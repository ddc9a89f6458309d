import { describeThrown } from "../../core/describe-thrown.js";
import type { MarketId } from "../../core/units.js";
import { checkIntent, type IntentContext, type RefusedIntent } from "../../risk/check-intent.js";
import { copyIntent } from "../../risk/copy-intent.js";
import type { Intent } from "../../strategies/intent.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import type { StrategyListener } from "../strategy/strategy-session.js";
import { mapStrategyStack } from "../strategy/strategy-stack.js";
import type { BotContext } from "./context.js";
import type { StrategySignal } from "./input.js";
import type { TurnQueue } from "./turn-queue.js";

/**
 * Receives the output of all strategies. An accepted intent becomes that of its market. A strategy
 * that fails or ends halts its market.
 */
export class StrategySignals implements StrategyListener {
  readonly #context: BotContext;
  readonly #tradingGuards: TradingGuards;
  readonly #turns: TurnQueue;
  readonly #isReplay: boolean;

  /** @param isReplay true if a journal brings what strategies emit outside a turn. */
  constructor(context: BotContext, safety: TradingGuards, turns: TurnQueue, isReplay: boolean) {
    this.#context = context;
    this.#tradingGuards = safety;
    this.#turns = turns;
    this.#isReplay = isReplay;
  }

  emitted(marketId: MarketId, intent: Intent): void {
    this.#bring(marketId, { intent });
  }

  ended(marketId: MarketId, why: string, error?: { readonly thrown: unknown }): void {
    if (error !== undefined) {
      const stack = mapStrategyStack(error.thrown);
      this.#context.notify({ kind: "strategy-failed", marketId, why, stack });
    }
    this.#bring(marketId, { ended: why });
  }

  /** A signal inside a turn is part of that turn. Outside any, it is an input of its own. */
  #bring(marketId: MarketId, signal: StrategySignal): void {
    if (this.#turns.running) this.take(marketId, signal);
    else if (!this.#isReplay)
      this.#turns.accept({ kind: "strategy", marketId, signal: copySignal(signal) });
  }

  /** Handles a signal in its turn. */
  take(marketId: MarketId, signal: StrategySignal): void {
    if ("intent" in signal) return this.#intent(marketId, signal.intent);
    if ("unreadable" in signal) {
      const why = signal.unreadable;
      return this.#refuse(marketId, { refusal: "malformed", why, isBroken: true });
    }
    this.#end(marketId, signal.ended);
  }

  #end(marketId: MarketId, why: string): void {
    this.#context.traders.get(marketId)?.disconnect();
    this.#tradingGuards.haltMarket(marketId, "strategy-error", why);
  }

  /** The limits of a market have changed: its intent is cut again, from what was emitted. */
  recheck(trader: MarketTrader): void {
    const { submitted } = trader;
    if (submitted === undefined) return;
    const verdict = checkIntent(submitted, intentContextFor(this.#context, trader));
    if (verdict.accepted) trader.replaceIntent(verdict.intent, submitted);
  }

  #intent(marketId: MarketId, intent: Intent): void {
    const { notify, traders } = this.#context;
    const trader = traders.get(marketId);
    if (trader === undefined) return;
    const verdict = checkIntent(intent, intentContextFor(this.#context, trader));
    if (!verdict.accepted) return this.#refuse(marketId, verdict);
    const { intent: taken, clips } = verdict;
    // Other limits may come that cut less. The strategy may change its object until then.
    if (clips === undefined) trader.acceptIntent(taken);
    else trader.acceptIntent(taken, copyIntent(intent));
    notify(
      clips === undefined
        ? { kind: "intent", intent: taken }
        : { kind: "intent", intent: taken, clips },
    );
  }

  #refuse(marketId: MarketId, { refusal, why, isBroken }: Omit<RefusedIntent, "accepted">): void {
    const { notify, traders } = this.#context;
    notify({ kind: "intent-refused", marketId, refusal, why });
    if (isBroken) {
      const broken = `strategy emitted an invalid intent: ${why}`;
      notify({ kind: "strategy-failed", marketId, why: broken, stack: undefined });
      return this.#end(marketId, broken);
    }
    // An intent for an older view is late, not wrong. Any other refusal cancels the current quotes.
    if (refusal !== "older-view") traders.get(marketId)?.refuseIntent(`${refusal}: ${why}`);
  }
}

/** The state of a market that its intents are checked against. */
export function intentContextFor(
  { account, hedges, marketLimits }: Pick<BotContext, "account" | "hedges" | "marketLimits">,
  trader: MarketTrader,
): IntentContext {
  const { marketId } = trader;
  const limits = marketLimits.get(marketId);
  return {
    marketId,
    rules: trader.rules,
    newestViewSequence: trader.newestViewSequence,
    lastAcceptedViewSequence: trader.acceptedViewSequence,
    maxOrderLots: limits?.maxOrderLots,
    maxPositionLots: limits?.maxPositionLots,
    positionLots: hedges.netLots(marketId) ?? account.positionLots(marketId),
    amountOf: trader.amountOf,
  };
}

/** A copy for the queued turn: the strategy may change its object before that turn runs. */
function copySignal(signal: StrategySignal): StrategySignal {
  if (!("intent" in signal)) return signal;
  try {
    return { intent: copyIntent(signal.intent) };
  } catch (error) {
    return { unreadable: `the intent cannot be read: ${describeThrown(error)}` };
  }
}
