import { z } from "zod";
import type { Instrument } from "../../core/instrument.js";
import { type MarketId, roundAwayFromTouch, type Ticks } from "../../core/units.js";
import type { VenueBar } from "../records.js";
import type { VenueEvent } from "../venue.js";
import { klineFields, publicTradeFields } from "./market-data.js";
import { marketFiguresFields } from "./stream.js";
import { TEXT } from "./values.js";
import { gridCount, parseWire, priceTicks, toCreditUnits } from "./wire-parse.js";

const publicTradeSchema = z
  .object(publicTradeFields(TEXT))
  .omit({ quoteAmount: true, status: true });
const marketStateSchema = z
  .object(marketFiguresFields(TEXT))
  .pick({ fundingRate: true, nextFundingTime: true, markPrice: true, indexPrice: true });

const barsSchema = z.array(z.object(klineFields(TEXT)).omit({ quote_volume: true }));

/**
 * Decodes candles of trades (docs/reference/exchange-interface.md#candle-fields) to the market's
 * grid; where orders of a finer one traded, at the nearest ticks, and of the volume the whole lots.
 * @param where names the place for errors.
 * @throws FormatError for what is no list of candles.
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { decodeKlines } from "marketwright/exchange";
 *
 * const btc = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * const wire = [
 *   {
 *     time: 1_700_000_000_000,
 *     open: "30000",
 *     close: "30001.5",
 *     high: "30002",
 *     low: "29999.9",
 *     volume: "1.5",
 *   },
 * ];
 * const [bar] = decodeKlines(wire, btc, "klines");
 * [bar?.openTicks, bar?.closeTicks, bar?.lots]; // => [300_000, 300_015, 1500]
 * ```
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

/** Decodes a frame of a trades stream; no event if less than a lot traded. @throws FormatError */
export function publicTradeEvents(
  instrument: Instrument,
  data: Readonly<Record<string, unknown>>,
  withLongIds: () => Readonly<Record<string, unknown>>,
  where: string,
): readonly VenueEvent[] {
  // Plain JSON.parse rounds an id past 2^53. Only then is the frame parsed again with all digits.
  const isRounded = typeof data.id === "number" && !Number.isSafeInteger(data.id);
  const { id, price, amount, time, isBuyerMaker } = parseWire(
    publicTradeSchema,
    isRounded ? withLongIds() : data,
    where,
  );
  // A trade of an order from a finer grid counts at the tick where the book has that order, and in
  // whole lots.
  const ticks = roundAwayFromTouch(
    isBuyerMaker ? "BUY" : "SELL",
    priceTicks(price, instrument, `${where}.price`),
  );
  const lots = Math.floor(gridCount(amount, instrument.stepSize, `${where}.amount`));
  if (ticks === 0 || lots === 0) return [];
  return [
    {
      type: "public-trade",
      marketId: instrument.marketId,
      id,
      ticks,
      lots,
      timeMs: time,
      isBuyerMaker,
    },
  ];
}

/** Decodes a frame of a market stream. @throws FormatError */
export function marketStateEvents(
  marketId: MarketId,
  data: unknown,
  creditDecimals: number,
  where: string,
): readonly VenueEvent[] {
  const state = parseWire(marketStateSchema, data, where);
  return [
    {
      type: "market-state",
      marketId,
      mark: toCreditUnits(state.markPrice, creditDecimals, `${where}.markPrice`),
      index: toCreditUnits(state.indexPrice, creditDecimals, `${where}.indexPrice`),
      fundingRate: Number(state.fundingRate),
      nextFundingMs: state.nextFundingTime,
    },
  ];
}
