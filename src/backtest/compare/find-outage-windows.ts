import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import { toDay } from "../../history/day.js";
import { MAX_PART_GAP_MS } from "../../history/record/seal-part.js";
import { findGaps, mergeSpans, type Span } from "../../history/spans.js";
import type { RecordedRequest } from "../session/recorded-orders.js";
import type { OpenedSessionMarket } from "./open-session.js";

/** What of a market tells when the line to it was cut. */
export type OutageEvidence = Pick<OpenedSessionMarket, "recordedTape" | "unrecordedSpans"> & {
  readonly account: { readonly requests: readonly RecordedRequest[] };
};

const EVER: Span = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/**
 * When a session was cut off from its exchange, milliseconds of its bot's clock, ascending: while it heard nothing of any market, from the last that it had heard to the first
 * book that it was told again. Where a request of its own was answered meanwhile, the line had borne until then: before it was cut only between two of those, where others were not.
 * What lies before the first book or after the last tells nothing.
 */
export function findOutageWindows(markets: readonly OutageEvidence[]): readonly Span[] {
  const requests = markets.flatMap(({ account }) => account.requests);
  const heard = mergeSpans(
    markets.flatMap(({ unrecordedSpans: unheard }) => findGaps(unheard, EVER)),
  );
  const delayUs = Math.min(...markets.map((market) => leastDelayUs(market.recordedTape)));
  return findGaps(heard, EVER).flatMap((gap) => {
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

/** Whether a moment lies between two parts of a recording, of which one begins as a day of the exchange's does: its recorder heard all the same. */
function isPartBoundary([fromMs, toMs]: Span): boolean {
  // Whether a day is over is looked at once a second.
  return toMs - fromMs <= MAX_PART_GAP_MS && toDay(fromMs - 2 * MAX_PART_GAP_MS) !== toDay(toMs);
}

/** What the bot's clock is ahead of the exchange's at least, as far as it can tell. */
function leastDelayUs({ messages, exchangeUs, localUs }: Tape): number {
  let least = Number.POSITIVE_INFINITY;
  for (let message = 0; message < messages; message++) {
    least = Math.min(least, (localUs[message] as number) - (exchangeUs[message] as number));
  }
  return least;
}

/** When the first book is heard that the exchange had at an instant or later; Infinity where none was. */
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

/** @param isHeard whether something was heard within: then only what was never answered tells that the line was cut. */
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
    // Since the last answer nothing tells that the line bore.
    const isCut =
      (toUs === nextUs && !isHeard) || lost.some(({ leftUs }) => leftUs >= fromUs && leftUs < toUs);
    return isCut ? [[Math.floor(fromUs / 1000) + 1, Math.ceil(toUs / 1000)]] : [];
  });
}
