import type { MarketId } from "../../core/units.js";
import { DAY_MS, startOfDay } from "../day.js";
import { LEAST_TICKS, MOST_TICKS, type Tape } from "./tape.js";
import { TapeBuilder } from "./tape-builder.js";
import type { Steps } from "./tape-grid.js";
import type { SourceDay } from "./tape-source.js";

/** What {@link nothingKnown} takes. */
export const NOTHING_KNOWN = { messages: 1, rows: 2 } as const;

/**
 * Whether a day's book goes on, without a whole one at its beginning, from a book that is older than the day before: what stood then says nothing
 * of what stands now, and would be taken for liquidity.
 * @param before the last day before it that has a book
 */
export function isLost(day: SourceDay, before: SourceDay | undefined): boolean {
  if (before === undefined || day.input.book === undefined || day.tape.footer.beginsWhole) return false;
  return startOfDay(day.input.day) - startOfDay(before.input.day) > DAY_MS;
}

/** A day's first message where the book is lost: a whole book of nothing, heard as the day begins. */
export function nothingKnown(marketId: MarketId, { tickSize, stepSize }: Steps, { input }: SourceDay): Tape {
  const us = startOfDay(input.day) * 1000;
  return new TapeBuilder({ marketId, tickSize, stepSize })
    .snapshot(us, us)
    .level("BUY", LEAST_TICKS, 0)
    .level("SELL", MOST_TICKS, 0)
    .build();
}
