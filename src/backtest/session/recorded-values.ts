import type { Instrument } from "../../core/instrument.js";
import type { Lots, Ticks } from "../../core/units.js";
import { gridCount } from "../../exchange/protocol/wire-parse.js";

/** A recorded price; NaN where there is none. */
export function parseTicks(instrument: Instrument, price: unknown): Ticks {
  return price === null || price === undefined
    ? Number.NaN
    : gridCount(String(price), instrument.tickSize, "price");
}

/**
 * An order that was placed on a finer grid may lie between whole lots, as between ticks, and so may
 * its trades.
 */
export function parseLots({ stepSize }: Instrument, amount: unknown): Lots {
  return gridCount(String(amount), stepSize, "amount");
}

/** A recorded text; undefined where there is none. */
export function parseText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
