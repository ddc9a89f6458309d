import type { AccountChange } from "../../account/account-change.js";
import type { CreditUnits, Lots, MarketId } from "../../core/units.js";
import { DEFAULT_UNWIND } from "../config/fields/unwind-fields.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader } from "../market/market-trader.js";
import { readUnwindMarket } from "./read-unwind-market.js";
import {
  computeRemainingLots,
  type TakeoverRecord,
  type TakeoverRegistry,
} from "./takeover-registry.js";
import { TakeoversWithoutReceipt } from "./takeovers-without-receipt.js";
import { decideUnwind, type UnwindWay } from "./unwind-decision.js";

const WAY_TEXT: Readonly<Record<UnwindWay, string>> = {
  here: "an acquired position is sold here and not hedged",
  hedge: "an acquired position is laid off at the hedge venue",
  both: "an acquired position is sold here and hedged meanwhile",
};

/**
 * The ways in which acquired positions of markets with a hedge are unwound: each is decided once,
 * logged, and kept with the takeover.
 */
export class UnwindWays {
  readonly #context: BotContext;
  readonly #registry: TakeoverRegistry;
  readonly #withoutReceipt = new TakeoversWithoutReceipt();

  constructor(context: BotContext, registry: TakeoverRegistry) {
    this.#context = context;
    this.#registry = registry;
  }

  /** A change of the account: the exchange may report a takeover before its receipt arrives. */
  onAccountChange(change: AccountChange): void {
    if (change.kind !== "liquidation") return;
    const { hedges, config, clock } = this.#context;
    const { marketId, lots, takeoverId, isTakenOver } = change;
    const hedged = hedges.get(marketId);
    if (hedged === undefined) return;
    if (takeoverId !== undefined) {
      // With lots, the exchange has not reported it yet.
      const received = this.#registry.get(takeoverId)?.takeover;
      if (received !== undefined && lots === 0)
        this.#withoutReceipt.received(marketId, received.lots);
      return;
    }
    const { layOff } = config.liquidator?.unwind ?? DEFAULT_UNWIND;
    if (isTakenOver !== true || layOff === "hedge") return;
    const untilMs = clock.monotonicMs() + hedged.config.maxUnhedgedMs;
    this.#withoutReceipt.reported(marketId, lots, untilMs);
  }

  /** Decides each open takeover of a market that has no decision yet. Returns the decided ones. */
  decide(trader: MarketTrader): readonly TakeoverRecord[] {
    const decided: TakeoverRecord[] = [];
    let aheadLots = 0;
    let undecidedLots = this.#undecidedLots(trader.marketId);
    for (const one of this.#registry.open(trader.marketId)) {
      if (isDue(one)) {
        const ownLots = computeRemainingLots(one);
        const pendingLayOffLots = this.#pendingLayOffLots(trader.marketId, undecidedLots);
        undecidedLots -= ownLots;
        if (this.#decideOne(trader, one, { aheadLots, pendingLayOffLots })) decided.push(one);
      }
      if (one.state === "open") aheadLots += computeRemainingLots(one);
    }
    return decided;
  }

  /**
   * Signed lots of a market that are not hedged: they are being sold here, or will be decided about
   * when their receipt arrives.
   */
  soldHereLots(marketId: MarketId): Lots {
    let lots = this.#withoutReceipt.lots(marketId, this.#context.clock.monotonicMs());
    for (const one of this.#registry.open(marketId))
      if (one.decision?.way === "here") lots += computeRemainingLots(one);
    return lots;
  }

  #undecidedLots(marketId: MarketId): Lots {
    return this.#registry
      .open(marketId)
      .filter(isDue)
      .reduce((sum, one) => sum + computeRemainingLots(one), 0);
  }

  /** Signed lots that wait for their hedge already: they take touch and margin there first. */
  #pendingLayOffLots(marketId: MarketId, undecidedLots: Lots): Lots {
    const notHedgedLots = this.soldHereLots(marketId) + undecidedLots;
    return this.#context.hedges.pendingLots(marketId, notHedgedLots);
  }

  #decideOne(
    trader: MarketTrader,
    one: TakeoverRecord,
    { aheadLots, pendingLayOffLots }: { aheadLots: Lots; pendingLayOffLots: Lots },
  ): boolean {
    const { hedges, config } = this.#context;
    const { marketId, instrument } = trader;
    const lots = computeRemainingLots(one);
    const terms = hedges.layOffTerms(marketId);
    const venue = hedges.get(marketId)?.venue;
    if (terms === undefined || venue === undefined || lots === 0) return false;
    const { decision, heldCredit } = decideUnwind({
      layOff: (config.liquidator?.unwind ?? DEFAULT_UNWIND).layOff,
      venue,
      terms,
      market: readUnwindMarket(this.#context, trader, aheadLots),
      pendingLayOffLots,
      lots,
      worstTicks: one.terms.worstTicks,
    });
    one.decision = decision;
    const { way, why, hereCost, layOffCost } = decision;
    if (way === "hedge" && heldCredit !== undefined)
      this.#registry.layOff(one, heldCredit - (layOffCost ?? 0n));
    const quote = (cost: CreditUnits | undefined): string | undefined =>
      cost === undefined ? undefined : instrument.creditToDecimal(cost);
    this.#context.notify({
      kind: "log",
      level: way === "both" ? "warn" : "info",
      message: WAY_TEXT[way],
      fields: {
        takeover: one.takeover.id,
        marketId,
        amountBase: instrument.formatAmount(lots),
        venue,
        why,
        hereCostQuote: quote(hereCost),
        layOffCostQuote: quote(layOffCost),
      },
    });
    return true;
  }
}

/** True for one to decide about. A failed settlement may have opened one that was laid off. */
function isDue({ decision, isUndone }: TakeoverRecord): boolean {
  return !isUndone && (decision === undefined || decision.way === "hedge");
}
