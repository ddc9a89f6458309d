import { Decimal } from "decimal.js";
import { RunError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Lots, MarketId, Ms, Ticks } from "../../core/units.js";
import { decodeKlines } from "../../exchange/protocol/decode-market-data.js";
import { createInstruments } from "../../exchange/protocol/decode-rules.js";
import { contracts } from "../../exchange/protocol/market-data.js";
import { parseWire } from "../../exchange/protocol/wire-parse.js";
import type { MarketRules, VenueBar, VenueRules } from "../../exchange/records.js";
import { pause } from "../../exchange/rest/pause.js";
import type { RestBook, RestClient } from "../../exchange/rest/rest-client.js";

/** The state of one market from which its settings are proposed. */
export interface MarketFacts {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  readonly rules: MarketRules;
  readonly bestBidTicks: Ticks;
  readonly bestAskTicks: Ticks;
  /** Displayed amount of the thinner side's best levels, at most {@link LEVELS} of them. */
  readonly depthLots: Lots;
  /** Basis points of the mid per square root of a second; undefined if nothing traded. */
  readonly sigmaBps: number | undefined;
  /** Length of the candles that the volatility is from. */
  readonly sigmaSpanMs: Ms;
}

/** Levels of a side of the book that count. */
const LEVELS = 10;
/** Candles of a minute that count. */
const CANDLES = 240;
const MINUTE_MS: Ms = 60_000;
/** The spread of a moment may be many times the usual one, so several books are compared. */
const BOOKS = 5;
/** An exchange that has just started has no book yet. */
const MAX_BOOK_TRIES = 20;
const BOOK_PAUSE_MS: Ms = 250;

/**
 * Reads the book, over about a second, and the candles of a market.
 * @throws RunError if a side of the book stays empty; errors of the exchange
 */
export async function readMarketFacts(
  marketId: MarketId,
  rules: VenueRules,
  { client, clock }: { readonly client: RestClient; readonly clock: Clock },
): Promise<MarketFacts> {
  const instrument = createInstruments(rules).get(marketId);
  const marketRules = rules.markets[marketId];
  if (instrument === undefined || marketRules === undefined)
    throw new RunError("the exchange has no such market", { field: "--market", value: marketId });
  const { bids, asks } = await readUsualBook(marketId, client, clock);
  const bars = decodeKlines(
    await client.call("klines", { marketId, interval: "1M", limit: CANDLES }),
    instrument,
    "klines",
  );
  const nowMs = await client.time();
  return {
    marketId,
    instrument,
    rules: marketRules,
    bestBidTicks: bids[0] as Ticks,
    bestAskTicks: asks[0] as Ticks,
    depthLots: Math.min(shownLots(bids), shownLots(asks)),
    ...measureVolatility(bars, nowMs),
  };
}

/** Quote traded within 24 hours, by market; empty if the exchange does not report it. */
export async function readDayVolumes(client: RestClient): Promise<ReadonlyMap<MarketId, Decimal>> {
  const { contracts: list } = parseWire(contracts, await client.call("contracts"), "contracts");
  return new Map(
    list.map(({ ticker_id: marketId, quote_volume: volume }) => [
      marketId,
      new Decimal(volume.toString()),
    ]),
  );
}

/** Reads the book several times, and returns the one with the median spread. */
async function readUsualBook(
  marketId: MarketId,
  client: RestClient,
  clock: Clock,
): Promise<RestBook> {
  const books: RestBook[] = [];
  for (let tries = 1; books.length < BOOKS; tries++) {
    const book = await client.orderbook(marketId, LEVELS);
    if (book.bids.length > 0 && book.asks.length > 0) books.push(book);
    else if (tries >= MAX_BOOK_TRIES)
      throw new RunError(`the book of ${marketId} has no ${book.bids.length > 0 ? "ask" : "bid"}`, {
        field: "--market",
        value: marketId,
        expected: "a market with orders on both sides: a spread is proposed from them",
      });
    if (books.length < BOOKS) await pause(clock, BOOK_PAUSE_MS);
  }
  const bySpread = books.sort((a, b) => spreadTicks(a) - spreadTicks(b));
  return bySpread[Math.floor(BOOKS / 2)] as RestBook;
}

function spreadTicks({ bids, asks }: RestBook): Ticks {
  return (asks[0] ?? Number.NaN) - (bids[0] ?? Number.NaN);
}

/** The amounts of flat pairs of ticks and lots. */
function shownLots(side: readonly number[]): Lots {
  let lots = 0;
  for (let at = 1; at < side.length; at += 2) lots += side[at] as number;
  return lots;
}

/** Mean range of a Brownian motion over a time, in standard deviations of its change. */
const MEAN_RANGE = Math.sqrt(8 / Math.PI);

/**
 * The volatility from the median range of the candles (W. Feller, Annals of Mathematical Statistics
 * 22, 1951, 427-432): one candle is enough for an estimate, and a rare jump does not raise it. The
 * last candle, which is not over yet, counts only if there is no other.
 */
function measureVolatility(
  bars: readonly VenueBar[],
  nowMs: Ms,
): Pick<MarketFacts, "sigmaBps" | "sigmaSpanMs"> {
  const traded = bars.filter(({ lots }) => lots > 0);
  const whole = traded.filter(({ startMs }) => startMs + MINUTE_MS <= nowMs);
  const counted = whole.length > 0 ? whole : traded;
  const sigmas = counted.map(({ startMs, highTicks, lowTicks }) => {
    const seconds = Math.min(MINUTE_MS, Math.max(1000, nowMs - startMs)) / 1000;
    return Math.log(highTicks / lowTicks) / MEAN_RANGE / Math.sqrt(seconds);
  });
  const median = sigmas.sort((a, b) => a - b)[Math.floor(sigmas.length / 2)] ?? 0;
  return {
    sigmaBps: median === 0 ? undefined : median * 10_000,
    sigmaSpanMs: counted.length * MINUTE_MS,
  };
}
