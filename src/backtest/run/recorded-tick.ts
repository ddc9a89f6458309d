import { Decimal } from "decimal.js";
import type { MarketHistory } from "../engine/market-history.js";

/** So many prices tell a grid; fewer may lie on a coarser one by chance. */
const ENOUGH_PRICES = 100;

/**
 * Whether a market's rules have a finer tick than its recording: all prices of what is played first then lie on a coarser grid. Quotes between
 * recorded prices have nobody ahead of them in any queue, so such a run flatters. Undefined where the recording's prices need the tick, or are too few to tell.
 */
export function finerTickThanRecorded(history: MarketHistory): string | undefined {
  const { tickSize, columns } = pricesOf(history);
  let divisor = 0;
  let prices = 0;
  for (const column of columns) {
    for (const ticks of column) {
      divisor = greatestCommonDivisor(Math.abs(ticks), divisor);
      if (divisor === 1) return undefined;
    }
    prices += column.length;
  }
  if (prices < ENOUGH_PRICES || divisor === 0) return undefined;
  const recorded = new Decimal(tickSize).times(divisor).toFixed();
  return `a tick of ${tickSize} is finer than that of the recording, whose first ${prices} prices are all multiples of ${recorded}: a quote between two of them has nobody ahead of it, which flatters`;
}

function pricesOf(history: MarketHistory): { readonly tickSize: string; readonly columns: readonly Int32Array[] } {
  if (history.grade !== "klines") return { tickSize: history.tape.tickSize, columns: [history.tape.signedTicks] };
  const { tickSize, openTicks, highTicks, lowTicks, closeTicks } = history.klines;
  return { tickSize, columns: [openTicks, highTicks, lowTicks, closeTicks] };
}

function greatestCommonDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
