import { RunError } from "../core/errors.js";
import type { Int64Id, Ms } from "../core/units.js";
import { MAX_PAGE } from "./operations.js";
import type { VenueOrder } from "./records.js";

/** One page of orders between two instants; undefined bounds are left out of the request. */
export type OrderPage = (startTimeMs: Ms | undefined, endTimeMs: Ms | undefined) => Promise<readonly VenueOrder[]>;

/**
 * Every order of a range, oldest first, each once. The specification does not say which of too many orders a page holds, the
 * oldest or the newest, nor whether its bounds belong to it: what lies on either side of a full page is asked for, bounds included.
 * @param pageSize how many orders make a page full.
 * @throws RunError when a full page brings nothing new: too many orders of one instant, or an exchange that ignores the range.
 */
export async function everyOrder(
  page: OrderPage,
  startTimeMs: Ms | undefined,
  endTimeMs: Ms | undefined,
  pageSize = MAX_PAGE,
): Promise<VenueOrder[]> {
  const found = new Map<Int64Id, VenueOrder>();
  const ranges: { readonly start: Ms | undefined; readonly end: Ms | undefined }[] = [{ start: startTimeMs, end: endTimeMs }];
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const { start, end } = range;
    const orders = await page(start, end);
    const known = found.size;
    for (const order of orders) found.set(order.id, order);
    if (orders.length < pageSize) continue;
    const oldest = Math.min(...orders.map((order) => order.createdAtMs));
    const newest = Math.max(...orders.map((order) => order.createdAtMs));
    if (found.size === known) {
      throw new RunError("a full page of orders holds nothing new", {
        field: "historyOrders",
        value: `${start ?? "the first"} to ${end ?? "the last"}`,
        expected: `fewer than ${pageSize} orders of one instant`,
      });
    }
    if (start === undefined || oldest > start) ranges.push({ start, end: oldest + 1 });
    if (end === undefined || newest < end) ranges.push({ start: newest - 1, end });
  }
  return [...found.values()].sort((left, right) => left.createdAtMs - right.createdAtMs || (BigInt(left.id) < BigInt(right.id) ? -1 : 1));
}
