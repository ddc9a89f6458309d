import type { Ms } from "../core/units.js";
import type { BotContext } from "./context.js";
import type { Desk } from "./desk.js";
import type { BotCommand } from "./input.js";

/** Between two slices. */
const SLICE_EVERY_MS: Ms = 1_000;
/** When flattening gives up; what remains stays, and is told. */
const FLATTEN_WITHIN_MS: Ms = 120_000;

/** The target position that works a market to zero, bounded by the slippage asked for; undefined when there is nothing to work, or no price to bound it by. */
export function flattenTarget(
  context: BotContext,
  desk: Desk,
  command: Extract<BotCommand, { command: "flatten" }>,
): Desk["target"] {
  const positionLots = context.account.positionLots(desk.marketId);
  const bestBid = desk.book.bids.bestTicks;
  const bestAsk = desk.book.asks.bestTicks;
  if (positionLots === 0) return undefined;
  const touch = positionLots > 0 ? bestBid : bestAsk;
  if (!desk.book.synchronised || !Number.isFinite(touch)) {
    context.notify({
      kind: "log",
      level: "error",
      message: "cannot flatten without a book to bound the price by",
      fields: { marketId: desk.marketId },
    });
    return undefined;
  }
  const slip = command.maxSlippageBps / 10_000;
  const worstTicks =
    positionLots > 0
      ? Math.max(desk.rules.minTicks, Math.ceil(touch * (1 - slip)))
      : Math.min(desk.rules.maxTicks, Math.floor(touch * (1 + slip)));
  const maxOrderLots = context.marketLimits.get(desk.marketId)?.maxOrderLots ?? desk.rules.maxLots;
  const fifth = Math.ceil(Math.abs(positionLots) / 5);
  const sliceLots = Math.min(
    maxOrderLots,
    desk.rules.maxLots,
    Math.max(desk.rules.minLots, command.sliceLots ?? fifth),
  );
  return {
    intent: {
      kind: "target",
      marketId: desk.marketId,
      viewSequence: desk.lastView?.sequence ?? 0,
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
