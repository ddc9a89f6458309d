import type { Lots } from "../../core/units.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import type { ExplainedUnwinding } from "./explanation.js";

/**
 * Remaining lots of a market's takeovers, the trajectory's target, and the next step; undefined if
 * nothing is being unwound.
 * @param blocks why the whole market is halted, for an unwinding that waits with it.
 */
export function explainUnwinding(
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
    instrument.amountOf(lots.reduce((total, one) => total + one, 0));
  return {
    state: worked?.state ?? "waiting",
    why: worked?.why ?? blocks[0] ?? "it is not planned yet",
    remainingBase: sum(takeovers.map(({ remainingLots }) => remainingLots)),
    allowedBase: sum(takeovers.map(({ allowedLots }) => allowedLots)),
    nextSliceAtMs: worked?.nextSliceAtMs,
    takeovers: takeovers.map(
      ({ takeoverId, remainingLots, allowedLots, worstTicks, nextStepAtMs, deadlineMs }) => ({
        takeoverId,
        remainingBase: instrument.amountOf(remainingLots),
        allowedBase: instrument.amountOf(allowedLots),
        worstPrice: instrument.priceOf(worstTicks),
        nextStepAtMs,
        deadlineMs,
      }),
    ),
  };
}
