import type { Ms } from "../../core/units.js";
import type { BotContext } from "../engine/context.js";
import type { BotCommand } from "../engine/input.js";
import type { MarketTrader, WorkedTarget } from "../market/market-trader.js";

/** Pause between two slices. */
const SLICE_EVERY_MS: Ms = 1_000;
/** When flattening gives up; the remainder stays open and is reported. */
const FLATTEN_WITHIN_MS: Ms = 120_000;

/**
 * The target position that flattens a market, bounded by the requested slippage. Undefined if there
 * is no position to flatten, or no price to bound it by.
 */
export function flattenTarget(
  context: BotContext,
  trader: MarketTrader,
  command: Extract<BotCommand, { command: "flatten" }>,
): WorkedTarget | undefined {
  const positionLots = context.account.positionLots(trader.marketId);
  const bestBid = trader.book.bids.bestTicks;
  const bestAsk = trader.book.asks.bestTicks;
  if (positionLots === 0) return undefined;
  const touch = positionLots > 0 ? bestBid : bestAsk;
  if (!trader.book.isSynchronised || !Number.isFinite(touch)) {
    context.notify({
      kind: "log",
      level: "error",
      message: "cannot flatten: the book that bounds the price is missing",
      fields: { marketId: trader.marketId },
    });
    return undefined;
  }
  const slip = command.maxSlippageBps / 10_000;
  const worstTicks =
    positionLots > 0
      ? Math.max(trader.rules.minTicks, Math.ceil(touch * (1 - slip)))
      : Math.min(trader.rules.maxTicks, Math.floor(touch * (1 + slip)));
  const maxOrderLots =
    context.marketLimits.get(trader.marketId)?.maxOrderLots ?? trader.rules.maxLots;
  const fifth = Math.ceil(Math.abs(positionLots) / 5);
  const sliceLots = Math.min(
    maxOrderLots,
    trader.rules.maxLots,
    Math.max(trader.rules.minLots, command.sliceLots ?? fifth),
  );
  return {
    intent: {
      kind: "target",
      marketId: trader.marketId,
      viewSequence: trader.lastView?.sequence ?? 0,
      targetLots: 0,
      worstTicks,
      schedule: { sliceLots, everyMs: SLICE_EVERY_MS },
      deadlineMs: context.exchangeTime.nowMs() + FLATTEN_WITHIN_MS,
      reason: {
        fairTicks: (bestBid + bestAsk) / 2,
        reservationTicks: worstTicks,
        halfSpreadTicks: 0,
        terms: { positionLots, maxSlippageBps: command.maxSlippageBps },
        clamps: ["flatten by hand"],
      },
    },
    byOperator: true,
    lastSliceAtMs: undefined,
  };
}
