import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";
import { zipped } from "./zipped.js";

const MIDNIGHT = 1723161600000;

const trade = (
  id: number,
  time: number,
  price: string,
  amount: string,
  more: object = {},
): string =>
  `${JSON.stringify({ id, price, amount, quoteAmount: "1", time, isBuyerMaker: id % 2 === 0, status: "SETTLED", ...more })}\n`;

describe("importing files", () => {
  it("puts each day into one file that any reader of Parquet understands, exact to the last place", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const text =
      trade(7, MIDNIGHT - 1, "61800.30", "0.006") +
      trade(8, MIDNIGHT, "61800.2", "0.199") +
      trade(9, MIDNIGHT + 5, "61800.05", "12");
    const { files } = await take(store, [fileOf(folder, "trades.ndjson.gz", gzipSync(text))]);
    expect(files[0]).toMatchObject({ kind: "trades", rows: 3 });
    expect(files[0]?.days.map(({ day, rows, complete }) => [day, rows, complete])).toEqual([
      ["2024-08-08", 1, false],
      ["2024-08-09", 2, false],
    ]);
    const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
    const rows = await query(
      store,
      `SELECT id, timeNs, price::VARCHAR AS price, amount::VARCHAR AS amount, isBuyerMaker FROM read_parquet('${path}')`,
    );
    expect(rows).toEqual([
      {
        id: 8n,
        timeNs: BigInt(MIDNIGHT) * 1_000_000n,
        price: "61800.20",
        amount: "0.199",
        isBuyerMaker: true,
      },
      {
        id: 9n,
        timeNs: BigInt(MIDNIGHT + 5) * 1_000_000n,
        price: "61800.05",
        amount: "12.000",
        isBuyerMaker: false,
      },
    ]);
    const [column] = await query(
      store,
      `SELECT type FROM parquet_schema('${path}') WHERE name = 'price'`,
    );
    expect(column).toEqual({ type: "INT64" });
  });

  it("imports the same file twice without a change, joins other files by id, and refuses a contradicting one", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const one = fileOf(
      folder,
      "one.ndjson",
      trade(1, MIDNIGHT, "5.0", "1") + trade(2, MIDNIGHT + 1, "5.1", "2"),
    );
    const next = fileOf(
      folder,
      "next.ndjson",
      trade(2, MIDNIGHT + 1, "5.1", "2") + trade(3, MIDNIGHT + 2, "5.2501", "3"),
    );
    const other = fileOf(folder, "other.ndjson", trade(3, MIDNIGHT + 2, "5.26", "3"));
    await take(store, [one]);
    expect((await take(store, [one])).files[0]?.days).toEqual([]);
    const joined = await take(store, [next]);
    expect(joined.files[0]?.days[0]).toMatchObject({
      rows: 3,
      lastId: "3",
      decimals: { price: 4 },
    });
    await expect(take(store, [other])).rejects.toThrow(
      /other\.ndjson: trades of 2024-08-09: two records of id 3 differ/,
    );
    expect(store.days({ market: "btcusdt", kind: "trades" })[0]?.rows).toBe(3);
    expect((await take(store, [other], { replace: true })).files[0]?.days[0]).toMatchObject({
      rows: 1,
    });
  });

  it("reports the number of rows that repeat a record of the file, and keeps one of each", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const rows = [5, 6, 7].map((id) => `${id},5.5,1,${MIDNIGHT},true\n`).join("");
    const header = "id,price,amount,time,isBuyerMaker\n";
    const { files } = await take(store, [
      fileOf(folder, "twice.csv", header + rows + rows),
      fileOf(folder, "once.csv", header + rows),
    ]);
    expect(files.map(({ rows: read, findings }) => [read, findings])).toEqual([
      [6, ["3 of its rows are duplicates: one of each is kept"]],
      [3, []],
    ]);
    expect(store.days({ market: "btcusdt", kind: "trades" })[0]?.rows).toBe(3);
  });

  it("keeps the messages of a book, empty ones too, counts broken chains, and refuses a second capture of the same time", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const message = (line: number, type: string, more: object): string =>
      `${JSON.stringify({ type, line, ticker_id: "B", timestamp: MIDNIGHT + line, bids: [], asks: [], ...more })}\n`;
    const text =
      message(1, "snapshot", { sequence: 10, bids: [["5.0", "1"]], asks: [["5.1", "2"]] }) +
      message(2, "update", { beginSequence: 11, endSequence: 12, prevEndSequence: 10 }) +
      message(3, "update", {
        beginSequence: 14,
        endSequence: 14,
        prevEndSequence: 13,
        asks: [["5.1", "0"]],
      });
    const { files } = await take(store, [fileOf(folder, "book.ndjson", text)]);
    expect(files[0]?.findings).toEqual([
      "1 updates do not continue the one before (by prevEndSequence, else beginSequence): the book is unknown at its end, since no snapshot follows",
    ]);
    const path = store.dataPath({ market: "btcusdt", kind: "book" }, "2024-08-09");
    const rows = await query(
      store,
      `SELECT seq, isSnapshot, endSequence, isBid, price::VARCHAR AS price, amount::VARCHAR AS amount FROM read_parquet('${path}')`,
    );
    expect(rows).toEqual([
      { seq: 1n, isSnapshot: true, endSequence: 10n, isBid: true, price: "5.0", amount: "1" },
      { seq: 1n, isSnapshot: true, endSequence: 10n, isBid: false, price: "5.1", amount: "2" },
      { seq: 2n, isSnapshot: false, endSequence: 12n, isBid: null, price: null, amount: null },
      { seq: 3n, isSnapshot: false, endSequence: 14n, isBid: false, price: "5.1", amount: "0" },
    ]);
    await expect(
      take(store, [fileOf(folder, "again.ndjson", text.replace('"5.0","1"', '"5.0","3"'))]),
    ).rejects.toThrow(
      /again\.ndjson: the store already has book of 2024-08-09 from another source/,
    );
  });

  it.each([
    ["more places than the first ten thousand rows", "5.25001", 5, "5.25001"],
    ["an exponent", "5e-7", 7, "0.0000005"],
    ["leading zeros", "007.50", 1, "7.5"],
  ] as const)(
    "keeps a late price exact that has %s, and sorts rows by time",
    async (_what, written, places, price) => {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const rows = Array.from(
        { length: 10_000 },
        (_, at) => `${at + 2},5.5,1,${MIDNIGHT + 1},true\n`,
      ).join("");
      const path = fileOf(
        folder,
        "late.csv",
        `id,price,amount,time,isBuyerMaker\n${rows}1,${written},1,${MIDNIGHT},true\n`,
      );
      const { files } = await take(store, [path]);
      expect(files[0]?.days[0]).toMatchObject({
        rows: 10_001,
        decimals: { price: places, amount: 0 },
      });
      const [first] = await query(
        store,
        `SELECT id, seq, price::VARCHAR AS price FROM read_parquet('${store.root}/btcusdt/trades/*.parquet') LIMIT 1`,
      );
      expect(first).toEqual({ id: 1n, seq: 10_001n, price });
    },
  );

  it.each(["+5.5", " 5.5", "5.5 ", "1_000", "nan", '"1,000.5"', ".5", "5:5", "5.5.5", ""])(
    "refuses a late price that is written as %j in a file that was plain before it, naming its row",
    async (written) => {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const rows = Array.from(
        { length: 3_000 },
        (_, at) => `${at + 2},5.5,1,${MIDNIGHT + 1},true\n`,
      ).join("");
      const path = fileOf(
        folder,
        "late.csv",
        `id,price,amount,time,isBuyerMaker\n${rows}1,${written},1,${MIDNIGHT},true\n`,
      );
      await expect(take(store, [path])).rejects.toThrow(/late\.csv: .*(in row|is row) 3001\b/);
    },
  );

  it("refuses a late price that is not a number before anything is written", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const rows = Array.from(
      { length: 10_000 },
      (_, at) => `${at + 2},5.5,1,${MIDNIGHT + 1},true\n`,
    ).join("");
    const good = fileOf(folder, "good.csv", `id,price,amount,time,isBuyerMaker\n${rows}`);
    const bad = fileOf(
      folder,
      "bad.csv",
      `id,price,amount,time,isBuyerMaker\n${rows}1,5.5 USD,1,${MIDNIGHT},true\n`,
    );
    await expect(take(store, [good, bad])).rejects.toThrow(
      /bad\.csv: price is not a decimal.*5\.5 USD/,
    );
    expect(await listHistory(store, { verify: true })).toEqual([]);
  });

  it.each([
    ["count the rows", [5, 6, 7], [1n, 2n, 3n]],
    ["have a gap, as where a source leaves trades out", [5, 6, 9], [1n, 2n, 3n]],
    ["fall", [7, 6, 5], [1n, 2n, 3n]],
    ["come twice", [5, 6, 6], [1n, 2n]],
  ] as const)(
    "numbers rows without sequence numbers in their order, if ids %s",
    async (_what, ids, places) => {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const path = fileOf(
        folder,
        "t.csv",
        `id,price,amount,time,isBuyerMaker\n${ids.map((id) => `${id},5.5,1,${MIDNIGHT},true\n`).join("")}`,
      );
      await take(store, [path]);
      const rows = await query(
        store,
        `SELECT seq, id FROM read_parquet('${store.root}/btcusdt/trades/*.parquet')`,
      );
      expect(rows).toEqual(places.map((seq, at) => ({ seq, id: BigInt(ids[at] as number) })));
    },
  );

  it("numbers rows by their position if ids count only the first of them", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const rows = Array.from(
      { length: 10_600 },
      (_, at) => `${at < 10_500 ? at + 2 : at + 9},5.5,1,${MIDNIGHT + at},true\n`,
    ).join("");
    await take(store, [fileOf(folder, "t.csv", `id,price,amount,time,isBuyerMaker\n${rows}`)]);
    const [last] = await query(
      store,
      `SELECT max(seq) AS seq, max(id) AS id FROM read_parquet('${store.root}/btcusdt/trades/*.parquet')`,
    );
    expect(last).toEqual({ seq: 10_600n, id: 10_608n });
  });

  it("does not cover a day without records between two others, unless ids show that it had none", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const day = 86_400_000;
    await take(store, [
      fileOf(
        folder,
        "t.ndjson",
        trade(1, MIDNIGHT - 1, "5", "1") + trade(7, MIDNIGHT + day, "5", "1"),
      ),
    ]);
    const [listing] = await listHistory(store, { verify: true });
    expect(listing?.days.map(({ day: name }) => name)).toEqual(["2024-08-08", "2024-08-10"]);
    expect(listing?.gaps).toEqual([[MIDNIGHT, MIDNIGHT + day]]);
  });

  it("cleans a recorder's clock by the smallest latency of all files of the capture, part by part", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const at = (time: number, latencyNs: number): string =>
      String(BigInt(time) * 1_000_000n + BigInt(latencyNs));
    const trades =
      trade(1, MIDNIGHT, "5", "1", { line: 1, recvTimeNs: at(MIDNIGHT, -700) }) +
      trade(2, MIDNIGHT + 9, "5", "1", { line: 9, recvTimeNs: at(MIDNIGHT + 9, 40) });
    const bbo = `line,time,recvTimeNs,bid,bidAmount,ask,askAmount\n2,${MIDNIGHT},${at(MIDNIGHT, -1000)},4,1,6,1\n8,${MIDNIGHT + 8},${at(MIDNIGHT + 8, 30)},4,1,6,1\n`;
    const files = [fileOf(folder, "t.ndjson", trades), fileOf(folder, "bbo.csv", bbo)];
    const { clock } = await take(store, files, { clock: { partsAt: [8n], baseLatencyNs: 5n } });
    expect(clock).toEqual([
      { fromSeq: 0n, addedNs: 1005n, smallestNs: -1000n },
      { fromSeq: 8n, addedNs: 0n, smallestNs: 30n },
    ]);
    const latencies = await query(
      store,
      `SELECT recvNs - timeNs AS latency FROM read_parquet('${store.root}/btcusdt/*/*.parquet') ORDER BY 1`,
    );
    expect(latencies.map(({ latency }) => latency)).toEqual([5n, 30n, 40n, 305n]);
  });

  const binance =
    "1,100.5,0.25,25.125,1723161600000000,True,True\n2,100.75,2,201.5,1723161600001000,False,True\n";
  it.each([
    [
      "BTCUSDT-trades-2024-08-09.zip",
      zipped(["BTCUSDT-trades-2024-08-09.csv", binance]),
      "trades",
      { id: 2n, t: 1723161600001000000n, price: "100.75", isBuyerMaker: false },
    ],
    [
      "BTCUSDT-aggTrades-2024-08-09.csv",
      "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker\n5,100.5,1,9,9,1723161600000,true\n6,100.75,1,10,11,1723161600001,false\n",
      "trades",
      { id: 6n, t: 1723161600001000000n, price: "100.75", isBuyerMaker: false },
    ],
    [
      "binance-futures_trades.csv",
      "exchange,symbol,timestamp,local_timestamp,id,side,price,amount\nb,X,1723161600000000,1723161600005000,7,sell,100.5,1\nb,X,1723161600001000,1723161600006000,8,buy,100.75,1\n",
      "trades",
      { id: 8n, t: 1723161600001000000n, price: "100.75", isBuyerMaker: false },
    ],
  ] as const)("reads trades as others publish them: %s", async (name, content, kind, last) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await take(store, [fileOf(folder, name, content)]);
    const path = store.dataPath({ market: "btcusdt", kind }, "2024-08-09");
    const rows = await query(
      store,
      `SELECT id, timeNs AS t, price::VARCHAR AS price, isBuyerMaker FROM read_parquet('${path}')`,
    );
    expect(rows).toHaveLength(2);
    expect(rows[1]).toEqual(last);
  });

  it("reads candles, quotes and books as others publish them, and one symbol out of several", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const row = (minute: number): string =>
      `${MIDNIGHT + minute * 60_000},5,7,4,6,10,${MIDNIGHT + minute * 60_000 + 59_999},50,3,5,25,0\n`;
    const ticker =
      "update_id,best_bid_price,best_bid_qty,best_ask_price,best_ask_qty,transaction_time,event_time\n9,5.1,2,5.2,3,1723161600000,1723161600002\n";
    const l2 = (symbol: string, stamp: string): string =>
      `b,${symbol},${stamp},${stamp},true,bid,5.1,2\nb,${symbol},${stamp},${stamp},false,ask,5.2,0\n`;
    const book = `exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n${l2("X", "1723161600000000")}${l2("Y", "1723161600000009")}`;
    const [candles, quotes] = [
      fileOf(folder, "X-1m-2024-08-09.csv", row(0) + row(1) + row(3)),
      fileOf(folder, "ticker.csv", ticker),
    ];
    const l2File = fileOf(folder, "incremental_book_L2.csv.gz", gzipSync(book));
    const { files } = await take(store, [candles, quotes]);
    expect(files.map(({ kind, rows }) => [kind, rows])).toEqual([
      ["klines-1M", 3],
      ["bbo", 1],
    ]);
    expect(files[0]?.days[0]?.findings).toEqual(["1 of 4 candles are missing"]);
    await expect(take(store, [l2File])).rejects.toThrow(/symbol.*several markets.*X, Y/);
    expect((await take(store, [l2File], { symbol: "Y" })).files[0]).toMatchObject({
      kind: "book",
      rows: 2,
    });
  });

  it("reads any columns by a mapping, Parquet too, and names what a mapping lacks", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const path = join(folder, "ticks.parquet");
    await query(
      store,
      `COPY (SELECT TIMESTAMP '2024-08-09 00:00:01.5' AS ts, 0.00001::DOUBLE AS px, 3 AS qty, 'S' AS taker) TO '${path}' (FORMAT parquet)`,
    );
    const mapping = checkMapping({
      kind: "trades",
      columns: { time: "ts", price: "px", amount: "qty", side: "taker" },
      timeUnit: "iso",
    });
    await take(store, [path], { mapping });
    const [row] = await query(
      store,
      `SELECT timeNs, price::VARCHAR AS price, isBuyerMaker FROM read_parquet('${store.root}/btcusdt/trades/*.parquet')`,
    );
    expect(row).toEqual({ timeNs: 1723161601500000000n, price: "0.00001", isBuyerMaker: true });
    expect(() => checkMapping({ kind: "trades", columns: { time: "ts", amount: "qty" } })).toThrow(
      /mapping\.columns\.price: is missing/,
    );
    expect(() => checkMapping({ kind: "trades", columns: { time: "ts", prise: "px" } })).toThrow(
      /prise.*price/,
    );
    await expect(
      take(store, [path], {
        mapping: { ...mapping, columns: { ...mapping.columns, amount: "size" } },
      }),
    ).rejects.toThrow(/ts, px, qty, taker/);
  });

  it("reads decimals of a Parquet file that have no digit before their point", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const path = join(folder, "t.parquet");
    await query(
      store,
      `COPY (SELECT ${MIDNIGHT} AS t, 0.5::DECIMAL(18,18) AS p, 0.25::DECIMAL(4,4) AS q, (-0.0001)::DECIMAL(4,4) AS r) TO '${path}' (FORMAT parquet)`,
    );
    await take(store, [path], {
      mapping: checkMapping({ kind: "trades", columns: { time: "t", price: "p", amount: "q" } }),
    });
    await take(store, [path], {
      mapping: checkMapping({ kind: "funding", columns: { time: "t", rate: "r" } }),
    });
    const read = (kind: string, columns: string): Promise<unknown> =>
      query(
        store,
        `SELECT ${columns} FROM read_parquet('${store.root}/btcusdt/${kind}/*.parquet')`,
      );
    expect(await read("trades", "price::DOUBLE AS price, amount::DOUBLE AS amount")).toEqual([
      { price: 0.5, amount: 0.25 },
    ]);
    expect(await read("funding", "rate::DOUBLE AS rate")).toEqual([{ rate: -0.0001 }]);
  });

  // Spark writes decimals of 38 digits with 18 places, and exports of chains contain texts with as
  // many. Both were once refused as if they did not fit.
  it("reads decimals of eighteen places that are zeros but for the first few", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const path = join(folder, "t.parquet");
    await query(
      store,
      `COPY (SELECT ${MIDNIGHT} AS t, 100.29::DECIMAL(38,18) AS p, 65000::DECIMAL(38,18) AS q) TO '${path}' (FORMAT parquet)`,
    );
    await take(store, [path], {
      mapping: checkMapping({ kind: "trades", columns: { time: "t", price: "p", amount: "q" } }),
    });
    const [row] = await query(
      store,
      `SELECT price::VARCHAR AS p, amount::VARCHAR AS q FROM read_parquet('${store.root}/btcusdt/trades/*.parquet')`,
    );
    expect(row).toEqual({ p: "100.29", q: "65000" });
  });

  // The database silently reads such a decimal as the bytes of another number: prices of 1.00 were
  // 16777216.
  it("refuses decimals of a Parquet file that have more digits than the database holds, where they are read", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const path = join(folder, "t.parquet");
    await query(
      store,
      `COPY (SELECT ${MIDNIGHT} AS t, 1::DECIMAL(38,2) AS p, 1 AS q, 1 AS other) TO '${path}' (FORMAT parquet)`,
    );
    // The database cannot write such a decimal either, so the digits in the file's footer are
    // changed (Thrift fields, which store twice the value).
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf("154c", 0, "hex"); at >= 0; at = bytes.indexOf("154c", at, "hex"))
      bytes[at + 1] = 2 * 50;
    writeFileSync(path, bytes);
    const columns = { time: "t", price: "p", amount: "q" };
    await expect(
      take(store, [path], { mapping: checkMapping({ kind: "trades", columns }) }),
    ).rejects.toThrow(
      /t\.parquet: p is a decimal of 50 digits; expected decimals of at most 38 digits, or strings/,
    );
    const mapping = checkMapping({ kind: "trades", columns: { ...columns, price: "other" } });
    expect((await take(store, [path], { mapping })).files[0]).toMatchObject({ rows: 1 });
  });
});
