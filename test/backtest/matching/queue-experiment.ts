import { BookMatcher } from "#backtest/book-matcher.js";
import type { FillCause } from "#backtest/matcher.js";
import type { QueueModel, QueuePlace } from "#core/queue-models.js";
import type { Tape } from "#history/tape.js";
import { Heard, order } from "./heard.js";

/** The outcome of the experiment's orders under one rule. */
export interface QueueOutcome {
  readonly orders: number;
  /** Fills by cause; "taker" is always 0. */
  readonly fills: Readonly<Record<FillCause, number>>;
  readonly filledShare: number;
  /** From placing to filling. */
  readonly meanFillMs: number;
}

const FIRST_US = 1_723_161_260_000_000;
const LAST_US = 1_723_161_590_000_000;
const EVERY_US = 1_000_000;
const LIFE_US = 10_000_000;
/** Open orders per side at any time. */
const OPEN_AT_ONCE = LIFE_US / EVERY_US;

/**
 * The experiment on how much the fill rule matters, on the capture of 2024-08-08: each second one
 * lot post-only at the best bid and one at the best ask, without latency, cancelled after ten
 * seconds; both ends of the window count; history before orders on ties.
 */
export function queueExperiment(
  tape: Tape,
  queue: QueueModel<QueuePlace>,
  partialFills = true,
): QueueOutcome {
  // With partial fills an order waits behind our earlier orders at its price. In separate matchers
  // they do not affect each other.
  const lanes = Array.from({ length: partialFills ? 2 * OPEN_AT_ONCE : 1 }, () => {
    const heard = new Heard();
    return { heard, matcher: new BookMatcher({ tape, listener: heard, queue, partialFills }) };
  });
  const laneOf = (id: number): (typeof lanes)[number] =>
    lanes[id % lanes.length] as (typeof lanes)[number];
  const placedUs: number[] = [];
  let toCancel = 0;
  for (let atUs = FIRST_US; atUs <= LAST_US + LIFE_US; atUs += EVERY_US) {
    for (const { matcher } of lanes) playTo(matcher, atUs);
    for (; (placedUs[toCancel] ?? atUs) <= atUs - LIFE_US; toCancel++)
      laneOf(toCancel).matcher.cancel(toCancel, atUs);
    if (atUs > LAST_US) continue;
    for (const side of ["BUY", "SELL"] as const) {
      const id = placedUs.push(atUs) - 1;
      const { matcher } = laneOf(id);
      const ticks = side === "BUY" ? matcher.touch.bidTicks : matcher.touch.askTicks;
      matcher.place(order(id, side, ticks, 1, { timeInForce: "POST_ONLY" }), atUs);
    }
  }
  const fills = { queue: 0, through: 0, cross: 0, taker: 0 };
  let waitedUs = 0;
  let filled = 0;
  for (const { heard } of lanes) {
    for (const { id, cause, atUs } of heard.fills) {
      fills[cause]++;
      filled++;
      waitedUs += atUs - (placedUs[id] as number);
    }
  }
  return {
    orders: placedUs.length,
    fills,
    filledShare: filled / placedUs.length,
    meanFillMs: waitedUs / filled / 1000,
  };
}

function playTo(matcher: BookMatcher, atUs: number): void {
  while (matcher.nextUs <= atUs) matcher.advance(atUs, true);
}

/**
 * A rule for this experiment only: any trade at its price reaches an order, whatever the queue
 * ahead.
 */
export const touchQueue: QueueModel<QueuePlace> = {
  name: "touch",
  onAccept: () => ({ frontLots: 0, tradedLots: 0 }),
  onTrade: ({ tradedLots }, lots) => ({ frontLots: -lots, tradedLots }),
  onDepth: (place) => place,
  executableLots: ({ frontLots }) => -frontLots,
  onTaken: () => ({ frontLots: 0, tradedLots: 0 }),
};

/** No trade at its price ever reaches an order. */
export const throughOnlyQueue: QueueModel<QueuePlace> = {
  ...touchQueue,
  name: "strictly through only",
  executableLots: () => 0,
};
