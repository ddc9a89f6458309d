import type { Lots, Ms, Ticks } from "../../core/units.js";
import type { BotContext } from "../engine/context.js";
import type { BotCommand } from "../engine/input.js";
import type { MarketTrader, WorkedTarget } from "../market/market-trader.js";

/** Pause between two slices. */
export const SLICE_EVERY_MS: Ms = 1_000;
/** When flattening gives up; the remainder stays open and is reported. */
export const FLATTEN_WITHIN_MS: Ms = 120_000;

/** A command that flattens. */
type FlattenCommand = Pick<
  Extract<BotCommand, { command: "flatten" }>,
  "maxSlippageBps" | "sliceLots"
>;

/** The bounds of the orders that flatten a market. */
interface FlattenBounds {
  /** Signed. */
  readonly positionLots: Lots;
  /** The best opposing price of the book, our own orders included. */
  readonly touchTicks: Ticks;
  /** No order is sent beyond it. */
  readonly worstTicks: Ticks;
  /** Largest single order. */
  readonly sliceLots: Lots;
}

/**
 * The bounds of a flatten now. `flat` without a position; `no-book` without a price to bound its
 * orders by.
 */
export function flattenBounds(
  { account, marketLimits }: BotContext,
  { marketId, book, rules }: MarketTrader,
  { maxSlippageBps, sliceLots }: FlattenCommand,
): FlattenBounds | "flat" | "no-book" {
  const positionLots = account.positionLots(marketId);
  if (positionLots === 0) return "flat";
  const touchTicks = positionLots > 0 ? book.bids.bestTicks : book.asks.bestTicks;
  if (!book.isSynchronised || !Number.isFinite(touchTicks)) return "no-book";
  const slip = maxSlippageBps / 10_000;
  const worstTicks =
    positionLots > 0
      ? Math.max(rules.minTicks, Math.ceil(touchTicks * (1 - slip)))
      : Math.min(rules.maxTicks, Math.floor(touchTicks * (1 + slip)));
  const maxOrderLots = marketLimits.get(marketId)?.maxOrderLots ?? rules.maxLots;
  const fifth = Math.ceil(Math.abs(positionLots) / 5);
  return {
    positionLots,
    touchTicks,
    worstTicks,
    sliceLots: Math.min(maxOrderLots, rules.maxLots, Math.max(rules.minLots, sliceLots ?? fifth)),
  };
}

/**
 * The target position that flattens a market, bounded by the requested slippage. Undefined if there
 * is no position to flatten, or no price to bound it by.
 */
export function flattenTarget(
  context: BotContext,
  trader: MarketTrader,
  command: FlattenCommand,
): WorkedTarget | undefined {
  const bounds = flattenBounds(context, trader, command);
  if (bounds === "flat") return undefined;
  if (bounds === "no-book") {
    context.notify({
      kind: "log",
      level: "error",
      message: "cannot flatten: the book that bounds the price is missing",
      fields: { marketId: trader.marketId },
    });
    return undefined;
  }
  const { positionLots, worstTicks, sliceLots } = bounds;
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
        fairTicks: (trader.book.bids.bestTicks + trader.book.asks.bestTicks) / 2,
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
