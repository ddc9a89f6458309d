import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BookMatcher } from "#backtest/book-matcher.js";
import { DelayLine } from "#backtest/delay-line.js";
import { constantLatency } from "#backtest/latency.js";
import type { ReplayOrder } from "#backtest/matcher.js";
import { ReplayBook } from "#backtest/replay-book.js";
import { riskAverseQueue } from "#core/queue-models.js";
import type { Lots, Ticks } from "#core/units.js";
import type { Tape } from "#history/tape.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { BTC_GRID } from "../../support/capture-tape.js";
import { Heard, order } from "./heard.js";

/** Price and amount, as numbers. */
type Pair = readonly [number, number];

/** Results that hftbacktest publishes for runs on captures that we have. */
export interface PublishedRuns {
  readonly bookCheckpointsLocalTime: readonly {
    readonly localTimeNs: string;
    readonly bids: readonly Pair[];
    readonly asks: readonly Pair[];
  }[];
  readonly eod20240808: {
    readonly levels: number;
    readonly bestBids: readonly Pair[];
    readonly worstAsks: readonly Pair[];
  };
}

export function publishedRuns(): PublishedRuns {
  return JSON.parse(
    readFileSync(join(recordedDataFolder(), "golden_hftbacktest.json"), "utf8"),
  ) as PublishedRuns;
}

/** Levels of a published book as flat pairs of ticks and lots. */
export function gridPairs(levels: readonly Pair[]): number[] {
  return levels.flatMap(([price, amount]) => [
    BTC_GRID.parsePrice(price.toFixed(1)),
    BTC_GRID.parseAmount(amount.toFixed(3)),
  ]);
}

/** The book as received by a local instant, microseconds. */
export function bookAtLocal(tape: Tape, localUs: number): ReplayBook {
  const book = new ReplayBook();
  let place = 0;
  while (
    place < tape.messages &&
    (tape.localUs[tape.byLocal?.[place] ?? place] as number) <= localUs
  )
    place++;
  book.applyLocal(tape, 0, place);
  return book;
}

/** The events of one order on the local clock. */
export interface SeenOrder {
  /** When its acceptance was received, milliseconds since 1970. */
  readonly newMs: number | undefined;
  readonly fill:
    | {
        readonly exchangeMs: number;
        readonly seenMs: number;
        readonly ticks: Ticks;
        readonly lots: Lots;
      }
    | undefined;
  readonly end: { readonly how: string; readonly seenMs: number } | undefined;
}

/**
 * Sends one order with 100 ms of latency each way to the exchange without partial fills and with
 * the risk-averse queue, and a cancel if requested, and plays the whole capture.
 */
export function publishedOrder(
  tape: Tape,
  sentMs: number,
  what: Partial<ReplayOrder> & Pick<ReplayOrder, "side" | "ticks">,
  cancelMs?: number,
): SeenOrder {
  const latency = constantLatency(100, 100);
  const toExchange = new DelayLine<(matcher: BookMatcher, atUs: number) => void>();
  const sent = order(1, what.side, what.ticks, BTC_GRID.parseAmount("1"), what);
  toExchange.push(
    (matcher, atUs) => matcher.place(sent, atUs),
    sentMs * 1000 + latency.entryUs(sentMs * 1000),
  );
  if (cancelMs !== undefined)
    toExchange.push(
      (matcher, atUs) => matcher.cancel(1, atUs),
      cancelMs * 1000 + latency.entryUs(cancelMs * 1000),
    );
  const heard = new Heard();
  const matcher = new BookMatcher({
    tape,
    listener: heard,
    queue: riskAverseQueue,
    partialFills: false,
  });
  let acceptedUs: number | undefined;
  while (toExchange.size > 0) {
    const atUs = toExchange.nextUs;
    while (matcher.nextUs <= atUs) matcher.advance(atUs, true);
    toExchange.take()(matcher, atUs);
    acceptedUs ??= atUs;
  }
  while (matcher.nextUs < Number.POSITIVE_INFINITY) matcher.advance(Number.POSITIVE_INFINITY, true);
  const seenMs = (atUs: number): number => (atUs + latency.responseUs(atUs)) / 1000;
  const [fill, end] = [heard.fills[0], heard.ends[0]];
  return {
    newMs: acceptedUs === undefined ? undefined : seenMs(acceptedUs),
    fill: fill && {
      exchangeMs: fill.atUs / 1000,
      seenMs: seenMs(fill.atUs),
      ticks: fill.ticks,
      lots: fill.lots,
    },
    end: end && { how: end.how, seenMs: seenMs(end.atUs) },
  };
}
