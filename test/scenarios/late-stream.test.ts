import { expect, it } from "vitest";
import { Stage } from "./stage.js";

const FLOW = { kind: "synthetic", preset: "lively", startPriceQuote: 60_000, seed: 3 };
/** Far enough from the others that nothing fills. */
const QUIET = { bid: 595_000, ask: 605_000 };
const QUOTES = [`BUY 10 @ ${QUIET.bid}`, `SELL 10 @ ${QUIET.ask}`];

async function busyStage(): Promise<Stage> {
  const stage = new Stage({ market: { flow: FLOW } });
  stage.wants(QUIET);
  await stage.botStarts(20_000);
  expect(stage.quotes()).toEqual(QUOTES);
  return stage;
}

it("a busy stream that comes eight seconds late has no gap and no silence: its book is as old all the same, and nothing is quoted on it", async () => {
  const stage = await busyStage();

  stage.network.delayStream("market", 8_000);
  await stage.passes(16_000);
  expect(stage.halts()).toEqual(["stale-book"]);
  expect(stage.quotes(), "where others know better what the market is").toEqual([]);

  const placed = stage.network.sentOf("placeOrder").length;
  await stage.passes(60_000);
  expect(stage.network.sentOf("placeOrder"), "for as long as it is late").toHaveLength(placed);

  stage.network.delayStream("market", 0);
  await stage.passes(15_000);
  expect(stage.quotes()).toEqual(QUOTES);
  stage.expectAgreement();
});

it("a stream that is late within what a book may be old is quoted on", async () => {
  const stage = await busyStage();

  stage.network.delayStream("market", 1_200);
  await stage.passes(30_000);

  expect(stage.saidOfHalt("stale-book")).toBeUndefined();
  expect(stage.quotes()).toEqual(QUOTES);
});

it("trades that are stamped by a clock three seconds slow cost no quotes: the book's sequence says that nothing is late", async () => {
  const stage = await busyStage();
  const asked = stage.network.sentOf("orderbook").length;

  stage.network.rewriteFrames((text) =>
    text.replace(/"time":(\d{13})/, (_, time) => `"time":${Number(time) - 3_000}`),
  );
  await stage.passes(60_000);

  expect(stage.saidOfHalt("stale-book")).toBeUndefined();
  expect(stage.quotes()).toEqual(QUOTES);
  expect(
    stage.network.sentOf("orderbook").length - asked,
    "a question every five seconds",
  ).toBeLessThanOrEqual(13);
});
