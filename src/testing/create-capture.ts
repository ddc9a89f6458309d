import { ConfigError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { Ms, Side } from "../core/units.js";
import { LEAST_TICKS, MOST_TICKS } from "../history/columns/tape/tape.js";
import { TapeBuilder } from "../history/columns/tape/tape-builder.js";
import { addMessage, Capture, type CaptureMessage } from "./capture.js";
import type { PlainLevel } from "./make-view.js";
import { amountToLots, priceToTicks, TEST_INSTRUMENT } from "./test-instrument.js";

/** The whole book at an instant. */
export interface PlainBook {
  /** Exchange time, milliseconds since 1970. */
  readonly timeMs: Ms;
  /** Price in quote and amount in base of each level. */
  readonly bids: readonly PlainLevel[];
  /** Price in quote and amount in base of each level. */
  readonly asks: readonly PlainLevel[];
}

/** A public trade. */
export interface PlainTrade {
  /** Exchange time, milliseconds since 1970. */
  readonly timeMs: Ms;
  /** `BUY` if the taker bought. */
  readonly takerSide: Side;
  /** Quote. */
  readonly price: number;
  /** Base. */
  readonly amount: number;
}

/** Options of {@link createCapture}. */
export interface CreateCaptureOptions {
  /** {@link TEST_INSTRUMENT} if absent. */
  readonly instrument?: Instrument;
  /** Time from the exchange to the recorder; 1 ms if absent. */
  readonly latencyMs?: Ms;
}

/**
 * Makes a capture of records in plain numbers, in any order.
 * @throws ConfigError naming the record, for a price off the tick or an amount off the step
 * @example
 * ```ts
 * import { createCapture } from "marketwright/testing";
 *
 * const capture = createCapture([
 *   { timeMs: 1_000, bids: [[59_999.9, 1]], asks: [[60_000.1, 1]] },
 *   { timeMs: 1_500, takerSide: "SELL", price: 59_999.9, amount: 0.4 },
 *   { timeMs: 1_500, bids: [[59_999.9, 0.6]], asks: [[60_000.1, 1]] },
 * ]);
 * [...capture.messages()].map(({ kind }) => kind); // => ["snapshot", "trade", "snapshot"]
 * createCapture([{ timeMs: 1, takerSide: "BUY", price: 1.05, amount: 1 }]); // throws ConfigError
 * ```
 */
export function createCapture(
  records: readonly (PlainBook | PlainTrade)[],
  { instrument = TEST_INSTRUMENT, latencyMs = 1 }: CreateCaptureOptions = {},
): Capture {
  const builder = new TapeBuilder(instrument);
  for (const [at, record] of records.entries()) {
    const exchangeUs = record.timeMs * 1000;
    if (!Number.isSafeInteger(exchangeUs) || exchangeUs < 0)
      throw new ConfigError("is not a time", {
        field: `records.${at}.timeMs`,
        value: record.timeMs,
        expected: "milliseconds since 1970",
      });
    const rows =
      "takerSide" in record
        ? [
            {
              side: record.takerSide,
              ticks: priceToTicks(record.price, instrument, `records.${at}.price`),
              lots: amountToLots(record.amount, instrument, `records.${at}.amount`),
            },
          ]
        : bookRows(record, instrument, `records.${at}`);
    const message: CaptureMessage = {
      kind: "takerSide" in record ? "trade" : "snapshot",
      exchangeUs,
      receivedUs: exchangeUs + latencyMs * 1000,
      rows,
    };
    addMessage(builder, message);
  }
  return new Capture(instrument, builder.build());
}

/** The levels, and the deletion of every other one: a record holds the whole book. */
function bookRows(
  { bids, asks }: PlainBook,
  instrument: Instrument,
  field: string,
): CaptureMessage["rows"] {
  const levels = (side: Side, given: readonly PlainLevel[], name: string) =>
    given.map(([price, amount], at) => ({
      side,
      ticks: priceToTicks(price, instrument, `${field}.${name}.${at}`),
      lots: amountToLots(amount, instrument, `${field}.${name}.${at}`),
    }));
  return [
    { side: "BUY", ticks: LEAST_TICKS, lots: 0 },
    { side: "SELL", ticks: MOST_TICKS, lots: 0 },
    ...levels("BUY", bids, "bids"),
    ...levels("SELL", asks, "asks"),
  ];
}
