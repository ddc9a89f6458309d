import { ConfigError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { Random } from "../core/runtime/runtime.js";
import { seededRandom } from "../core/runtime/seeded-random.js";
import type { Lots, Ms, Side, Ticks } from "../core/units.js";
import { TapeBuilder } from "../history/columns/tape/tape-builder.js";
import { addMessage, Capture } from "./capture.js";
import { TEST_START_MS } from "./make-view.js";
import { priceToTicks, TEST_INSTRUMENT } from "./test-instrument.js";

/** Options of {@link generateCapture}. */
export interface GenerateCaptureOptions {
  readonly seconds: number;
  /** The same seed gives the same bytes; `1` if absent. */
  readonly seed?: string | number;
  /** {@link TEST_INSTRUMENT} if absent. */
  readonly instrument?: Instrument;
  /** Milliseconds since 1970; {@link TEST_START_MS} if absent. */
  readonly startMs?: Ms;
  /** First mid in quote; 60000 if absent. */
  readonly midPrice?: number;
}

/** The market changes this often. */
const STEP_MS = 100;
const LEVELS = 5;
/** A touch of this many ticks from the mid on each side. */
const HALF_SPREAD_TICKS = 1;
/** The mid moves by at most this many ticks in a step. */
const MOST_STEP_TICKS = 3;
const TRADE_CHANCE = 0.7;
/** A trade reaches beyond the touch by so much on average, exponentially distributed. */
const MEAN_REACH_TICKS = 6;
const MOST_LEVEL_LOTS = 40;
const MOST_TRADE_LOTS = 60;
/** The walk turns here. */
const LEAST_MID_TICKS = 2 * (LEVELS + HALF_SPREAD_TICKS);
/** Times from the exchange to the recorder. */
const BOOK_LATENCY_US = 2_000;
const TRADE_LATENCY_US = 3_000;

/**
 * Generates a seeded market: a random walk of the mid with five levels on each side, ten changes
 * and about seven trades a second. It is for tests and examples. A profit on it means nothing.
 * @throws ConfigError for a span that is not positive, or a price off the grid
 * @example
 * ```ts
 * import { generateCapture } from "marketwright/testing";
 *
 * const capture = generateCapture({ seconds: 10, seed: 7 });
 * capture.toMs - capture.fromMs; // => 9_900
 * [...capture.messages()].some(({ kind }) => kind === "trade"); // => true
 * generateCapture({ seconds: 0 }); // throws ConfigError
 * ```
 */
export function generateCapture(options: GenerateCaptureOptions): Capture {
  const { seconds, seed = 1, instrument = TEST_INSTRUMENT, startMs = TEST_START_MS } = options;
  if (!(seconds > 0 && Number.isFinite(seconds)))
    throw new ConfigError("is not a duration", {
      field: "seconds",
      value: seconds,
      expected: "seconds above 0",
    });
  const random = seededRandom(`capture ${seed}`);
  const builder = new TapeBuilder(instrument);
  let mid = priceToTicks(options.midPrice ?? 60_000, instrument, "midPrice");
  let before: Row[] = [];
  const steps = Math.max(1, Math.floor((seconds * 1000) / STEP_MS));
  for (let step = 0; step < steps; step++) {
    const exchangeUs = (startMs + step * STEP_MS) * 1000;
    const move = Math.round((random.uniform() - 0.5) * 2 * MOST_STEP_TICKS);
    if (step > 0 && random.uniform() < TRADE_CHANCE) {
      const side = move > 0 ? "BUY" : "SELL";
      const reach = -Math.log(1 - random.uniform()) * MEAN_REACH_TICKS;
      const away = HALF_SPREAD_TICKS + Math.floor(reach);
      const ticks = Math.max(1, mid + (side === "BUY" ? away : -away));
      const rows = [{ side, ticks, lots: upTo(MOST_TRADE_LOTS, random) } as const];
      const receivedUs = exchangeUs + TRADE_LATENCY_US;
      addMessage(builder, { kind: "trade", exchangeUs, receivedUs, rows });
    }
    mid = Math.max(LEAST_MID_TICKS, mid + move);
    const now = [...levels("BUY", mid, random), ...levels("SELL", mid, random)];
    const gone = before
      .filter(({ side, ticks }) => !now.some((row) => row.side === side && row.ticks === ticks))
      .map((row) => ({ ...row, lots: 0 }));
    const kind = step === 0 ? "snapshot" : "update";
    const receivedUs = exchangeUs + BOOK_LATENCY_US;
    addMessage(builder, { kind, exchangeUs, receivedUs, rows: [...gone, ...now] });
    before = now;
  }
  return new Capture(instrument, builder.build());
}

interface Row {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

function levels(side: Side, mid: Ticks, random: Random): Row[] {
  return Array.from({ length: LEVELS }, (_, at) => {
    const away = HALF_SPREAD_TICKS + at;
    return {
      side,
      ticks: mid + (side === "BUY" ? -away : away),
      lots: upTo(MOST_LEVEL_LOTS, random),
    };
  });
}

function upTo(most: Lots, random: Random): Lots {
  return 1 + Math.floor(random.uniform() * most);
}
