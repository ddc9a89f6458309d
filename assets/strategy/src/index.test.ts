import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertNoFindings,
  backtestStrategy,
  checkStrategy,
  generateCapture,
  testStrategy,
} from "marketwright/testing";
import strategy from "./index.js";

const params = { halfSpreadBps: 5, skewBps: 10, sizeBase: 0.02 };
/** Close enough to the mid to trade on the generated market. */
const close = { ...params, halfSpreadBps: 0.03, skewBps: 0.02, volatilityFactor: 0 };
const capture = generateCapture({ seconds: 60, seed: 1 });

const book = { bids: [[59_999.9, 1]], asks: [[60_000.1, 1]] } as const;

// First: what a module keeps from an earlier run can be seen in the first run alone.
test("it neither looks ahead nor depends on anything but its views, and refuses wrong values", async () => {
  const wrongParams = [
    {},
    { ...params, halfSpreadBps: 0 },
    { ...params, skewBps: -1 },
    { ...params, halfSpread: 5 },
  ];
  assertNoFindings(await checkStrategy({ strategy, params: close, wrongParams, capture }));
});

test("it quotes both sides at its half spread", () => {
  const harness = testStrategy(strategy, { params });
  harness.push(book);
  assert.deepEqual(harness.quotes, [
    { side: "BUY", level: 0, price: 59_970, sizeBase: 0.02 },
    { side: "SELL", level: 0, price: 60_030, sizeBase: 0.02 },
  ]);
});

test("it lowers both quotes while it is long, so that the ask fills sooner", () => {
  const harness = testStrategy(strategy, { params });
  harness.push({ ...book, positionBase: 0.5, maxPositionBase: 1 });
  assert.deepEqual(
    harness.quotes.map(({ price }) => price),
    [59_940, 60_000],
  );
});

test("it widens its quotes after large moves", async () => {
  const harness = testStrategy(strategy, { params: { ...params, volatilityFactor: 1 } });
  for (let second = 0; second < 20; second += 1) {
    const mid = second % 2 === 0 ? 60_000 : 60_060; // 10 basis points a second
    harness.push({ bids: [[mid - 0.1, 1]], asks: [[mid + 0.1, 1]] });
    await harness.advance(1000);
  }
  const [bid, ask] = harness.quotes;
  assert.ok(bid !== undefined && ask !== undefined);
  assert.ok(ask.price - bid.price > 110, `the spread is ${ask.price - bid.price}`);
});

test("it holds the position limit in a backtest, and trades", async () => {
  const { fills, views, report } = await backtestStrategy(strategy, {
    params: close,
    capture,
    limits: { maxPositionBase: 0.1 },
  });
  assert.equal(report.ended, "end-of-history");
  assert.ok(fills.length > 0);
  assert.ok(views.every(({ positionLots }) => Math.abs(positionLots) <= 100));
});
