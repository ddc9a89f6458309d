import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { TapeKind } from "#history/tape.js";
import { openTape } from "../open-tape.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const AT_US = 1_723_161_600_000_000;
const WISH = { tickSize: "0.1", stepSize: "1", fromUs: 0, toUs: 2e15 };
const HEAD = "exchange,symbol,timestamp,local_timestamp";

const level = (us: number, latencyUs: number, price: string): string =>
  `x,B,${AT_US + us},${AT_US + us + latencyUs},${us === 0},bid,${price},5\n`;
const trade = (id: number, us: number, latencyUs: number): string =>
  `x,B,${AT_US + us},${AT_US + us + latencyUs},${id},sell,100.0,1\n`;

/** The events of an instant, in the order of a replay. */
async function atInstant(store: HistoryStore, us: number): Promise<string[]> {
  const { exchangeUs, kind, messages } = await openTape(store, "btcusdt", WISH);
  return Array.from({ length: messages }, (_, at) => at)
    .filter((at) => exchangeUs[at] === AT_US + us)
    .map((at) => (kind[at] === TapeKind.trade ? "trade" : "book"));
}

// A book message that falls before its trade is reported moves a queue twice: by a cancel that
// nobody sent, and by the trade.
describe("a book message and a trade of one instant", () => {
  it.each([
    ["few rows of the book", 0],
    ["many rows of the book", 40],
  ])(
    "come in the order of reception if two files number their rows separately, whatever their numbers: %s",
    async (_what, more) => {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const before = Array.from({ length: more }, (_, at) => level(at + 1, 10, "99.0")).join("");
      const book = `${HEAD},is_snapshot,side,price,amount\n${level(0, 10, "100.0")}${before}${level(1000, 20, "99.5")}${level(2000, 10, "99.4")}${level(3000, 10, "99.3")}`;
      const earlier = Array.from({ length: 20 }, (_, at) => trade(at + 1, at + 100, 10)).join("");
      const trades = `${HEAD},id,side,price,amount\n${earlier}${trade(50, 1000, 10)}${trade(51, 2000, 20)}${trade(52, 3000, 10)}`;
      await take(store, [fileOf(folder, "book.csv", book), fileOf(folder, "trades.csv", trades)]);
      expect(await atInstant(store, 1000)).toEqual(["trade", "book"]);
      expect(await atInstant(store, 2000)).toEqual(["book", "trade"]);
      expect(await atInstant(store, 3000)).toEqual(["trade", "book"]);
    },
  );

  it("come in the order of reception if two separately numbered files share no number, as for a day within a longer file", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    // Its messages have sequence numbers 1 and 6, the day's trades 3 and 4.
    const first = ["100.0", "99.9", "99.8", "99.7", "99.6"]
      .map((price) => level(0, 10, price))
      .join("");
    const book = `${HEAD},is_snapshot,side,price,amount\n${first}${level(1000, 10, "99.5")}`;
    const DAY_US = 86_400_000_000;
    const trades = `${HEAD},id,side,price,amount\n${trade(1, -DAY_US, 10)}${trade(2, 1 - DAY_US, 10)}${trade(7, 500, 10)}${trade(9, 1000, 20)}`;
    await take(store, [fileOf(folder, "book.csv", book), fileOf(folder, "trades.csv", trades)]);
    expect(await atInstant(store, 1000)).toEqual(["book", "trade"]);
  });

  it("come trade first without local stamps", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const book = `t,side,p,q\n${AT_US},bid,100.0,5\n${AT_US + 1000},bid,99.5,5\n`;
    await take(store, [fileOf(folder, "book.csv", book)], {
      mapping: checkMapping({
        kind: "book",
        columns: { time: "t", side: "side", price: "p", amount: "q" },
        timeUnit: "us",
      }),
    });
    const trades = `t,side,p,q\n${[1, 2, 3, 1000].map((us) => `${AT_US + us},sell,100.0,1\n`).join("")}`;
    await take(store, [fileOf(folder, "trades.csv", trades)], {
      mapping: checkMapping({
        kind: "trades",
        columns: { time: "t", side: "side", price: "p", amount: "q" },
        timeUnit: "us",
      }),
    });
    expect(await atInstant(store, 1000)).toEqual(["trade", "book"]);
  });

  it("come in the order of their capture if they have sequence numbers in it, although they were received in another order", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const atMs = AT_US / 1000;
    let sequence = 0;
    const message = (line: number, type: string, ms: number, latencyUs: number): string =>
      `${JSON.stringify({ type, line, sequence: ++sequence, beginSequence: sequence, endSequence: sequence, timestamp: atMs + ms, recvTimeNs: `${AT_US + ms * 1000 + latencyUs}000`, bids: [["100.0", "5"]], asks: [] })}\n`;
    const print = (line: number, ms: number, latencyUs: number): string =>
      `${JSON.stringify({ id: line, price: "100.0", amount: "1", time: atMs + ms, isBuyerMaker: true, line, recvTimeNs: `${AT_US + ms * 1000 + latencyUs}000` })}\n`;
    const book =
      message(1, "snapshot", 0, 10) + message(3, "update", 1, 90) + message(6, "update", 2, 10);
    const trades = print(2, 0, 20) + print(4, 1, 10) + print(5, 2, 90);
    await take(store, [
      fileOf(folder, "book.ndjson", book),
      fileOf(folder, "trades.ndjson", trades),
    ]);
    expect(await atInstant(store, 1000)).toEqual(["book", "trade"]);
    expect(await atInstant(store, 2000)).toEqual(["trade", "book"]);
  });
});
