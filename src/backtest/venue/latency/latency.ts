import { ConfigError } from "../../../core/errors.js";

/**
 * Delays of a request to the replayed exchange, and of its answer. Whole microseconds; a value,
 * without a clock.
 */
export interface LatencyModel {
  /**
   * Delay of a request sent at `localUs`. Below zero: it never arrives, and its refusal is received
   * after the absolute value.
   */
  entryUs(localUs: number): number;
  /** Delay of an event of the exchange at `exchangeUs`. */
  responseUs(exchangeUs: number): number;
  /**
   * Minimum delay of any request: the exchange may be played this far ahead of the bot. 0 where the
   * delays depend on data that the bot has received.
   */
  readonly minEntryUs: number;
}

/**
 * The same delay always.
 * @throws ConfigError for a delay that is negative or not a number
 */
export function constantLatency(entryMs: number, responseMs: number): LatencyModel {
  const entryUs = microseconds(entryMs, "orderLatencyMs");
  const responseUs = microseconds(responseMs, "responseLatencyMs");
  return { entryUs: () => entryUs, responseUs: () => responseUs, minEntryUs: entryUs };
}

/**
 * One measured round trip, microseconds since 1970. `exchangeUs` of zero or below: the request was
 * refused in transit.
 */
export interface LatencySample {
  readonly requestUs: number;
  readonly exchangeUs: number;
  readonly responseUs: number;
}

/**
 * Delays of recorded round trips, linear between the two around the instant; before the first and
 * after the last, theirs (rule of hftbacktest's IntpOrderLatency). Samples ascend by request.
 * @throws ConfigError when there is none, they do not ascend, or a request reached the exchange
 * before it was sent or after it was answered
 */
export function sampledLatency(samples: readonly LatencySample[]): LatencyModel {
  for (let i = 1; i < samples.length; i++) {
    const [before, at] = [samples[i - 1] as LatencySample, samples[i] as LatencySample];
    if (at.requestUs < before.requestUs) {
      throw new ConfigError("latency samples do not ascend", {
        field: `sample ${i} requestUs`,
        value: at.requestUs,
        expected: `at least ${before.requestUs}`,
      });
    }
  }
  if (samples.length === 0)
    throw new ConfigError("has no sample", {
      field: "latency",
      expected: "at least one recorded round trip",
    });
  const taken = samples
    .filter(({ exchangeUs }) => exchangeUs > 0)
    .sort((a, b) => a.exchangeUs - b.exchangeUs);
  for (const { requestUs, exchangeUs, responseUs } of taken) {
    if (requestUs <= exchangeUs && exchangeUs <= responseUs) continue;
    throw new ConfigError(
      "has a round trip whose clocks disagree: the response would arrive before the exchange sent it, or the request would never arrive",
      {
        field: `sample of ${requestUs} exchangeUs`,
        value: exchangeUs,
        expected: `between its request and its response at ${responseUs}, as the local clock counts`,
      },
    );
  }
  let leastEntryUs = Number.POSITIVE_INFINITY;
  for (const { requestUs, exchangeUs } of taken)
    leastEntryUs = Math.min(leastEntryUs, Math.round(exchangeUs - requestUs));
  return {
    minEntryUs: leastEntryUs,
    entryUs: (localUs) => {
      const [before, after, share] = around(samples, localUs, requestOf);
      if (before.exchangeUs <= 0) return -Math.round(before.responseUs - before.requestUs);
      if (after.exchangeUs <= 0) return Math.round(before.exchangeUs - before.requestUs);
      return Math.round(
        between(before.exchangeUs - before.requestUs, after.exchangeUs - after.requestUs, share),
      );
    },
    responseUs: (exchangeUs) => {
      if (taken.length === 0) return 0;
      const [before, after, share] = around(taken, exchangeUs, exchangeOf);
      return Math.round(
        between(before.responseUs - before.exchangeUs, after.responseUs - after.exchangeUs, share),
      );
    },
  };
}

/**
 * Delays that follow the market data's own: `factor` times the feed's latency of that time plus a
 * constant (the stress model of hftbacktest's feed-latency tutorials).
 * @param feedUs the latency of the newest market data at a local instant.
 */
export function feedLatency(
  feedUs: (us: number) => number,
  entry: LinearLatency,
  response: LinearLatency,
): LatencyModel {
  const of = ({ factor, addMs }: LinearLatency, us: number): number =>
    Math.max(0, Math.round(factor * feedUs(us) + addMs * 1000));
  return {
    entryUs: (localUs) => of(entry, localUs),
    responseUs: (exchangeUs) => of(response, exchangeUs),
    minEntryUs: 0,
  };
}

/** `factor` times a feed latency, plus `addMs`. */
export interface LinearLatency {
  readonly factor: number;
  readonly addMs: number;
}

const requestOf = ({ requestUs }: LatencySample): number => requestUs;
const exchangeOf = ({ exchangeUs }: LatencySample): number => exchangeUs;

/** The two samples around an instant and the share of the way between them. */
function around(
  samples: readonly LatencySample[],
  us: number,
  stampOf: (sample: LatencySample) => number,
): readonly [LatencySample, LatencySample, number] {
  let low = 0;
  let high = samples.length - 1;
  const first = samples[low] as LatencySample;
  const last = samples[high] as LatencySample;
  if (us <= stampOf(first)) return [first, first, 0];
  if (us >= stampOf(last)) return [last, last, 0];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (stampOf(samples[middle] as LatencySample) <= us) low = middle;
    else high = middle;
  }
  const [before, after] = [samples[low] as LatencySample, samples[high] as LatencySample];
  const span = stampOf(after) - stampOf(before);
  return [before, after, span === 0 ? 0 : (us - stampOf(before)) / span];
}

function between(before: number, after: number, share: number): number {
  return before + (after - before) * share;
}

function microseconds(ms: number, field: string): number {
  if (Number.isFinite(ms) && ms >= 0) return Math.round(ms * 1000);
  throw new ConfigError("not a delay", {
    field,
    value: ms,
    expected: "milliseconds, zero or above",
  });
}
