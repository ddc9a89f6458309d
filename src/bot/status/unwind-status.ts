import type { CreditUnits, Lots, MarketId } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";
import type { RunningLiquidator } from "../run/run-liquidator.js";
import type { UnwindDecision, UnwindWay } from "../unwind/unwind-decision.js";
import type { UnwindReport, UnwindState } from "../unwind/unwind-report.js";
import { quoteText } from "./quote-text.js";

/** A takeover and its unwinding, in base and quote. */
export interface UnwindStatus {
  readonly takeoverId: string;
  readonly marketId: MarketId;
  readonly state: UnwindState;
  readonly inheritedBase: string;
  readonly soldBase: string;
  readonly remainingBase: string;
  /**
   * Takeover, fills and fees so far, plus the remainder at its mark; undefined while that is not
   * known.
   */
  readonly earnedQuote: string | undefined;
  /**
   * Whose mark that is: for a bot that liquidates, the worse of the exchange's and the chain's.
   * Undefined if nothing remains.
   */
  readonly restBy: "exchange" | "chain" | undefined;
  readonly deadlineMs: number;
  /** How it is unwound, where the market has a hedge. */
  readonly decision?: UnwindDecisionStatus;
  /**
   * Only for an open one: the amount that may be held now, signed, the worst price of its orders,
   * and when less may be held.
   */
  readonly trajectory?: {
    readonly allowedBase: string;
    readonly worstPrice: string;
    readonly nextStepAtMs: number | undefined;
  };
}

/** The decision between selling an acquired position here and laying it off. */
export interface UnwindDecisionStatus {
  /** Sold here; laid off at the hedge venue; or sold here and hedged meanwhile. */
  readonly way: UnwindWay;
  readonly venue: string;
  readonly why: string;
  /** Costs of both ways when it was decided; undefined if not known. */
  readonly hereCostQuote: string | undefined;
  readonly layOffCostQuote: string | undefined;
}

/** A decision with its costs in quote. */
export function toUnwindDecisionStatus(
  { way, venue, why, hereCost, layOffCost }: UnwindDecision,
  quote: (credit: CreditUnits) => string,
): UnwindDecisionStatus {
  return {
    way,
    venue,
    why,
    hereCostQuote: hereCost === undefined ? undefined : quote(hereCost),
    layOffCostQuote: layOffCost === undefined ? undefined : quote(layOffCost),
  };
}

/** The present status of a takeover's sale. */
export function buildUnwindStatus(
  bot: Bot,
  report: UnwindReport,
  running: RunningLiquidator | undefined,
): UnwindStatus {
  const {
    takeoverId,
    marketId,
    state,
    acquiredCredit,
    proceedsCredit,
    feesCredit,
    markCredit,
    remainingLots,
    deadlineMs,
  } = report;
  const rest = remainingLots === 0 ? undefined : running?.unsoldValue(marketId, remainingLots);
  const restCredit = rest?.credit ?? markCredit;
  const trader = bot.context.traders.get(marketId);
  const base = (lots: Lots): string => trader?.instrument.formatAmount(lots) ?? String(lots);
  const at = bot.liquidatedInventory
    .trajectories(marketId)
    .find((one) => one.takeoverId === takeoverId);
  const trajectory =
    at === undefined || trader === undefined
      ? undefined
      : {
          allowedBase: base(at.allowedLots),
          worstPrice: trader.instrument.formatPrice(at.worstTicks),
          nextStepAtMs: at.nextStepAtMs,
        };
  return {
    takeoverId,
    marketId,
    state,
    inheritedBase: base(report.acquiredLots),
    soldBase: base(report.soldLots),
    remainingBase: base(remainingLots),
    earnedQuote:
      restCredit === undefined
        ? undefined
        : quoteText(bot, acquiredCredit + proceedsCredit - feesCredit + restCredit),
    restBy: rest?.by,
    deadlineMs,
    ...(report.decision === undefined
      ? {}
      : { decision: toUnwindDecisionStatus(report.decision, (credit) => quoteText(bot, credit)) }),
    ...(trajectory === undefined ? {} : { trajectory }),
  };
}
