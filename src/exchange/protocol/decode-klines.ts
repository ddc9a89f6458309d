import { z } from "zod";
import type { Instrument } from "../../core/instrument.js";
import type { Ticks } from "../../core/units.js";
import type { VenueBar } from "../records.js";
import { klineFields } from "./market-data.js";
import { TEXT } from "./values.js";
import { gridCount, parseWire, priceTicks } from "./wire-parse.js";

const barsSchema = z.array(z.object(klineFields(TEXT)).omit({ quote_volume: true }));

/**
 * Candles of trades (specification, "Kline") on the market's grid; where orders of a finer one traded, at the nearest ticks, and of the volume the
 * whole lots.
 * @param where names the place for errors.
 * @throws FormatError for what is no list of candles.
 */
export function decodeKlines(
  value: unknown,
  instrument: Instrument,
  where: string,
): readonly VenueBar[] {
  const nearest = (price: string): Ticks =>
    Math.max(1, Math.round(priceTicks(price, instrument, where)));
  return parseWire(barsSchema, value, where).map((bar) => ({
    startMs: bar.time,
    openTicks: nearest(bar.open),
    closeTicks: nearest(bar.close),
    highTicks: nearest(bar.high),
    lowTicks: nearest(bar.low),
    lots: Math.floor(gridCount(bar.volume, instrument.stepSize, where)),
  }));
}
