import { expect, test } from "vitest";
import type { VenueOrder, VenueTrade } from "#exchange/records.js";
import type { HedgePlace } from "#hedge/hedge-venue.js";
import { KnownOrders } from "#hedge/known-orders.js";

const place = (key: string): HedgePlace => ({
  kind: "place",
  actionId: 1,
  symbol: "btcusdc",
  key,
  side: "BUY",
  lots: 15,
  ticks: 600_000,
  timeInForce: "IOC",
  isReduceOnly: false,
});

const report = (nonce: string, createdAtMs: number, filledLots: number): VenueOrder => ({
  id: nonce,
  hash: `0x${nonce.padStart(64, "0")}`,
  info: `0x${nonce.padStart(64, "0")}`,
  marketId: "btcusdc",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "IOC",
  ticks: 600_000,
  lots: 15,
  availableLots: filledLots === 0 ? 15 : 0,
  pendingLots: filledLots,
  filledLots: 0,
  canceledLots: 0,
  expiredLots: 0,
  failedLots: 0,
  averagePrice: undefined,
  status: filledLots === 0 ? "NEW" : "PARTIAL_FILLED",
  createdAtMs,
  expirationMs: 0,
});

const trade = (id: string, timeMs: number): VenueTrade => ({
  id,
  marketId: "btcusdc",
  side: "BUY",
  isMaker: false,
  ticks: 600_000,
  lots: 15,
  quote: 0n,
  commission: 0n,
  timeMs,
  status: "CREATED",
});

test("a fill belongs to the hedge of its instant, though the fill of an earlier one is missing", () => {
  const orders = new KnownOrders();
  const [first, second] = ["mw-0000000000000001", "mw-0000000000000002"];
  orders.sent(place(first), 990);
  orders.reported(report("1", 1_000, 15));
  orders.sent(place(second), 1_990);
  orders.reported(report("2", 2_000, 0));
  expect(orders.assign(trade("21", 2_000))).toBe(second);
  expect(orders.assign(trade("11", 1_000))).toBe(first);
  expect(orders.assign(trade("12", 1_000))).toBeUndefined();
});

test("a fill belongs to the hedge that was reported, though the next one was sent since", () => {
  const orders = new KnownOrders();
  const [first, second] = ["mw-0000000000000001", "mw-0000000000000002"];
  orders.sent(place(first), 990);
  orders.reported(report("1", 1_000, 15));
  // Sent on the report of the first, by a clock that is some milliseconds behind.
  orders.sent(place(second), 1_000);
  expect(orders.assign(trade("11", 1_000))).toBe(first);
  orders.reported(report("2", 1_005, 15));
  expect(orders.assign(trade("21", 1_005))).toBe(second);
});

test("a fill of an order that no report has named yet is not taken for one of an earlier IOC order", () => {
  const orders = new KnownOrders();
  const [first, second] = ["mw-0000000000000001", "mw-0000000000000002"];
  orders.sent(place(first), 990);
  orders.reported(report("1", 1_000, 15));
  orders.sent(place(second), 1_500);
  expect(orders.assign(trade("21", 1_502))).toBe(second);
  expect(orders.assign(trade("11", 1_000))).toBe(first);
});
