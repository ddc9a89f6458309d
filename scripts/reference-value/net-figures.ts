import { type Ms, sideSign } from "#core/units.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { CapturedPrice } from "./captured-price.js";

/** A fill of one leg. */
export interface LegFill {
  readonly timeMs: Ms;
  /** 1 of a purchase, -1 of a sale. */
  readonly sign: number;
  readonly base: number;
  /** In quote units per base unit. */
  readonly price: number;
  /** Paid; negative for a rebate. In quote units. */
  readonly fee: number;
  readonly orderId: string;
}

/** Figures of a position and its hedge together, at the captured mid. Money is in quote units. */
export interface NetFigures {
  readonly netProfit: number;
  /** Largest fall of the profit from an earlier peak. */
  readonly drawdown: number;
  /** Largest net position without its sign, in base units. */
  readonly netLargestBase: number;
  /** Mean over time of the net position without its sign, in base units. */
  readonly netMeanBase: number;
  /** Orders of the hedge that were filled. */
  readonly hedges: number;
  readonly hedgeFees: number;
}

/** How often the profit is valued for its drawdown, besides at the end. */
const VALUED_EVERY_MS: Ms = 100;

/** The fills of an account, oldest first. */
export function readFills(
  exchange: EmbeddedExchange,
  address: string,
  marketId: string,
): readonly LegFill[] {
  const { instrument } = exchange.market(marketId);
  const records = exchange.account(address)?.markets.get(marketId)?.trades;
  const unit = 10 ** exchange.config.creditDecimals;
  return [...(records?.page({ limit: Number.MAX_SAFE_INTEGER }) ?? [])].map(
    ({ trade, isBuyer, commission, orderId }) => ({
      timeMs: trade.timeMs,
      sign: sideSign(isBuyer ? "BUY" : "SELL"),
      base: trade.lots * instrument.lotBase,
      price: trade.ticks * instrument.tickQuote,
      fee: Number(commission) / unit,
      orderId: `${orderId}`,
    }),
  );
}

/**
 * Computes the figures of a market's fills and its hedge's fills, from a flat beginning.
 * @param startMs time of the captured price's beginning
 */
export function toNetFigures(
  fills: readonly LegFill[],
  hedgeFills: readonly LegFill[],
  price: CapturedPrice,
  startMs: Ms,
  runMs: Ms,
): NetFigures {
  const both = [...fills, ...hedgeFills].sort((one, other) => one.timeMs - other.timeMs);
  let [cash, base, at, largest, held, heldFromMs] = [0, 0, 0, 0, 0, 0];
  const applyUntil = (sinceStartMs: Ms): void => {
    for (; at < both.length; at += 1) {
      const fill = both[at] as LegFill;
      const fillMs = fill.timeMs - startMs;
      if (fillMs > sinceStartMs) break;
      held += Math.abs(base) * (fillMs - heldFromMs);
      heldFromMs = fillMs;
      cash -= fill.sign * fill.base * fill.price + fill.fee;
      base += fill.sign * fill.base;
      largest = Math.max(largest, Math.abs(base));
    }
  };
  let [profit, peak, drawdown] = [0, 0, 0];
  for (let nowMs = 0; nowMs <= runMs; nowMs += VALUED_EVERY_MS) {
    applyUntil(nowMs);
    profit = cash + base * price.midAt(nowMs);
    peak = Math.max(peak, profit);
    drawdown = Math.max(drawdown, peak - profit);
  }
  held += Math.abs(base) * (runMs - heldFromMs);
  return {
    netProfit: profit,
    drawdown,
    netLargestBase: largest,
    netMeanBase: held / runMs,
    hedges: new Set(hedgeFills.map(({ orderId }) => orderId)).size,
    hedgeFees: hedgeFills.reduce((sum, { fee }) => sum + fee, 0),
  };
}
