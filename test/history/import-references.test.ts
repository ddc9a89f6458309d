import { join } from "node:path";
import { expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { ReferenceHistory } from "#history/reference-history.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const NOON_MS = Date.UTC(2026, 0, 5, 12);

/** The imported prices of a source. */
async function read(store: HistoryStore, market: string, latencyMs?: number) {
  const span = { fromUs: (NOON_MS - 1000) * 1000, toUs: (NOON_MS + 250) * 1000 };
  const { localUs, sourceMs, bid, ask, downs } = await new ReferenceHistory(store, {
    source: "binance",
    market,
    latencyMs,
    ...span,
  }).whole();
  return {
    atMs: [...localUs].map((us) => us / 1000 - NOON_MS),
    sourceMs: [...sourceMs].map((ms) => ms - NOON_MS),
    prices: [...bid].map((price, row) => [price, ask[row]]),
    downs,
  };
}

it("reads touch prices of a CSV without amounts, by a mapping to the kind reference", async () => {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const file = fileOf(
    folder,
    "touch.csv",
    `at,b,a\n${[0, 100, 200].map((ms) => `${NOON_MS + ms},${60_000 + ms},${60_000.5 + ms}`).join("\n")}\n`,
  );
  const mapping = checkMapping({
    kind: "reference",
    timeUnit: "ms",
    columns: { time: "at", bid: "b", ask: "a" },
  });
  await take(store, [file], { market: "binance", mapping } as never);
  const found = await read(store, "binance");
  expect(found.prices.slice(0, 3)).toEqual([
    [60_000, 60_000.5],
    [60_100, 60_100.5],
    [60_200, 60_200.5],
  ]);
  expect(found.atMs).toEqual([0, 100, 200, 201]);
  // Behind the last price nothing is known.
  expect(found.downs).toEqual([{ row: 3, reason: "its history has a gap here" }]);
  expect((await read(store, "binance", 30)).atMs).toEqual([30, 130, 230, 231]);
});

it("reads the trades of another market, in the order in which they were received", async () => {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const trade = (id: number, ms: number, lateMs: number) =>
    JSON.stringify({
      id,
      price: String(60_000 + id),
      amount: "1",
      time: NOON_MS + ms,
      isBuyerMaker: false,
      line: id,
      recvTimeNs: String(BigInt(NOON_MS + ms + lateMs) * 1_000_000n),
    });
  const file = fileOf(
    folder,
    "trades.ndjson",
    [trade(1, 0, 5), trade(2, 10, 40), trade(3, 20, 7), trade(4, 220, 3)].join("\n"),
  );
  await take(store, [file], { market: "btcusdt" });
  const { atMs, sourceMs, prices, downs } = await read(store, "btcusdt");
  // The last trade was made before the end of the file, and received after it: it does not make the
  // source known again.
  expect(atMs).toEqual([5, 27, 50, 221, 223, 223]);
  expect(downs.map(({ row }) => row)).toEqual([3, 5]);
  expect(sourceMs.slice(0, 3)).toEqual([0, 20, 10]);
  expect([prices[1], prices[4]]).toEqual([
    [60_003, 60_003],
    [60_004, 60_004],
  ]);
});
