import { z } from "zod";
import type { Instrument } from "../core/instrument.js";
import type { VenueBar } from "./records.js";
import { parseWire } from "./wire-parse.js";
import { msSchema, unsignedDecimalSchema } from "./wire-schemas.js";

const barsSchema = z.array(
  z.looseObject({
    time: msSchema,
    open: unsignedDecimalSchema,
    close: unsignedDecimalSchema,
    high: unsignedDecimalSchema,
    low: unsignedDecimalSchema,
    volume: unsignedDecimalSchema,
  }),
);

/**
 * Candles of trades (specification, "Kline") on the market's grid.
 * @param where names the place for errors.
 * @throws FormatError for what is no list of candles, or a price or volume off the grid.
 */
export function decodeKlines(value: unknown, instrument: Instrument, where: string): readonly VenueBar[] {
  return parseWire(barsSchema, value, where).map((bar) => ({
    startMs: bar.time,
    openTicks: instrument.ticksOf(bar.open),
    closeTicks: instrument.ticksOf(bar.close),
    highTicks: instrument.ticksOf(bar.high),
    lowTicks: instrument.ticksOf(bar.low),
    lots: instrument.lotsOf(bar.volume),
  }));
}
