import { halfTickLotIn } from "../../account/markouts/half-tick-lot.js";
import { MARKOUT_SECONDS, type MarkoutGroup } from "../../account/markouts/markouts.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { MarketId, Side } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";

/** The markout of a group of fills at one horizon, in `status`. */
export interface MarkoutStatus {
  readonly side: Side | "both";
  /** 0: the innermost quote; 15: that one and all beyond; -1: no quote of the strategy's. */
  readonly level: number | "all";
  readonly horizonMs: number;
  /** Fills whose markout at this horizon is known. */
  readonly fills: number;
  /** The mid at the horizon against the fill price, times the amount; above zero is a gain. */
  readonly quote: string;
  /** The same as a share of the value of these fills, in basis points. */
  readonly bps: number;
}

/** Most turns change no markout: their status has the rows of the one before. */
const rowsOf = new WeakMap<readonly MarkoutGroup[], readonly MarkoutStatus[]>();

/** Markouts of one market since the start, by side and level: only horizons with a fill. */
export function listMarkouts({ context }: Bot, marketId: MarketId): readonly MarkoutStatus[] {
  const { statistics, traders, account } = context;
  const instrument = traders.get(marketId)?.instrument;
  const groups = statistics.market(marketId)?.markouts();
  if (instrument === undefined || groups === undefined) return [];
  const known = rowsOf.get(groups);
  if (known !== undefined) return known;
  // The scale of a profit has decimals enough for half a tick of one lot.
  const { decimals } = account.profit(marketId);
  const halfTickLot = halfTickLotIn(instrument, decimals);
  const rows = groups.flatMap(({ side, level, horizons }) =>
    horizons.flatMap((markout, index): MarkoutStatus[] => {
      if (markout === undefined) return [];
      const { sum, notional, count } = markout;
      return [
        {
          side: side === "BOTH" ? "both" : side,
          level: level === "ALL" ? "all" : level,
          horizonMs: 1000 * (MARKOUT_SECONDS[index] as number),
          fills: count,
          quote: scaledToDecimal(BigInt(Math.round(sum)) * halfTickLot, decimals),
          bps: notional === 0 ? 0 : Math.round((1e8 * sum) / notional) / 1e4,
        },
      ];
    }),
  );
  rowsOf.set(groups, rows);
  return rows;
}
