import type { RecordedAccount, RecordedOrder } from "../../session/recorded-orders.js";

/**
 * Estimates when a request of a recorded session reached the exchange, on the exchange's clock. For
 * an accepted order or cancel this is the exchange's own stamp. For any other request it
 * interpolates linearly between the two around it. It does not depend on our clock. Without any
 * stamp, requests arrive as they are sent.
 * @param shiftUs is added. It covers the millisecond resolution of stamps and the time between
 * accepting an order and matching it.
 */
export function createArrivalEstimator(
  { orders, cancels }: Omit<RecordedAccount, "fills">,
  shiftUs: number,
): (sentUs: number) => number {
  const samples: [sentUs: number, tookUs: number][] = [];
  for (const { sentUs, acceptedUs } of orders)
    if (acceptedUs !== undefined) samples.push([sentUs, acceptedUs - sentUs]);
  for (const { sentUs, acceptedUs } of cancels)
    if (acceptedUs !== undefined) samples.push([sentUs, acceptedUs - sentUs]);
  samples.sort(([one], [other]) => one - other);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return (sentUs) => sentUs + shiftUs;
  return (sentUs) => {
    if (sentUs <= first[0]) return sentUs + first[1] + shiftUs;
    if (sentUs >= last[0]) return sentUs + last[1] + shiftUs;
    let low = 0;
    let high = samples.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((samples[middle] as readonly [number, number])[0] <= sentUs) low = middle;
      else high = middle;
    }
    const [[beforeUs, before], [afterUs, after]] = [samples[low], samples[high]] as [
      readonly [number, number],
      readonly [number, number],
    ];
    const share = afterUs === beforeUs ? 0 : (sentUs - beforeUs) / (afterUs - beforeUs);
    return Math.round(sentUs + before + (after - before) * share + shiftUs);
  };
}

/**
 * Medians of the recorded delay of requests to the exchange and of the delay of its answers,
 * microseconds; undefined where there were none.
 */
export function medianDelays(
  orders: readonly RecordedOrder[],
): { readonly entryUs: number; readonly responseUs: number } | undefined {
  const entries: number[] = [];
  const responses: number[] = [];
  for (const { sentUs, acceptedUs, answeredUs } of orders) {
    if (acceptedUs === undefined || answeredUs === undefined) continue;
    entries.push(acceptedUs - sentUs);
    responses.push(answeredUs - acceptedUs);
  }
  if (entries.length === 0) return undefined;
  return { entryUs: medianOf(entries), responseUs: medianOf(responses) };
}

function medianOf(values: number[]): number {
  values.sort((one, other) => one - other);
  return values[values.length >> 1] as number;
}
