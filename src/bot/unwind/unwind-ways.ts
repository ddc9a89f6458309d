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

  constructor(context: BotContext, registry: TakeoverRegistry) {
    this.#context = context;
    this.#registry = registry;
  }

  /** Decides each open takeover of a market that has no decision yet. Returns the decided ones. */
  decide(trader: MarketTrader): readonly TakeoverRecord[] {
    const decided: TakeoverRecord[] = [];
    let aheadLots = 0;
    for (const one of this.#registry.open(trader.marketId)) {
      // A settlement that failed may have opened one again that was laid off.
      const isDue = one.decision === undefined || one.decision.way === "hedge";
      if (isDue && !one.isUndone && this.#decideOne(trader, one, aheadLots)) decided.push(one);
      if (one.state === "open") aheadLots += computeRemainingLots(one);
    }
    return decided;
  }

  /** Signed lots of a market that are being sold here and are not hedged meanwhile. */
  soldHereLots(marketId: MarketId): Lots {
    let lots = 0;
    for (const one of this.#registry.open(marketId))
      if (one.decision?.way === "here") lots += computeRemainingLots(one);
    return lots;
  }

  #decideOne(trader: MarketTrader, one: TakeoverRecord, aheadLots: Lots): boolean {
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
