import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryError } from "#history/history-errors.js";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { fileOf, scratchFolder, take } from "./scratch.js";
import { zipped } from "./zipped.js";

const MIDNIGHT = 1723161600000;
const BINANCE =
  "1,100.5,0.25,25.125,1723161600000000,True,True\n2,100.75,2,201.5,1723161600001000,False,True\n";

const trade = (
  id: number,
  time: number,
  price: string,
  amount: string,
  more: object = {},
): string =>
  `${JSON.stringify({ id, price, amount, quoteAmount: "1", time, isBuyerMaker: id % 2 === 0, status: "SETTLED", ...more })}\n`;

describe("importing an impossible file", () => {
  it.each([
    [
      "cut short",
      "cut.ndjson.gz",
      gzipSync(trade(1, MIDNIGHT, "5", "1").repeat(50)).subarray(0, 90),
      /is broken/,
    ],
    [
      "a zip that was cut short",
      "cut.zip",
      zipped(["BTCUSDT-trades-2024-08-09.csv", BINANCE]).subarray(0, 120),
      /is broken/,
    ],
    [
      "written in UTF-16",
      "wide.csv",
      Buffer.from("\ufeffid,price\n1,5\n", "utf16le"),
      /is encoded in UTF-16.*text in UTF-8/,
    ],
    [
      "written in UTF-16 without a mark",
      "bare.ndjson",
      Buffer.from(trade(1, MIDNIGHT, "5", "1"), "utf16le"),
      /is encoded in UTF-16/,
    ],
    [
      "written in UTF-16 the other way round",
      "swapped.csv",
      Buffer.from("\ufeffid,price\n1,5\n", "utf16le").swap16(),
      /is encoded in UTF-16/,
    ],
    ["of an unknown shape", "other.csv", "colour,size\nred,5\n", /has an unknown shape/],
    [
      "with a price that is none",
      "price.ndjson",
      trade(1, MIDNIGHT, "abc", "1"),
      /price is not a decimal.*abc/,
    ],
    [
      "with a price below zero",
      "below.ndjson",
      trade(1, MIDNIGHT, "5", "1") + trade(2, MIDNIGHT, "-5", "1"),
      /1 of 2 rows are invalid, the first is row 2, at 1723161600000000000 ns \(got "price -5"\).*price above zero/,
    ],
    [
      "a part of a capture, with an amount of zero",
      "part.ndjson",
      trade(1, MIDNIGHT, "5", "1", { line: 70 }) + trade(2, MIDNIGHT, "5", "0", { line: 71 }),
      /the first is row 2 \(line 71 of its capture\), at .*"amount 0".*amount above zero/,
    ],
    [
      "without one of its prices",
      "missing.ndjson",
      `${trade(1, MIDNIGHT, "5", "1")}{"id":2,"amount":"1","time":${MIDNIGHT},"isBuyerMaker":true}\n`,
      /1 of 2 rows are invalid, the first is row 2, .*"price missing".*price above zero/,
    ],
    // Each of these would be replayed as a zero: a crash to nothing, a level deleted, a payment
    // forgotten.
    ...(["open", "high", "low", "close", "volume"] as const).map(
      (column, place) =>
        [
          `a candle without its ${column}`,
          "candle.csv",
          `time,open,high,low,close,volume\n${MIDNIGHT},5,6,4,5,1\n${MIDNIGHT + 60_000},${["5", "6", "4", "5", "1"].map((cell, at) => (at === place ? "" : cell)).join(",")}\n`,
          new RegExp(`1 of 2 rows are invalid, the first is row 2, .*${column} missing`),
        ] as const,
    ),
    ...(["price", "amount"] as const).map(
      (column) =>
        [
          `a level of a book without its ${column}`,
          "level.csv",
          `exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n${["5,1", column === "price" ? ",1" : "5,"].map((level, at) => `x,B,${MIDNIGHT}00${at},${MIDNIGHT}00${at},true,bid,${level}\n`).join("")}`,
          new RegExp(`1 of 2 rows are invalid, the first is row 2, .*${column} missing`),
        ] as const,
    ),
    [
      "funding without a rate",
      "funding.csv",
      `marketId,fundingRate,fundingTime\nB,0.0001,${MIDNIGHT}\nB,,${MIDNIGHT + 28_800_000}\n`,
      /1 of 2 rows are invalid, the first is row 2, .*rate missing/,
    ],
    [
      "with one stamp in seconds among milliseconds",
      "seconds.ndjson",
      trade(1, MIDNIGHT, "5", "1") + trade(2, MIDNIGHT / 1000, "5", "1"),
      /1 of 2 rows are invalid, the first is row 2, .*times from 2009 to 2099/,
    ],
    [
      "with a stamp that is none",
      "stamp.csv",
      `id,price,amount,time,isBuyerMaker\n1,5,1,${MIDNIGHT},true\n2,5,1,soon,true\n`,
      /time is not a whole number in row 2 .*"soon".*whole milliseconds since 1970/,
    ],
    [
      "with a line cut short",
      "line.csv",
      `id,price,amount,time,isBuyerMaker\n1,5,1,${MIDNIGHT},true\n2,5,1\n`,
      /Line: 3.*2,5,1/,
    ],
    [
      "one list of records",
      "list.json",
      `[${trade(1, MIDNIGHT, "5", "1")}]`,
      /is one JSON list .*one JSON record on each line/,
    ],
    [
      "with a line that is not a record",
      "line.ndjson",
      `${trade(1, MIDNIGHT, "5", "1")}{"id":`,
      /cannot be read/,
    ],
    [
      "without a record",
      "empty.csv",
      "id,price,amount,quoteAmount,time,isBuyerMaker,status\n",
      /has no record/,
    ],
  ] as const)(
    "refuses one that is %s, naming it, and leaves the store as it was",
    async (_what, name, content, reason) => {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const path = fileOf(folder, name, content);
      const error = await take(store, [path]).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(HistoryError);
      expect(String(error)).toMatch(reason);
      expect(String(error)).toContain(name);
      expect(await listHistory(store, { verify: true })).toEqual([]);
    },
  );
});
