import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const TIME = 1723161600000;
const TRADES = "id,price,amount,time,isBuyerMaker\n";
const TARDIS = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n";
const NO_WHOLE = /is not a whole number in row 1 /;

const csvTrade = (id: string, time: string): string =>
  `${TRADES}1,5.5,1,${TIME},true\n${id},5.5,1,${time},true\n`;

async function stored(id: string, time: string): Promise<readonly unknown[]> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  await take(store, [fileOf(folder, "t.csv", csvTrade(id, time))]);
  const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
  const rows = await query(store, `SELECT id, timeNs FROM read_parquet('${path}') WHERE id <> 1`);
  return rows.map((row) => [row.id, row.timeNs]);
}

// A rounded id joins another trade's record, and a rounded stamp is another instant.
describe("ids and stamps of a file", () => {
  it.each([
    ["2", "1723161600001"],
    ["9223372036854775807", "1723161600001"],
    ["9007199254740993", "1723161600001"],
    ["-5", "1723161600001"],
    ["007", "1723161600001.0"],
    ["2.000", "+1723161600001"],
    [" 2", "1723161600001 "],
    ['"2"', '"1723161600001"'],
  ])("keep their written value: %s at %s", async (id, time) => {
    expect(await stored(id, time)).toEqual([
      [BigInt(id.replaceAll('"', "").replace(/[.].*/, "")), 1723161600001000000n],
    ]);
  });

  it.each([
    ["1.5", "1723161600001", 'id is not a whole number in row 2 (got "1.5"); expected digits'],
    ['"1.5"', "1723161600001", 'id is not a whole number in row 2 (got "1.5"); expected digits'],
    [
      "1e3",
      "1723161600001",
      'id is not a whole number in row 2 (got "1e3"); expected digits without an exponent',
    ],
    ["0x10", "1723161600001", 'id is not a whole number in row 2 (got "0x10")'],
    ["1_000", "1723161600001", 'id is not a whole number in row 2 (got "1_000")'],
    ["--1", "1723161600001", 'id is not a whole number in row 2 (got "--1")'],
    [
      "9223372036854775808",
      "1723161600001",
      'id is too large in row 2 (got "9223372036854775808"); expected digits',
    ],
    [
      "2",
      "1723161600001.5",
      'time is not a whole number in row 2 (got "1723161600001.5"); expected whole milliseconds since 1970',
    ],
    [
      "2",
      "1.7231616e12",
      'time is not a whole number in row 2 (got "1.7231616e12"); expected whole milliseconds',
    ],
    [
      "2",
      "1723161600001000",
      'time is too large in row 2 (got "1723161600001000"); expected whole milliseconds',
    ],
  ])("are refused if they cannot be stored: %s at %s", async (id, time, said) => {
    await expect(stored(id, time)).rejects.toThrow(said);
  });

  it.each([
    [
      "t.csv",
      `${TRADES.trimEnd()},recvTimeNs,line\n1,5.5,1,${TIME},true,${TIME}000000.5,1\n`,
      /recvTimeNs is not a whole number in row 1 /,
    ],
    [
      "t.csv",
      `${TRADES.trimEnd()},recvTimeNs,line\n1,5.5,1,${TIME},true,${TIME}000000,1.5\n`,
      /line is not a whole number in row 1 /,
    ],
    [
      "t.ndjson",
      `{"id":"1.5","price":"5","amount":"1","time":${TIME},"isBuyerMaker":true}\n`,
      /id is not a whole number in row 1 .*"1.5"/,
    ],
    ["b.csv", `time,bid,bidAmount,ask,askAmount\n${TIME}.5,5,1,6,1\n`, NO_WHOLE],
    [
      "m.csv",
      `time,markPrice,nextFundingTime\n${TIME},5,${TIME}.5\n`,
      /nextFundingTime is not a whole number/,
    ],
    ["f.csv", `fundingRate,fundingTime\n0.1,${TIME}.5\n`, NO_WHOLE],
    [
      "k.csv",
      `time,open,high,low,close,volume\n${TIME}.5,1,2,1,2,3\n${TIME + 60_000},1,2,1,2,3\n`,
      NO_WHOLE,
    ],
    [
      "B-trades-2024-08-09.csv",
      `1.5,5.5,1,5.5,${TIME},true,true\n`,
      /id is not a whole number in row 1 /,
    ],
    [
      "B-aggTrades-2024-08-09.csv",
      `1,5.5,1,1,1,${TIME}.5,true,true\n`,
      /transact_time is not a whole number .*milliseconds or microseconds/,
    ],
    [
      "B-trades-2024-08-09.csv",
      "1,5.5,1,5.5,99999999999999,true,true\n",
      /the first is row 1, .*times from 2009 to 2099/,
    ],
    ["B-bookTicker-2024-08-09.csv", `1,5,1,6,1,${TIME}.5,${TIME}\n`, NO_WHOLE],
    ["B-1m-2024-08.csv", `${TIME}.5,1,2,1,2,3,${TIME},1,1,1,1,0\n`, NO_WHOLE],
    [
      "tardis.csv",
      `${TARDIS}b,B,${TIME}000.5,${TIME}001,1,buy,5.5,1\n`,
      /timestamp is not a whole number .*microseconds/,
    ],
    [
      "book.csv",
      `${TARDIS.replace("id", "is_snapshot")}b,B,${TIME}000,${TIME}001.5,true,bid,5.5,1\n`,
      /local_timestamp is not a whole/,
    ],
  ])("are refused in every kind of file that has them: %s", async (name, content, reason) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await expect(take(store, [fileOf(folder, name, content)])).rejects.toThrow(reason);
    expect(await listHistory(store, { verify: true })).toEqual([]);
  });

  it("are checked anywhere in a large file, and the first invalid one is named", async () => {
    const folder = scratchFolder();
    const lines = Array.from(
      { length: 40_000 },
      (_, at) => `${at === 31_000 || at === 35_000 ? `${at}.5` : at},5.5,1,${TIME + at},true\n`,
    );
    const path = fileOf(folder, "t.csv", TRADES + lines.join(""));
    await expect(take(new HistoryStore(join(folder, "history")), [path])).rejects.toThrow(
      /id is not a whole number in row 31001 .*"31000\.5"/,
    );
  });

  it("are refused under a mapping's names too; invalid ids of Tardis are replaced by row numbers", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const mapping = checkMapping({
      kind: "trades",
      columns: { id: "its 'id'", price: "p", amount: "q", time: "t" },
    });
    const mapped = fileOf(folder, "m.csv", `its 'id',p,q,t\n7,5,1,${TIME}\n7.5,5,1,${TIME}\n`);
    await expect(take(store, [mapped], { mapping })).rejects.toThrow(
      /is not a whole number in row 2 .*"7\.5"/,
    );
    const { files } = await take(store, [
      fileOf(folder, "t.csv", `${TARDIS}b,B,${TIME}000,${TIME}001,1.5,buy,5.5,1\n`),
    ]);
    expect(files[0]?.findings).toEqual([
      "its ids are not integers: the number of the row stands for each",
    ]);
  });
});
