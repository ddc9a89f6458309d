import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import { toDay } from "../../history/day.js";
import { MAX_PART_GAP_MS } from "../../history/record/seal-part.js";
import { findGaps, mergeSpans, type Span } from "../../history/spans.js";
import type { RecordedRequest } from "../session/recorded-orders.js";
import type { OpenedSessionMarket } from "./open-session.js";

/** The data of a market that shows when its connection was down. */
export type OutageEvidence = Pick<OpenedSessionMarket, "recordedTape" | "unrecordedSpans"> & {
  readonly account: { readonly requests: readonly RecordedRequest[] };
};

const EVER: Span = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/**
 * Finds when a session had no connection to its exchange, in milliseconds of the bot's clock,
 * ascending. An outage lasts from the last data of any market to the next book. If a request was
 * answered meanwhile, the connection still worked then. In that case the outage is narrowed to
 * between two answered requests with an unanswered one between them. Time before the first book or
 * after the last is not judged.
 */
export function findOutageWindows(markets: readonly OutageEvidence[]): readonly Span[] {
  const requests = markets.flatMap(({ account }) => account.requests);
  const received = mergeSpans(
    markets.flatMap(({ unrecordedSpans }) => findGaps(unrecordedSpans, EVER)),
  );
  const delayUs = Math.min(...markets.map((market) => leastDelayUs(market.recordedTape)));
  return findGaps(received, EVER).flatMap((gap) => {
    const [fromMs, toMs] = gap;
    const begins = markets.some(
      (market) => (market.recordedTape.exchangeUs[0] ?? Number.POSITIVE_INFINITY) < fromMs * 1000,
    );
    const nextUs = Math.min(
      ...markets.map((market) => nextBookUs(market.recordedTape, toMs * 1000)),
    );
    return begins && nextUs < Number.POSITIVE_INFINITY
      ? findOutagesBetween(requests, fromMs * 1000 + delayUs, nextUs, isPartBoundary(gap))
      : [];
  });
}

/**
 * True if a gap is a boundary between two parts of a recording, of which one begins with a day of
 * the exchange's clock. The recorder received data all the same.
 */
function isPartBoundary([fromMs, toMs]: Span): boolean {
  // The end of a day is checked once a second.
  return toMs - fromMs <= MAX_PART_GAP_MS && toDay(fromMs - 2 * MAX_PART_GAP_MS) !== toDay(toMs);
}

/** The least delay from the exchange's clock to the bot's: a lower bound of their difference. */
function leastDelayUs({ messages, exchangeUs, localUs }: Tape): number {
  let least = Number.POSITIVE_INFINITY;
  for (let message = 0; message < messages; message++) {
    least = Math.min(least, (localUs[message] as number) - (exchangeUs[message] as number));
  }
  return least;
}

/**
 * Time at which the bot receives the first book with an exchange time at or after an instant;
 * Infinity if there is none.
 */
function nextBookUs({ messages, exchangeUs, localUs, kind }: Tape, fromUs: number): number {
  let low = 0;
  let high = messages;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((exchangeUs[middle] as number) < fromUs) low = middle + 1;
    else high = middle;
  }
  while (low < messages && kind[low] === TapeKind.trade) low += 1;
  return low < messages ? (localUs[low] as number) : Number.POSITIVE_INFINITY;
}

/**
 * @param isHeard true if data was received within the window: then only unanswered requests show an
 * outage.
 */
function findOutagesBetween(
  requests: readonly RecordedRequest[],
  lastUs: number,
  nextUs: number,
  isHeard: boolean,
): Span[] {
  const within = requests.filter(({ leftUs }) => leftUs >= lastUs && leftUs < nextUs);
  const answered = within.filter(
    ({ answeredUs }) => answeredUs !== undefined && (isHeard || answeredUs < nextUs),
  );
  const lost = within.filter((request) => !answered.includes(request));
  const bounds = [
    lastUs,
    ...answered.map(({ leftUs }) => leftUs).sort((one, other) => one - other),
    nextUs,
  ];
  return bounds.slice(1).flatMap((toUs, at): Span[] => {
    const fromUs = bounds[at] as number;
    // Since the last answer nothing shows that the connection worked.
    const isCut =
      (toUs === nextUs && !isHeard) || lost.some(({ leftUs }) => leftUs >= fromUs && leftUs < toUs);
    return isCut ? [[Math.floor(fromUs / 1000) + 1, Math.ceil(toUs / 1000)]] : [];
  });
}
